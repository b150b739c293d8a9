"""How do I give each job a world of its own? Jobs work at once on one server, and none sees what the others do.

Runs against a stub server in this process.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from project_platform import Client
from project_platform_stub import Stub, World

JOBS = 6


def work(base_url: str, world: World, deals: int) -> None:
    """Create some deals. The token alone says in which world: the address is the same for all."""
    with Client(base_url, token=world.token(), project_id=world.project.id) as client:
        for number in range(deals):
            client.project().records.create(type_slug="deal", data={"title": f"Deal {number}"})


def try_and_take_back(base_url: str, world: World) -> None:
    """Make sub-projects, look, and go back to what was there before."""
    before = world.snapshot()
    with Client(base_url, token=world.token(), project_id=world.project.id) as client:
        template = next(iter(world.project.templates))
        for name in ("Acme", "Initech"):
            client.project().templates.apply(template, name=name, variable_values={})
    print(f"tried:      {[project.name for project in world.projects.values()]}")
    world.restore(before)
    print(f"taken back: {[project.name for project in world.projects.values()]}")


def main() -> None:
    """Make a world for each job, let the jobs run, and count what is in each world."""
    stub = Stub()
    # The same seed gives the same identifiers, so that a job can rely on them.
    worlds = [stub.worlds.create(seed=7) for _ in range(JOBS)]
    before = len(worlds[0].project.records)
    with stub.serve() as server, ThreadPoolExecutor(JOBS) as threads:
        list(threads.map(work, [server.base_url] * JOBS, worlds, range(JOBS)))  # raises what a job raised
        print(f"{len({world.project.id for world in worlds})} project identifier in {JOBS} worlds")
        print(f"deals in each: {[len(world.project.records) - before for world in worlds]}")
        try_and_take_back(server.base_url, worlds[0])


if __name__ == "__main__":
    main()
