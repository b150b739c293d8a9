"""The formats of the report: JSON, Markdown, HTML and the terminal."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from project_platform_contract.reports import write_reports
from project_platform_contract.reports.formatting import violation_summary
from project_platform_contract.reports.html import render_html
from project_platform_contract.reports.markdown import render_markdown
from project_platform_contract.reports.terminal import summary_lines
from project_platform_contract.schema import problem_of

EVIL = '<script>alert("x")</script> & *bold* `code` | [link](javascript:x)'


def rule(id, verdict, *, why=None, violations=(), statement="A limit is taken."):
    """Return a rule of a report."""
    return {
        "id": id,
        "statement": statement,
        "section": "Endpoints 12, query; Limits",
        "operation": "agents_list",
        "effect": "read",
        "verdict": verdict,
        "why": why,
        "tests": {"passed": ["suite/test_agents.py::test_a"], "not_run": {} if why is None else {"b": why}},
        "violations": list(violations),
    }


def exchange(request="GET https://platform.example/projects/p/agents?limit=0", received='{"agents": []}'):
    """Return an exchange of a report."""
    at = "2026-11-21T09:00:00+00:00"
    return {"at": at, "request": request, "sent": "", "status": 200, "received": received, "request_id": "req_1"}


@pytest.fixture
def report():
    """A report in which every member has content."""
    violation = {
        "test": "suite/test_agents.py::test_x[0]",
        "said": "    def test_x():\n>       assert 400 <= 200\nE       assert 400 <= 200\n\ntest_agents.py:9",
        "exchanges": [exchange("GET https://platform.example/before"), exchange(received=EVIL)],
    }
    created = [
        {"kind": "record", "id": f"rec_{number}", "name": "contract-1", "operation": "records_create"}
        for number in range(20)
    ]
    return {
        "suite": "0.2.0",
        "target": {"kind": "deployment", "url": "https://platform.example"},
        "run": "contract-20261121-090000-1f3a",
        "started_at": "2026-11-21T09:00:00+00:00",
        "seconds": 12.3,
        "allowed": ["read", "write"],
        "requests": {"sent": 40, "limit": 5000, "pace": 0.0},
        "exit_code": 1,
        "counts": {"proven": 1, "violated": 1, "not_run": 3},
        "rules": [
            rule("agents.list.all", "proven"),
            rule("agents.list.limit-range", "violated", violations=[violation], statement=f"A limit. {EVIL}"),
            rule("calendar.book.a", "not run", why="the effect 'notify' is not allowed"),
            rule("calendar.book.b", "not run", why="the effect 'notify' is not allowed"),
            rule("memory.update.a", "not run", why=f"the data file has no member {EVIL}"),
        ],
        "broken": [{"test": "suite/test_x.py::test_y", "when": "setup", "said": "E   AssertionError: no record: 403"}],
        "floor": {"file": "floor.json", "rules": 3, "missing": ["agents.list.limit-range"]},
        "facts": {
            "defaultLimit": [{"value": 50, "at": "2026-11-21T09:00:00+00:00", "request_id": None, "seen": 2}],
            "mergeDepth": [
                {"value": EVIL, "at": "2026-11-21T09:00:00+00:00", "request_id": "req_9", "seen": 1},
                {"value": None, "at": "2026-11-21T09:00:00+00:00", "request_id": "req_10", "seen": 1},
            ],
        },
        "remains": {
            "created": created,
            "unanswered": ["records_create: POST /projects/p/object-records"],
            "changed": ["memory_update: PATCH /projects/p/memory-entries/welcome"],
            "restored": ["the sidebar", "the sidebar"],
        },
    }


class Page(HTMLParser):
    """Parses a page, and checks that its tags are nested correctly."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br", "!doctype"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_report_of_these_tests_is_valid(report):
    assert problem_of("report", report) is None


def test_a_run_writes_a_valid_report(prove):
    run = prove("-k", "test_agents")

    assert problem_of("report", run.report) is None
    assert {path.name for path in run.folder.iterdir()} >= {"report.json", "report.md", "report.html", "facts.json"}


def test_the_page_is_valid_and_self_contained(report):
    """Well-formed, with both colour schemes, without scripts or external resources, and with valid links."""
    source = render_html(report)
    parsed = Page(source)

    assert parsed.open == []
    assert {tag for tag, _ in parsed.tags} & {"script", "link", "img", "iframe", "object", "form"} == set()
    assert re.findall(r"(?:src|srcset)=|url\(|@import", source) == []
    assert "light-dark(" in source
    ids = [attributes["id"] for _, attributes in parsed.tags if attributes.get("id")]
    links = [attributes["href"] for tag, attributes in parsed.tags if tag == "a"]
    assert len(ids) == len(set(ids))
    assert all(link and link.startswith("#") and link[1:] in ids for link in links)
    assert set(links) >= {"#violated", "#not-run", "#proven", "#facts", "#left-behind"}


def test_the_page_shows_all_findings(report):
    """Violated rules come first."""
    source = render_html(report)
    shown = "".join(Page(source).texts)

    assert source.index('id="violated"') < source.index('id="not-run"') < source.index('id="proven"')
    for expected in (
        "GET https://platform.example/projects/p/agents?limit=0 -> 200: assert 400 <= 200",
        "req_1",
        EVIL,
        "2 not run: the effect 'notify' is not allowed",
        "defaultLimit",
        "left behind: record rec_19 (contract-1)",
        "perhaps applied, no response received: records_create",
        "changed and not restored: memory_update",
        "no record: 403",
    ):
        assert expected in shown, expected


def test_markup_in_a_response_is_escaped(report):
    assert "<script" not in render_html(report)
    assert 'onerror="' not in render_html(report)


def test_the_markdown_shows_all_findings(report):
    """Markup in a response is escaped."""
    shown = render_markdown(report)

    for expected in (
        "**1 rules proven, 1 violated, 3 not run (40 requests in 12 s).**",
        "- **`agents.list.limit-range`** (Endpoints 12, query; Limits): A limit.",
        "assert 400 \\<= 200",
        "the effect 'notify' is not allowed: `calendar.book.a`, `calendar.book.b`",
        "| `defaultLimit` | 50 |",
        "## Fewer proven than floor.json",
    ):
        assert expected in shown, expected
    assert "<script>" not in shown
    assert "](javascript" not in shown.replace("\\[link\\](", "")


def test_the_terminal_shows_a_summary(report):
    """The counts are in the last line, and long lines are cut."""
    lines = list(summary_lines(report, [Path("contract-report/report.html")]))

    assert lines[-1] == "1 rules proven, 1 violated, 3 not run (40 requests in 12 s)"
    assert any(line.startswith("VIOLATED  agents.list.limit-range: A limit.") for line in lines)
    assert any("-> 200: assert 400 <= 200" in line for line in lines)
    assert "not run   2 because the effect 'notify' is not allowed: calendar.book.a, calendar.book.b" in lines
    assert "written   contract-report/report.html" in lines
    assert sum(line.startswith("left behind") for line in lines) == 12
    assert "... and 11 more, in the report" in lines
    assert "FEWER     1 of the 3 rules of floor.json not proven:" in lines
    assert max(map(len, lines)) <= 200


def test_a_bare_assertion_is_explained():
    said = "E   assert False\nE    +  where False = refused(<Response [200 OK]>)"

    assert (
        violation_summary({"said": said, "exchanges": []}) == "assert False, where False = refused(<Response [200 OK]>)"
    )
    assert (
        violation_summary({"said": "E   assert 5 == 6\nE    +  where 5 = len(x)", "exchanges": []}) == "assert 5 == 6"
    )
    assert violation_summary({"said": "agents: 5 is not a list", "exchanges": []}) == "agents: 5 is not a list"
    assert violation_summary({"said": "", "exchanges": []}) == "no message"


def test_the_terminal_does_not_list_changes_of_a_stub(report):
    """The stub is discarded after the run."""
    report["target"] = {"kind": "in-process", "url": "http://stub.localhost"}

    assert not any("left behind" in line for line in summary_lines(report, []))


def test_an_empty_report_is_valid(report, tmp_path):
    report |= {
        "rules": [],
        "broken": [],
        "floor": None,
        "facts": {},
        "counts": {"proven": 0, "violated": 0, "not_run": 0},
    }
    report["remains"] = {"created": [], "unanswered": [], "changed": [], "restored": []}

    written = write_reports(tmp_path, report)

    assert [path.name for path in written] == ["report.json", "report.md", "report.html"]
    assert problem_of("report", report) is None
    assert render_html(report).count("None.") == 4
    assert "Nothing." in render_html(report)
