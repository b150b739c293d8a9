"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Literal, TypeAlias

LabelStock: TypeAlias = Literal["5x3.5",]
"""The label stock, width by height in inches."""
