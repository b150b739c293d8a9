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

_CITED: Final = re.compile(rf"({'|'.join(SECTIONS)})(?: (\d+))?(?:, (?:rule (\d+)|.+))?")


def place_of(section: str) -> tuple[int, int, int]:
    """Return the sort key of a rule that cites sections, such as `Endpoints 12, query; Limits`; the first one counts.

    Raises:
        ValueError: The specification has no such section.
    """
    places = []
    for cited in section.split("; "):
        found = _CITED.fullmatch(cited)
        if found is None:
            raise ValueError(
                f"{cited!r} is not a section of the specification; the sections are: {', '.join(SECTIONS)}"
            )
        places.append((SECTIONS.index(found[1]), int(found[2] or 0), int(found[3] or 0)))
    return places[0]
