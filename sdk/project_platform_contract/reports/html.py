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
    return _ENVIRONMENT.get_template("page.html.j2").render(
        report=report,
        title=formatting.title(report),
        headline=formatting.headline(report),
        details=formatting.details(report),
        differing=formatting.inferred_that_differ(report),
        inferred=formatting.INFERRED,
        violated=formatting.rules_with_verdict(report, "violated"),
        reasons=formatting.by_reason(report),
        groups=formatting.by_operation(report),
        verdicts=formatting.VERDICTS,
        share_line=formatting.share_line(report),
        down_lines=formatting.down_lines(report),
        left_behind=list(formatting.left_behind(report)),
        checks=formatting.checks,
        source=formatting.source,
        response_line=formatting.response_line,
        omitted_line=formatting.omitted_line,
    )
