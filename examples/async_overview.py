"""How do I make several calls concurrently? Reads five resources of a project.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It only reads.
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta

from project_platform import AsyncClient
from project_platform_stub import Stub


def connect() -> AsyncClient:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return AsyncClient()
    stub = Stub()
    return AsyncClient(
        "https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.async_transport()
    )


async def main() -> None:
    """Read concurrently, and print the results when all calls have finished."""
    now = datetime.now(UTC)
    async with connect() as client:
        project = client.project()
        # A task group cancels the other tasks when one fails, so that none is left running.
        async with asyncio.TaskGroup() as group:
            may_write = group.create_task(client.auth.check_permission("crm_objects:write"))
            busy = group.create_task(project.calendar.busy(time_min=now, time_max=now + timedelta(days=7)))
            config = group.create_task(project.web_analytics.get_config())
            posts = group.create_task(project.posts.list())
            first_agents = group.create_task(project.agents.list(limit=5).first_page())

        print(f"may write records: {may_write.result()}")
        print(f"busy intervals this week: {len(busy.result())}")
        print(f"web analytics: {'configured' if config.result() else 'not configured'}")
        print(f"scheduled posts: {len(posts.result())}")
        print(f"agents: {[agent.name for agent in first_agents.result().items]}")

        # A paged list is iterated with `async for`.
        print(f"agents in all: {len([agent async for agent in project.agents.list()])}")


if __name__ == "__main__":
    asyncio.run(main())
