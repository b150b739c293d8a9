"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Literal, TypeAlias

ToolCategory: TypeAlias = Literal["memory",] | str
"""A category of tools. Other values are accepted."""
