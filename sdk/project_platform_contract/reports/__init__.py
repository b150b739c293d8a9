"""Renders a report as JSON, Markdown, HTML and JUnit XML, and as lines for the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .html import render_html
from .markdown import render_markdown


def write_reports(folder: Path, report: dict[str, Any]) -> list[Path]:
    """Write a report as `report.json`, `report.md` and `report.html`, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=2) + "\n",
        "report.md": render_markdown(report),
        "report.html": render_html(report),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8")
    return [folder / name for name in contents]
