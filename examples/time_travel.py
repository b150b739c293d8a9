"""How do I test behaviour that depends on time? Moves a clock until a token expires, and until a post is due.

Runs against a stub server in this process. Each of its worlds has a clock.
"""

from __future__ import annotations

from datetime import UTC, datetime

from project_platform import AuthenticationError, Client
from project_platform_stub import Stub, World


def show(world: World, text: str) -> None:
    """Print a message with the time of the world's clock."""
    print(f"{world.clock.now():%d %B %H:%M}  {text}")


def main() -> None:
    """Advance the clock by a minute, then by more than a day."""
    stub = Stub()
    world = stub.worlds.create(at=datetime(2031, 5, 1, 9, tzinfo=UTC))
    world.clock.freeze()  # it moves only with `advance` and `set`
    transport = stub.transport()
    holder = Client("https://stub.example", token=world.token(lifetime=60), transport=transport)
    # A token function is called again when its token is refused.
    renewer = Client("https://stub.example", token=lambda: world.token(lifetime=60), transport=transport)

    with holder, renewer:
        for client in (holder, renewer):
            client.auth.check_permission("social:read")
        show(world, "both tokens are good")

        world.clock.advance(60)
        try:
            holder.auth.check_permission("social:read")
        except AuthenticationError as error:
            show(world, error.message)

        posts = renewer.project(world.project.id).posts
        (waiting,) = [post for post in posts.list() if post.status == "scheduled"]
        show(world, f"{waiting.caption!r} is {waiting.status}")

        assert waiting.scheduled_for is not None
        world.clock.set(datetime.fromisoformat(waiting.scheduled_for))
        (due,) = [post for post in posts.list() if post.id == waiting.id]
        show(world, f"{due.caption!r} is {due.status}")


if __name__ == "__main__":
    main()
