"""How do I iterate over a paged list? Lists the agents one by one, by page, and only the first page.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It only reads.
"""

from __future__ import annotations

import os
from itertools import islice

from project_platform import Client
from project_platform_stub import Stub


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def main() -> None:
    """List the agents in three ways."""
    with connect() as client:
        agents = client.project().agents.list(limit=3)

        # Pages are fetched as they are needed: four items take two requests.
        for agent in islice(agents, 4):
            print(f"{agent.name}: {agent.description}")

        for page in agents.pages():
            print(f"offset {page.offset}: {len(page.items)} agents, more: {page.has_more}")

        page = agents.first_page()
        print(f"the first page only: {[agent.name for agent in page.items]}")


if __name__ == "__main__":
    main()
