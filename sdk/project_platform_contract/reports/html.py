"""The report as one self-contained HTML page, without scripts, fonts or images."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from .formatting import (
    INFERRED,
    VERDICTS,
    by_operation,
    by_reason,
    down_lines,
    headline,
    inferred_that_differ,
    left_behind,
    request_line,
    rules_with_verdict,
    share_line,
    verdict_line,
    violation_lines,
    violation_summary,
)

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
        differing=inferred_that_differ(report),
        inferred=INFERRED,
        violated=rules_with_verdict(report, "violated"),
        reasons=by_reason(report),
        groups=by_operation(report),
        verdicts=VERDICTS,
        share_line=share_line(report),
        verdict_line=verdict_line(report),
        down_lines=down_lines(report),
        left_behind=list(left_behind(report)),
        request_line=request_line,
        violation_summary=violation_summary,
        violation_lines=violation_lines,
    )
