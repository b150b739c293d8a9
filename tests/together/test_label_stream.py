"""Misuse of the streaming label export."""

from __future__ import annotations

import pytest

from project_platform import UsageError


def stream_twice(project):
    """Read a stream twice in its `with` statement."""
    with project.labels.stream(menu_month="2026-11") as stream:
        content = b"".join(stream)
        return content, list(stream)


async def stream_twice_async(project):
    """Same as `stream_twice`, but with `await`."""
    async with project.labels.stream(menu_month="2026-11") as stream:
        content = b"".join([chunk async for chunk in stream])
        return content, [chunk async for chunk in stream]


def stream_late(project):
    """Read a stream after its `with` statement."""
    with project.labels.stream(menu_month="2026-11") as stream:
        pass
    return list(stream)


async def stream_late_async(project):
    """Same as `stream_late`, but with `await`."""
    async with project.labels.stream(menu_month="2026-11") as stream:
        pass
    return [chunk async for chunk in stream]


@pytest.mark.parametrize(("plain", "awaited"), [(stream_twice, stream_twice_async), (stream_late, stream_late_async)])
def test_a_stream_is_read_once_and_inside_its_with_statement(way, plain, awaited):
    """Later reads raise an error with the way out, instead of returning nothing."""
    misuse = plain if way.runner == "sync" else awaited

    with pytest.raises(UsageError, match="export them again"):
        way(lambda _, project: misuse(project))
