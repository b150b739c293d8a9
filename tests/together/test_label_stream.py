"""Misuse of the streaming label export."""

from __future__ import annotations

import pytest

from project_platform import UsageError


def misread(project, late):
    """Read a stream twice in its `with` statement, or after it."""
    with project.labels.stream(menu_month="2026-11") as stream:
        if not late:
            return b"".join(stream), list(stream)
    return list(stream)


async def misread_async(project, late):
    """Same as `misread`, but with `await`."""
    async with project.labels.stream(menu_month="2026-11") as stream:
        if not late:
            return b"".join([chunk async for chunk in stream]), [chunk async for chunk in stream]
    return [chunk async for chunk in stream]


@pytest.mark.parametrize("late", [False, True], ids=["twice", "late"])
def test_a_stream_is_read_once_and_inside_its_with_statement(way, late):
    """Later reads raise an error with the way out, instead of returning nothing."""
    with pytest.raises(UsageError, match="export them again"):
        way(lambda _, project: (misread if way.runner == "sync" else misread_async)(project, late))
