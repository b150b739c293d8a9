"""Endpoints 12: list agents."""

from __future__ import annotations

from . import operation
from .call import Answer, Call


@operation("agents_list", "limit", "offset")
def list_page(call: Call) -> Answer:
    """List one page of the agent definitions, in a stable order."""
    limit, offset = call.query.get("limit", call.profile.default_limit), call.query.get("offset", 0)
    agents = call.project.agents
    return Answer(
        {
            "agents": agents.page(offset, limit),
            "pagination": {"limit": limit, "offset": offset, "hasMore": offset + limit < len(agents)},
        }
    )
