"""The sections of the specification, and the order that they give to the rules."""

from __future__ import annotations

import re
from typing import Final

SECTIONS: Final = (
    "What the service does",
    "Resources",
    "States",
    "Endpoints",
    "Authentication",
    "Events",
    "Errors",
    "Limits",
    "Versioning",
)

_CITED = re.compile(r"(?P<name>[A-Z][a-z ]+?)(?: (?P<number>\d+))?(?:, (?:rule (?P<rule>\d+)|.+))?")


def place_of(section: str) -> tuple[int, int, int]:
    """Return the sort key of a rule that cites sections, such as `Endpoints 12, query; Limits`; the first one counts.

    Raises:
        ValueError: The specification has no such section.
    """
    first, *_ = [_place(cited) for cited in section.split("; ")]
    return first


def _place(cited: str) -> tuple[int, int, int]:
    found = _CITED.fullmatch(cited)
    if found is None or found["name"] not in SECTIONS:
        raise ValueError(f"{cited!r} is not a section of the specification; the sections are: {', '.join(SECTIONS)}")
    return SECTIONS.index(found["name"]), int(found["number"] or 0), int(found["rule"] or 0)
