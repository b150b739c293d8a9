"""Reports: the same findings as JSON, as Markdown and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .html import page
from .markdown import text


def write_reports(folder: Path, report: dict[str, Any]) -> list[Path]:
    """Write a report as `report.json`, `report.md` and `report.html`, and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=2) + "\n",
        "report.md": text(report),
        "report.html": page(report),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8")
    return [folder / name for name in contents]
