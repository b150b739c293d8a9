"""The report as one self-contained HTML page, without scripts, fonts or images."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from . import formatting

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_html(report: dict[str, Any]) -> str:
    """Return a report as an HTML document."""
    return _ENVIRONMENT.get_template("page.html.j2").render(report=report, formatting=formatting)
