"""The report as JUnit XML, which CI systems show as a test report: a case for each rule."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from .formatting import checks, headline, remark, response_line, source

_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 section 2.2


def render_junit(report: dict[str, Any]) -> str:
    """Return a report as JUnit XML; an inferred rule that differs fails no case."""
    rules = [*report["rules"], *report["inferred"]]
    failed = [rule for rule in report["rules"] if rule["verdict"] == "violated"]
    skipped = [rule for rule in rules if rule["verdict"] == "not run"]
    suite = ET.Element(
        "testsuite",
        name=headline(report),
        tests=str(len(rules) + len(report["waived"])),
        failures=str(len(failed)),
        errors=str(len(report["down"]) + len(report["broken"])),
        skipped=str(len(skipped) + len(report["waived"])),
        time=f"{report['seconds']:.3f}",
        timestamp=report["started_at"],
    )
    for down in report["down"]:
        case = ET.SubElement(suite, "testcase", classname="down", name=down["operation"])
        ET.SubElement(case, "error", message=_text(down["why"])).text = _text(_request(down["exchanges"][-1]))
    for broken in report["broken"]:
        case = ET.SubElement(suite, "testcase", classname="broken", name=f"{broken['test']}, {broken['when']}")
        ET.SubElement(case, "error", message="the test is broken").text = _text(broken["said"])
    for rule in report["waived"]:
        case = ET.SubElement(suite, "testcase", classname="waived", name=rule["id"])
        ET.SubElement(case, "skipped", message=_text(f"{rule['verdict']}, waived: {rule['reason']}"))
    for rule in rules:
        case = ET.SubElement(
            suite, "testcase", classname=rule["operation"] or "all", name=rule["id"], time=f"{rule['seconds']:.3f}"
        )
        if rule in failed:
            ET.SubElement(case, "failure", message=_text(rule["statement"])).text = _text(_violation(rule))
        elif rule["verdict"] == "not run":
            ET.SubElement(case, "skipped", message=_text(rule["why"]))
        else:
            differs = f"; differs:\n{_violation(rule)}" if rule["verdict"] == "violated" else ""
            ET.SubElement(case, "system-out").text = _text(checks(rule) + differs)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _violation(rule: dict[str, Any]) -> str:
    violation = rule["violations"][0]
    lines = [source(rule), *(f'"{quote}"' for quote in rule["quotes"])]
    lines += [checks(rule), *violation["differs"], f"expected: {violation['expected']}"]
    lines += [f"also allowed: {violation['allowed']}", *map(_request, violation["exchanges"])]
    return "\n".join([*lines, *filter(None, [remark(violation)])])


def _request(exchange: dict[str, Any]) -> str:
    return f"$ {exchange['curl']}\n{response_line(exchange)} {exchange['received']}"


def _text(text: str) -> str:
    """Return a text without the characters that XML does not allow."""
    return _INVALID.sub("\ufffd", text)
