"""Writes `docs/reference/operations`: an index, and a page for each operation with a call that was made against the stub."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..markdown import table
from ..tables import method
from .advice import AGAIN
from .page import page
from .schemas import one_line

__all__ = ["files"]

_INDEX = """\
<!-- Generated from openapi.yaml by `python -m codegen`. Do not edit. -->

# Operations

Every operation of the API: its call, its bytes on the wire, what is sent again, and its errors.
{ .lead }

"""


def files(folder: Path, document: Mapping[str, Any]) -> dict[Path, str]:
    """Return the pages of a folder, with their contents."""
    found: dict[Path, str] = {}
    rows: list[tuple[str, ...]] = []
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            name = f"{operation['operationId']}.md"
            found[folder / name] = page(document, f"{verb.upper()} {path}", operation)
            again = AGAIN[operation["x-sdk"]["retry"]].answer.lower()
            rows.append((f"[`{method(operation)}`]({name})", one_line(operation["summary"]), again))
    listed = table(("Operation", "Description", "Sent again after a lost answer"), rows)
    return found | {folder / "index.md": f"{_INDEX}{listed}\n"}
