"""The report as one self-contained HTML page, without scripts, fonts or images."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from .formatting import by_reason, headline, left_behind, rules_with_verdict, violation_summary

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_html(report: dict[str, Any]) -> str:
    """Return a report as an HTML document."""
    return _ENVIRONMENT.get_template("page.html.j2").render(
        report=report,
        headline=headline(report),
        violated=rules_with_verdict(report, "violated"),
        reasons=by_reason(report),
        proven=rules_with_verdict(report, "proven"),
        left_behind=list(left_behind(report)),
        violation_summary=violation_summary,
    )
