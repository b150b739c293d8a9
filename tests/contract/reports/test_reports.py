"""The formats of the report: JSON, Markdown, HTML, JUnit and the terminal."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from project_platform_contract.reports import render_html, write_reports
from project_platform_contract.reports.formatting import headline
from project_platform_contract.reports.junit import render_junit
from project_platform_contract.reports.markdown import render_markdown
from project_platform_contract.reports.terminal import summary_lines
from project_platform_contract.schema import problem_of

DIFFERENCE = "E       AssertionError: assert agents[0].id is 'a'; expected 'b'\nE         limit is missing; expected 5"
CURL = """curl --include 'https://platform.example/projects/p/agents?limit=0' --header "Authorization: Bearer ${VIEWER_TOKEN}\""""
NOTIFY = "the effect 'notify' is not allowed"
EVIL = '<script>alert("x")</script> & *bold* `code` | [link](javascript:x)'

EXPLANATION = (
    "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).",
    "agents[0].id is 'a'; expected 'b'",
    "A page of agents.",
    "Members that the specification does not name.",
    CURL,
    "200 (Content-Type: application/json)",
    "3 other requests of the test are not shown",
)
"""What each format shows of a violation: the sentence, the difference, what was expected and allowed, and the requests."""

FLAKY = "flaky: the test failed, and did not fail again: assert 5 == 6"
WAIVER = "Pages end at the first agent of another kind."
NONE = {"proven": 0, "violated": 0, "not_run": 0}
INFERRED = ("agents.list.echo", "agents.list.integers")


def rule(id, verdict, *, why=None, remedy=None, violations=(), statement="A limit is taken.", operation="agents_list"):
    return {
        "id": id,
        "statement": statement,
        "section": "Endpoints 12, query; Limits",
        "operation": operation,
        "effect": "read",
        "kind": "inferred" if id in INFERRED else "stated",
        "quotes": ["Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0)."],
        "verdict": verdict,
        "checked": 7,
        "why": why,
        "remedy": remedy,
        "seconds": 0.25,
        "tests": {"passed": ["suite/test_agents.py::test_a"], "not_run": {} if why is None else {"b": why}},
        "violations": list(violations),
    }


def exchange(request="GET https://platform.example/projects/p/agents?limit=0", received='{"agents": []}'):
    at = "2026-11-21T09:00:00+00:00"
    return {
        "at": at,
        "request": request,
        "caller": "viewer",
        "curl": CURL,
        "sent": "",
        "status": 200,
        "headers": {"Content-Type": "application/json"},
        "received": received,
        "request_id": "req_1",
        "data": ["calendar"],
    }


@pytest.fixture
def report():
    """A report in which every member has content."""
    violation = {
        "test": "suite/test_agents.py::test_x[0]",
        "said": f"    def test_x():\n>       assert a == b\n{DIFFERENCE}\n\ntest_agents.py:9",
        "differs": ["agents[0].id is 'a'; expected 'b'", "limit is missing; expected 5"],
        "expected": "A page of agents.",
        "allowed": "Members that the specification does not name.",
        "exchanges": [exchange("GET https://platform.example/before"), exchange(received=EVIL)],
        "omitted": 3,
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
        "share": {"selected": 3, "proven": 1, "min_percent": 50.0},
        "counts": {"proven": 1, "violated": 1, "not_run": 3, "inferred": NONE | {"violated": 1, "not_run": 1}},
        "down": [],
        "rules": [
            rule("agents.list.all", "proven"),
            rule("agents.list.limit-range", "violated", violations=[violation], statement=f"A limit. {EVIL}"),
            rule("calendar.book.a", "not run", why=NOTIFY, remedy="--allow notify", operation="calendar_book"),
            rule("calendar.book.b", "not run", why=NOTIFY, remedy="--allow notify", operation="calendar_book"),
            rule("memory.update.a", "not run", why=f"the data file has no member {EVIL}", operation=None),
        ],
        "inferred": [
            rule("agents.list.echo", "violated", violations=[violation], statement=f"An echo. {EVIL}"),
            rule("agents.list.integers", "not run", why="switched off"),
        ],
        "flaky": [{"rules": ["agents.list.defaults"], "why": FLAKY, "exchanges": [exchange()]}],
        "waived": [{"id": "agents.list.page-size", "statement": "A page.", "reason": WAIVER, "verdict": "violated"}],
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
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br", "input", "!doctype"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


FORMATS = {
    "terminal": lambda report: "\n".join(summary_lines(report, [Path("contract-report/report.html")])),
    "markdown": lambda report: re.sub(r"\\(.)", r"\1", render_markdown(report)),
    "page": lambda report: Page(render_html(report)).text,
    "junit": lambda report: "".join(ET.fromstring(render_junit(report)).itertext()) + render_junit(report),
}
FOR_PERSONS = tuple(FORMATS)[:3]
LAST = "GET https://platform.example/projects/p/agents?limit=0 as viewer -> 200"
FINDINGS = f"""\
limit is missing; expected 5
left behind: record rec_0 (contract-1)
suite/test_x.py::test_y
no record: 403
floor.json
agents.list.defaults: {FLAKY}
agents.list.page-size (violated): {WAIVER}
{NOTIFY}
--allow notify
agents.list.limit-range
agents.list.echo
checked 7 times
1 of 5 rules proven, 1 violated, 3 not run (they need: --allow notify, what the report lists)
Inferred rules: 0 hold, 1 differ, 1 not run; 40 requests in 12 s
https://platform.example""".splitlines()
"""What each format for persons shows besides the explanation of a violation."""


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_shows_all_findings(report, format):
    shown = FORMATS[format](report)

    assert [expected for expected in EXPLANATION if expected not in shown] == []
    if format in FOR_PERSONS:
        assert [expected for expected in FINDINGS if expected not in shown] == []
    if format in {"markdown", "page"}:
        assert f"agents.list.defaults: {FLAKY}; the last request was {LAST}" in shown
        assert "changed and not restored: memory_update" in shown
        assert "perhaps applied: records_create" in shown


def test_the_report_of_these_tests_is_valid(report):
    assert problem_of("report", report) is None


def test_the_page_is_valid_and_self_contained(report):
    """Well-formed, with both colour schemes, without scripts or external resources, whatever a response contains, and with valid links."""
    source = render_html(report)
    parsed = Page(source)

    assert parsed.open == []
    assert {tag for tag, _ in parsed.tags} & {"script", "link", "img", "iframe", "object", "form"} == set()
    assert re.findall(r"(?:src|srcset)=|url\(|@import", source) == []
    assert "light-dark(" in source
    assert all(expected in parsed.text for expected in (EVIL, "req_1", "defaultLimit", "left behind: record rec_19"))
    ids = [attributes["id"] for _, attributes in parsed.tags if attributes.get("id")]
    links = [attributes["href"] for tag, attributes in parsed.tags if tag == "a"]
    assert len(ids) == len(set(ids))
    assert all(link and link.startswith("#") and link[1:] in ids for link in links)
    assert set(links) >= {"#violated", "#not-run", "#rules", "#facts", "#left-behind"}
    assert ids.index("violated") < ids.index("not-run") < ids.index("rules")


def test_the_page_groups_rules_by_operation_and_filters_them(report):
    """Without a script: each radio button hides the rows and groups without its verdict."""
    source = render_html(report)
    tags = Page(source).tags
    groups = [attributes["class"] for _, attributes in tags if (attributes.get("class") or "").startswith("group")]

    assert [set(group.split()[1:]) for group in groups] == [
        {"has-violated", "has-proven"},
        {"has-not-run"},
        {"has-not-run"},
        {"has-violated", "has-not-run"},
    ]
    radios = [attributes["id"] for tag, attributes in tags if tag == "input"]
    assert radios == ["show-all", "show-violated", "show-not-run", "show-proven"]
    for verdict in ("violated", "not-run", "proven"):
        assert f"body:has(#show-{verdict}:checked) :is(tr, details.group):not(.has-{verdict})" in source
    assert "0.25" in source


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (0, "# 1 of 5 rules proven, 1 violated, 3 not run (they need: --allow notify, what the report lists)"),
        (1, "# Violated: agents.list.limit-range"),
        (3, "# Too few rules proven"),
        (4, "# Nothing proven"),
        (5, "# Not restored"),
        (130, "# Interrupted"),
    ],
)
def test_the_markdown_opens_with_the_verdict(report, code, line):
    """A comment on a pull request shows only its beginning."""
    assert render_markdown(report | {"exit_code": code}).splitlines()[0] == line


def test_the_markdown_has_tables_and_escapes_markup(report):
    shown = render_markdown(report)

    assert re.findall(r"(?m)^## (.*)", shown) == [
        *("Violated", "Fewer proven than floor.json", "Inferred rules that differ", "Flaky", "Waived", "Broken tests"),
        *("Not run", "Left behind", "Rules by operation"),
    ]
    for expected in (
        "### `agents.list.limit-range`\n\nA limit. ",
        "### `agents.list.echo`\n\nAn echo. ",
        "> Query: \\`limit\\` (integer, 1 to 100), \\`offset\\` (integer, at least 0).",
        "- agents\\[0\\].id is 'a'; expected 'b'\n- limit is missing; expected 5\n- Expected: A page of agents.",
        "| calendar\\_book | 0 | 0 | 2 | 0.5 |",
        "| 1 | switched off |  |",
        f"```sh\n{CURL}\n```",
        "- `agents.list.all`, checked 7 times: A limit is taken.",
        "| 2 | the effect 'notify' is not allowed | `--allow notify` |",
        "| agents\\_list | 1 | 1 | 0 | 0.5 |",
        "- `calendar.book.a`: the effect 'notify' is not allowed",
        "| `defaultLimit` | 50 |",
        "| inferred rules | 0 | 1 | 1 | 0.5 |",
    ):
        assert expected in shown, expected
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", shown)
    assert "<script>" not in outside
    assert "](javascript" not in outside.replace("\\[link\\](", "")


def test_the_terminal_shows_a_summary(report):
    """The counts are in the last line, and long lines and lists are cut."""
    lines = FORMATS["terminal"](report).splitlines()

    assert lines[-1].startswith("1 of 5 rules proven, 1 violated, ")
    assert any(line.startswith("VIOLATED  agents.list.limit-range (checked 7 times): A limit.") for line in lines)
    assert any(line.startswith("differs   agents.list.echo (inferred, checked 7 times): An echo.") for line in lines)
    run_with = "(run them with --allow notify)"
    assert (
        f"not run   2 because the effect 'notify' is not allowed {run_with}: calendar.book.a, calendar.book.b" in lines
    )
    assert "written   contract-report/report.html" in lines
    assert sum(line.startswith("left behind") for line in lines) == 4
    assert "... and 19 more, in the report" in lines
    assert "FEWER     1 of the 3 rules of floor.json not proven:" in lines
    assert max(len(line) for line in lines if not line.startswith("          $ curl")) <= 200


@pytest.mark.parametrize(("proven", "is_shown"), [(1, True), (2, False)])
@pytest.mark.parametrize("format", FOR_PERSONS)
def test_a_share_that_is_too_small_is_shown(report, format, proven, is_shown):
    """A floor replaces the share."""
    report |= {"floor": None, "share": {"selected": 3, "proven": proven, "min_percent": 50.0}}
    line = f"{proven} of the 3 selected and allowed rules proven, inferred ones included: less than 50 % (--min-proven)"

    assert (line in FORMATS[format](report)) is is_shown


@pytest.mark.parametrize("format", FORMATS)
def test_an_operation_that_is_down_is_the_first_line(report, format):
    """With how it answered and its last plain request."""
    last = exchange("POST https://platform.example/socials/engagement/pagenet/p/post/like") | {"status": 500}
    problem = "5 plain requests got 500 Internal Server Error"
    report |= {"exit_code": 6, "down": [{"operation": "engagement_like", "why": problem, "exchanges": [last]}]}
    line = f"engagement.like: {problem}; the last was {last['request']} as viewer -> 500"

    shown = FORMATS[format](report)

    assert problem_of("report", report) is None
    assert problem in shown
    if format in FOR_PERSONS:
        assert line in shown
        first = {"terminal": f"DOWN      {line}\n", "markdown": "# Down: engagement.like\n"}.get(format, "")
        assert shown.startswith(first)
        assert shown.index(first or "Down: engagement.like") < shown.index("1 of 5 rules proven")
    assert CURL in shown


def test_a_rule_is_a_case_of_the_junit_report(report):
    """An inferred rule that differs fails nothing, a waived one is skipped, and invalid characters are replaced."""
    report["rules"][1]["violations"][0]["exchanges"][0]["received"] = "\x00 \x1b"
    suite = ET.fromstring(render_junit(report))
    failures = {case.get("name"): case.findtext("failure") for case in suite.findall("testcase[failure]")}

    assert suite.get("name") == headline(report)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["8", "1", "1", "5"]
    assert list(failures) == ["agents.list.limit-range"]
    assert "\ufffd" in failures["agents.list.limit-range"]
    assert suite.findtext("testcase[@name='agents.list.all']/system-out") == "checked 7 times"
    skipped = {case.get("name"): case.find("skipped").get("message") for case in suite.findall("testcase[skipped]")}
    assert skipped["calendar.book.a"] == NOTIFY
    assert skipped["agents.list.page-size"] == f"violated, waived: {WAIVER}"


@pytest.mark.parametrize(
    ("changes", "needs"),
    [
        ([("a", "--allow write --i-own h"), ("b", "a data file with token_variables: {viewer: ...}")] * 2, ["--allow write", "a second account"]),
        ([("a", "a data file with recipient and a data file with free_slot"), ("b", "no -k")], ["2 members of the data file", "no -k"]),
        ([("a", "a data file with recipient")], ["a data file with recipient"]),
        ([], []),
        ([("records.create is down", None), ("no operation shows it; only a stub does", None)], ["records.create, which is down", "a stub server of the run"]),
        ([(why, f"a data file with token_variables: {{{why}: ...}}") for why in ("viewer", "service_account", "outsider", "session", "expired")],
         ["a second account", "a service account", "an account outside of the project", "a session credential", "and 1 more"]),
    ],
)  # fmt: skip
def test_the_headline_says_what_the_rules_need(report, changes, needs):
    """At most four things, those first that most rules need."""
    report["rules"] = [rule("agents.list.all", "not run", why=why, remedy=remedy) for why, remedy in changes]
    report["counts"] |= {"proven": 106, "violated": 0, "not_run": 272}

    expected = f" (they need: {', '.join(needs)})" if needs else ""
    assert headline(report) == f"106 of 378 rules proven, 0 violated, 272 not run{expected}"


def test_a_long_markdown_fits_into_a_comment(report):
    """GitHub refuses a longer one: the requests of later violations and the lists of rules are in other files."""
    long = [exchange(received="x" * 5000)] * 10
    violated = [report["rules"][1] | {"id": f"agents.list.rule-{number}"} for number in range(30)]
    for each in violated:
        each["violations"] = [each["violations"][0] | {"exchanges": long}]
    report["rules"] = [*violated, *report["rules"][:1] * 400]

    shown = render_markdown(report)

    assert len(shown) <= 65_536
    assert CURL in shown
    assert "The requests are in `report.html`." in shown
    assert all(f"### `agents.list.rule-{number}`" in shown for number in range(30))


def test_the_terminal_does_not_list_changes_of_a_stub(report):
    """The stub is discarded after the run."""
    report["target"] = {"kind": "in-process", "url": "http://stub.localhost"}

    assert not any("left behind" in line for line in summary_lines(report, []))


def test_an_empty_report_is_valid(report, tmp_path):
    report |= {name: [] for name in ("rules", "inferred", "waived", "flaky", "broken")} | {"floor": None, "facts": {}}
    report["counts"] = {**NONE, "inferred": NONE}
    report["remains"] = {"created": [], "unanswered": [], "changed": [], "restored": []}

    written = write_reports(tmp_path, report)

    assert [path.name for path in written] == ["report.json", "report.md", "report.html"]
    assert problem_of("report", report) is None
    assert render_html(report).count("None.") == 4
    assert "Nothing." in render_html(report)
