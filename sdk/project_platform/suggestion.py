"""Suggestions for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """Return a question with the most similar names, such as `did you mean won?`; None if there are none."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=3)
    return f"did you mean {' or '.join(near)}?" if near else None
