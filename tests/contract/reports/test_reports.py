"""The formats of the report: JSON, Markdown, HTML, JUnit and the terminal."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from project_platform_contract.reports import write_reports
from project_platform_contract.reports.formatting import headline
from project_platform_contract.reports.html import render_html
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
        "counts": {
            "proven": 1,
            "violated": 1,
            "not_run": 3,
            "inferred": {"proven": 0, "violated": 1, "not_run": 1},
        },
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


def junit_text(report):
    return "".join(ET.fromstring(render_junit(report)).itertext())


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
        if tag not in {"meta", "br", "input", "!doctype"}:
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
    assert set(links) >= {"#violated", "#not-run", "#rules", "#facts", "#left-behind"}


def test_the_page_shows_all_findings(report):
    """Violated rules come first."""
    source = render_html(report)
    shown = "".join(Page(source).texts)

    assert source.index('id="violated"') < source.index('id="not-run"') < source.index('id="rules"')
    for expected in (
        *EXPLANATION,
        "limit is missing; expected 5",
        "req_1",
        EVIL,
        "--allow notify",
        "defaultLimit",
        "left behind: record rec_19 (contract-1)",
        "perhaps applied, no response received: records_create",
        "changed and not restored: memory_update",
        "no record: 403",
    ):
        assert expected in shown, expected


def test_the_page_groups_rules_by_operation_and_filters_them(report):
    """Without a script: each radio button hides the rows and groups without its verdict."""
    source = render_html(report)
    tags = Page(source).tags
    groups = [
        set(attributes["class"].split())
        for tag, attributes in tags
        if (attributes.get("class") or "").startswith("group")
    ]
    radios = [attributes["id"] for tag, attributes in tags if tag == "input"]

    assert groups == [
        {"group", "has-violated", "has-proven"},
        {"group", "has-not-run"},
        {"group", "has-not-run"},
        {"group", "has-violated", "has-not-run"},
    ]
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


def test_markup_in_a_response_is_escaped(report):
    assert "<script" not in render_html(report)
    assert 'onerror="' not in render_html(report)


def test_the_markdown_shows_all_findings(report):
    """Markup in a response is escaped."""
    shown = render_markdown(report)

    assert shown.splitlines()[0] == "# Violated: agents.list.limit-range"
    assert shown.index("## Violated") < shown.index("## Not run") < shown.index("## Rules by operation")
    for expected in (
        "**1 of 5 rules proven, 1 violated, 3 not run (they need: --allow notify, what the report lists).**",
        "### `agents.list.limit-range`\n\nA limit. ",
        "> Query: \\`limit\\` (integer, 1 to 100), \\`offset\\` (integer, at least 0).",
        "- agents\\[0\\].id is 'a'; expected 'b'\n- limit is missing; expected 5\n- Expected: A page of agents.",
        f"```sh\n{CURL}\n```",
        "- `agents.list.all`, checked 7 times: A limit is taken.",
        "| 2 | the effect 'notify' is not allowed | `--allow notify` |",
        "| agents\\_list | 1 | 1 | 0 | 0.5 |",
        "| calendar\\_book | 0 | 0 | 2 | 0.5 |",
        "- `calendar.book.a`: the effect 'notify' is not allowed",
        "| `defaultLimit` | 50 |",
        "## Fewer proven than floor.json",
        "## Inferred rules that differ",
        "### `agents.list.echo`\n\nAn echo. ",
        "| 1 | switched off |  |",
        "| inferred rules | 0 | 1 | 1 | 0.5 |",
    ):
        assert expected in shown, expected
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", shown)
    assert "<script>" not in outside
    assert "](javascript" not in outside.replace("\\[link\\](", "")


def test_the_terminal_shows_a_summary(report):
    """The counts are in the last line, and long lines are cut."""
    lines = list(summary_lines(report, [Path("contract-report/report.html")]))

    assert lines[-2:] == [
        "Inferred rules: 0 hold, 1 differ, 1 not run; 40 requests in 12 s",
        "1 of 5 rules proven, 1 violated, 3 not run (they need: --allow notify, what the report lists)",
    ]
    assert any(line.startswith("VIOLATED  agents.list.limit-range (checked 7 times): A limit.") for line in lines)
    assert any(line.startswith("differs   agents.list.echo (inferred, checked 7 times): An echo.") for line in lines)
    assert all(any(expected in line for line in lines) for expected in EXPLANATION)
    assert "          limit is missing; expected 5" in lines
    run_with = "(run them with --allow notify)"
    assert (
        f"not run   2 because the effect 'notify' is not allowed {run_with}: calendar.book.a, calendar.book.b" in lines
    )
    assert "written   contract-report/report.html" in lines
    assert sum(line.startswith("left behind") for line in lines) == 12
    assert "... and 11 more, in the report" in lines
    assert "FEWER     1 of the 3 rules of floor.json not proven:" in lines
    assert max(len(line) for line in lines if not line.startswith("          $ curl")) <= 200


@pytest.mark.parametrize(("proven", "is_shown"), [(1, True), (2, False)])
def test_a_share_that_is_too_small_is_shown(report, proven, is_shown):
    """A floor replaces the share."""
    report |= {"floor": None, "share": {"selected": 3, "proven": proven, "min_percent": 50.0}}
    line = f"{proven} of the 3 selected and allowed rules proven, less than 50 % (--min-proven)"

    assert (f"FEWER     {line}" in summary_lines(report, [])) is is_shown
    assert (line in render_html(report)) is (line in render_markdown(report)) is is_shown


def test_an_operation_that_is_down_is_the_first_line(report):
    """Of each format, with how it answered and its last plain request."""
    last = exchange("POST https://platform.example/socials/engagement/pagenet/p/post/like") | {"status": 500}
    problem = "5 plain requests got 500 Internal Server Error"
    report |= {
        "exit_code": 6,
        "down": [{"operation": "engagement_like", "why": problem, "exchanges": [last]}],
    }
    line = f"engagement.like: {problem}; the last was {last['request']} as viewer -> 500"

    assert problem_of("report", report) is None
    assert next(iter(summary_lines(report, []))) == f"DOWN      {line}"
    assert render_markdown(report).splitlines()[0] == "# Down: engagement.like"
    assert f"\n- {line.replace('>', chr(92) + '>')}\n" in render_markdown(report)
    shown = "".join(Page(render_html(report)).texts)
    assert line in shown
    assert shown.index("Down: engagement.like") < shown.index("1 of 5 rules proven")
    assert all(CURL in each for each in (render_markdown(report), shown, junit_text(report)))


def test_each_format_shows_a_waived_rule_with_its_reason(report):
    line = f"agents.list.page-size (violated): {WAIVER}"

    assert f"waived    {line}" in summary_lines(report, [])
    assert f"## Waived\n\n- {line}\n" in render_markdown(report)
    assert line in Page(render_html(report)).texts
    case = ET.fromstring(render_junit(report)).find("testcase[@name='agents.list.page-size']/skipped")
    assert case.get("message") == f"violated, waived: {WAIVER}"


def test_each_format_for_persons_shows_a_failure_that_did_not_recur(report):
    request = "GET https://platform.example/projects/p/agents?limit=0 as viewer -> 200"
    line = f"agents.list.defaults: {FLAKY}; the last request was {request}"

    assert f"flaky     {line}"[:150] in "\n".join(summary_lines(report, []))
    assert f"## Flaky\n\n- {line.replace('>', chr(92) + '>')}\n" in render_markdown(report)
    assert line in "".join(Page(render_html(report)).texts)


def test_a_rule_is_a_case_of_the_junit_report(report):
    """With the same explanation; an inferred rule that differs fails nothing, and invalid characters are replaced."""
    report["rules"][1]["violations"][0]["exchanges"][0]["received"] = "\x00 \x1b"
    suite = ET.fromstring(render_junit(report))
    failures = {case.get("name"): case.findtext("failure") for case in suite.findall("testcase[failure]")}

    assert suite.get("name") == headline(report)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["8", "1", "1", "5"]
    assert list(failures) == ["agents.list.limit-range"]
    assert all(expected in failures["agents.list.limit-range"] for expected in (*EXPLANATION, "\ufffd"))
    assert suite.findtext("testcase[@name='agents.list.all']/system-out") == "checked 7 times"
    assert suite.find("testcase[@name='calendar.book.a']/skipped").get("message") == NOTIFY


@pytest.mark.parametrize(
    ("changes", "needs"),
    [
        ([("a", "--allow write --i-own h"), ("b", "--data with token_variables: {viewer: ...}")] * 2, ["--allow write", "a second account"]),
        ([("a", "--data with recipient and --data with free_slot"), ("b", "no -k")], ["2 members of the data file", "no -k"]),
        ([("a", "--data with recipient")], ["--data with recipient"]),
        ([("records.create is down", None), ("no operation shows it; only a stub does", None)], ["records.create, which is down", "a stub server of the run"]),
        ([(why, f"--data with token_variables: {{{why}: ...}}") for why in ("viewer", "service_account", "outsider", "session", "expired")],
         ["a second account", "a service account", "an account outside of the project", "a session credential", "and 1 more"]),
    ],
)  # fmt: skip
def test_the_headline_says_what_the_rules_need(report, changes, needs):
    """At most four things, those first that most rules need."""
    report["rules"] = [rule("agents.list.all", "not run", why=why, remedy=remedy) for why, remedy in changes]
    report["counts"] |= {"proven": 106, "violated": 0, "not_run": 272}

    expected = f"106 of 378 rules proven, 0 violated, 272 not run (they need: {', '.join(needs)})"
    assert headline(report) == expected


def test_the_headline_needs_nothing_if_every_rule_was_run(report):
    report["rules"] = [rule("agents.list.all", "proven")]
    report["counts"] |= {"proven": 1, "violated": 0, "not_run": 0}

    assert headline(report) == "1 of 1 rules proven, 0 violated, 0 not run"


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
    report |= {
        "rules": [],
        "inferred": [],
        "waived": [],
        "flaky": [],
        "broken": [],
        "floor": None,
        "facts": {},
        "counts": {
            "proven": 0,
            "violated": 0,
            "not_run": 0,
            "inferred": {"proven": 0, "violated": 0, "not_run": 0},
        },
    }
    report["remains"] = {"created": [], "unanswered": [], "changed": [], "restored": []}

    written = write_reports(tmp_path, report)

    assert [path.name for path in written] == ["report.json", "report.md", "report.html"]
    assert problem_of("report", report) is None
    assert render_html(report).count("None.") == 4
    assert "Nothing." in render_html(report)
