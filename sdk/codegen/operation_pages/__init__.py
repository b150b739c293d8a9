"""Writes `docs/reference/operations`: a page for each operation, with a call that was made against the stub."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..complaints import all_or_complaints
from .page import page

__all__ = ["files"]


def files(folder: Path, document: Mapping[str, Any]) -> dict[Path, str]:
    """Return the pages of a folder, with their contents."""
    operations = [
        (f"{verb.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
    ]
    texts = all_or_complaints([partial(page, request, operation) for request, operation in operations])
    return {
        folder / f"{operation['operationId']}.md": text for (_, operation), text in zip(operations, texts, strict=True)
    }
