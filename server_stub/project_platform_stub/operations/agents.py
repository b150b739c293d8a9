"""Endpoints 12: list agents."""

from __future__ import annotations

from . import Call, Result, operation


@operation("agents_list", "limit", "offset")
def list_page(call: Call) -> Result:
    """List one page of the agent definitions, in a stable order."""
    limit, offset = call.query.get("limit", call.profile.default_limit), call.query.get("offset", 0)
    agents = call.project.agents.all()
    return Result(
        {
            "agents": agents[offset : offset + limit],
            "pagination": {"limit": limit, "offset": offset, "hasMore": offset + limit < len(agents)},
        }
    )
