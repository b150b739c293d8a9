"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Literal, TypeAlias

AgentAccess: TypeAlias = Literal["project_member",] | str
"""Who may use an agent. Other values are accepted."""
