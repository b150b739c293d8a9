"""How do I isolate jobs from each other? Runs jobs in parallel on one server, each in a separate world.

Runs against a stub server in this process.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from project_platform import Client
from project_platform_stub import Stub, World

JOBS = 6


def work(base_url: str, world: World, deals: int) -> None:
    """Create some deals. The token selects the world; the address is the same for all jobs."""
    with Client(base_url, token=world.token(), project_id=world.project.id) as client:
        for number in range(deals):
            client.project().records.create(type_slug="deal", data={"title": f"Deal {number}"})


def apply_and_restore(base_url: str, world: World) -> None:
    """Create sub-projects, print them, and restore the previous state."""
    before = world.snapshot()
    with Client(base_url, token=world.token(), project_id=world.project.id) as client:
        template = next(iter(world.project.templates))
        for name in ("Acme", "Initech"):
            client.project().templates.apply(template, name=name, variable_values={})
    print(f"applied:  {[project.name for project in world.projects.values()]}")
    world.restore(before)
    print(f"restored: {[project.name for project in world.projects.values()]}")


def main() -> None:
    """Create a world for each job, run the jobs, and count the records in each world."""
    stub = Stub()
    # The same seed gives the same identifiers, so that a job can rely on them.
    worlds = [stub.worlds.create(seed=7) for _ in range(JOBS)]
    before = len(worlds[0].project.records)
    with stub.serve() as server, ThreadPoolExecutor(JOBS) as threads:
        list(threads.map(work, [server.base_url] * JOBS, worlds, range(JOBS)))  # raises exceptions of the jobs
        print(f"{len({world.project.id for world in worlds})} project identifier in {JOBS} worlds")
        print(f"deals per world: {[len(world.project.records) - before for world in worlds]}")
        apply_and_restore(server.base_url, worlds[0])


if __name__ == "__main__":
    main()
