"""Writes `docs/reference/operations`: an index, and a page for each operation with a call that was made against the stub."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..advice import AGAIN
from ..complaints import all_or_complaints
from ..markdown import table
from ..tables import method
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
    operations = [
        (f"{verb.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
    ]
    texts = all_or_complaints([partial(page, document, request, operation) for request, operation in operations])
    names = [f"{operation['operationId']}.md" for _, operation in operations]
    rows = [
        (
            f"[`{method(operation)}`]({name})",
            one_line(operation["summary"]),
            AGAIN[operation["x-sdk"]["retry"]].answer.lower(),
        )
        for name, (_, operation) in zip(names, operations, strict=True)
    ]
    listed = table(("Operation", "Description", "Sent again after a lost answer"), rows)
    return {folder / "index.md": f"{_INDEX}{listed}\n"} | {
        folder / name: text for name, text in zip(names, texts, strict=True)
    }
