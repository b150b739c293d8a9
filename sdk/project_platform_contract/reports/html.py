"""The report as one page that needs nothing else: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from .formatting import by_reason, gist, headline, left_behind, of

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(report: dict[str, Any]) -> str:
    """Return a report as HTML."""
    return _ENVIRONMENT.get_template("page.html.j2").render(
        report=report,
        headline=headline(report),
        violated=of(report, "violated"),
        reasons=by_reason(report),
        proven=of(report, "proven"),
        left_behind=list(left_behind(report)),
        gist=gist,
    )
