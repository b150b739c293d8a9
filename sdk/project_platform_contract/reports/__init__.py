"""Renders a report as JSON, Markdown, HTML and JUnit XML, and as lines for the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from . import formatting
from .markdown import render_markdown

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


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


def render_html(report: dict[str, Any]) -> str:
    """Return a report as one self-contained HTML page, without scripts, fonts or images."""
    return _ENVIRONMENT.get_template("page.html.j2").render(report=report, formatting=formatting)
