"""Statements about the code on the pages match the code."""

from __future__ import annotations

import html
import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import project_platform
from codegen.__main__ import pages
from codegen.generate import DOCUMENT
from project_platform import Client, PlatformError, RetryPolicy, Timeout, errors
from project_platform.calls import configuration
from project_platform.version import VERSION

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ASSUMPTIONS = DOCS / "assumptions.md"
CONTRACT: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
OPERATIONS = [operation for path in CONTRACT["paths"].values() for operation in path.values()]
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def rows(page: Path, *header: str) -> dict[str, list[str]]:
    """Return the rows of the table with a header, by their first cell, without backticks."""
    lines = page.read_text("utf-8").splitlines()
    start = lines.index(f"| {' | '.join(header)} |")
    table = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        first, *others = (cell.strip().replace("`", "") for cell in line.strip("|").split("|"))
        table[first] = others
    return table


def method(operation: dict[str, Any]) -> str:
    """Return the name of an operation in the SDK, such as `calendar.book`."""
    return f"{operation['x-sdk']['resource']}.{operation['x-sdk']['method']}"


def test_generated_pages_are_current():
    """Pages, tables, enumerations and drawings are those that the generator writes for the current contract and rules."""
    stale = [path.name for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]

    assert stale == []


def test_every_assumption_is_listed():
    """Each `x-assumed` in `openapi.yaml` is on the page."""
    page = ASSUMPTIONS.read_text("utf-8")

    def sentences(node: Any) -> list[str]:
        if isinstance(node, list):
            return [sentence for value in node for sentence in sentences(value)]
        if not isinstance(node, dict):
            return []
        own = [node["x-assumed"]] if "x-assumed" in node else []
        return own + [sentence for value in node.values() for sentence in sentences(value)]

    found = sentences(CONTRACT)
    assert len(found) > 50
    assert [sentence for sentence in found if sentence.strip().replace("<", "&lt;") not in page] == []


def test_the_statuses_beyond_the_count_are_listed():
    """The operations with `x-uncounted` statuses are listed with them."""
    _, _, section = ASSUMPTIONS.read_text("utf-8").partition("## Statuses beyond those counted")
    listed = dict(re.findall(r"^- \*\*(\S+):\*\* (.+)$", section.partition("\n## ")[0], re.MULTILINE))

    expected = {method(op): op["x-uncounted"] for op in OPERATIONS if "x-uncounted" in op}
    assert {name: [int(n) for n in re.findall(r"\d{3}", text)] for name, text in listed.items()} == expected


def test_the_table_of_classes_matches_the_contract():
    """The table in `errors.md` has the retry class and the effect of each operation."""
    expected = {method(op): [op["x-sdk"]["retry"], op["x-sdk"]["effect"]] for op in OPERATIONS}

    assert rows(DOCS / "errors.md", "Operation", "Class", "Effect") == expected


def test_every_operation_has_a_page_that_the_index_and_the_navigation_list():
    """An operation that is added to the contract has a page."""
    index = (DOCS / "reference/operations/index.md").read_text("utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")

    for operation in OPERATIONS:
        page = f"{operation['operationId']}.md"
        assert (DOCS / "reference/operations" / page).exists()
        assert f"| [`{method(operation)}`]({page}) | {operation['summary']} |" in index
        assert f"- reference/operations/{page}\n" in navigation


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation["operationId"])
def test_the_page_of_an_operation_has_the_advice_of_the_contract(operation):
    """A write whose outcome is unknown is settled if `x-sdk.settle` says how; otherwise a person looks at `x-sdk.look`."""
    page = (DOCS / f"reference/operations/{operation['operationId']}.md").read_text("utf-8")
    sdk = operation["x-sdk"]

    assert ("Call `client.settle(error)`." in page) == ("settle" in sdk)
    assert sdk.get("look", "")[1:] in page


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation["operationId"])
def test_the_page_of_an_operation_has_the_types_of_the_signature(operation):
    """The table of arguments, too; limits are in words and not in those of JSON Schema."""
    page = (DOCS / f"reference/operations/{operation['operationId']}.md").read_text("utf-8")
    arguments = re.findall(r"^\| `(\w+)`(?:<br>required)? \| <code>(.+?)</code> \|", page, re.MULTILINE)
    signature = page.partition("### Signature")[2].partition("## ")[0]

    missing = [name for name, kind in arguments if f"    {name}: {html.unescape(kind)}" not in signature]
    assert missing == []
    assert len(arguments) == len(re.findall(r"^\| `.+ (?:path|query|body) `", page, re.MULTILINE))
    assert re.findall(r"\b(?:min|max)[A-Z]\w+ `|^ +[A-Z]+ /\S*\{\w+\}", page, re.MULTILINE) == []


def test_each_figure_of_the_landing_page_has_a_source_with_a_date_or_version():
    """A figure stands with what was counted, a link to its source, and a date or the version."""
    text = (DOCS / "index.md").read_text("utf-8")
    figures = text.partition('<div class="figures" markdown>')[2].partition("<!-- end -->")[0]
    values = re.findall(r"^(.+)\n\{ \.figure \}$", figures, re.MULTILINE)
    sources = re.findall(r"^\[[^\]]+\]\(([^)]+)\), (.+)\n\{ \.source \}$", figures, re.MULTILINE)

    assert len(values) == len(sources) == 3
    assert [context for _, context in sources if not re.search(r"version \d|\d{4}$", context)] == []


def test_the_recorded_trials_are_those_of_the_page_about_writes():
    """The page has the counts of `tests/truth/measured.json`, which the landing page shows."""
    recorded = json.loads((ROOT / "tests/truth/measured.json").read_text("utf-8"))
    page = (DOCS / "writes.md").read_text("utf-8")

    assert recorded["wrong"] == 0
    assert recorded["calls"] == sum(recorded[verdict] for verdict in ("yes", "no", "in effect", "unknown"))
    assert [
        f"{recorded[name]:,}" for name in ("runs", "calls", "yes", "unknown") if f"{recorded[name]:,}" not in page
    ] == []


def test_the_error_tree_matches_the_code():
    """The tree in `errors.md` has every public error under its base class."""
    text = (DOCS / "errors.md").read_text("utf-8")
    shown: dict[str, str] = {}
    above: list[str] = []
    for line in text.partition("```text\n")[2].partition("```")[0].splitlines():
        drawn, name = re.match(r"([│├└─ ]*)(\w+)", line).groups()  # type: ignore[union-attr]  # every line has a name
        above = [*above[: len(drawn) // 4], name]
        shown[name] = above[-2] if len(above) > 1 else ""
    public = {name for name in dir(project_platform) if is_error(getattr(project_platform, name))}

    assert set(shown) == public
    for name, parent in shown.items():
        assert not parent or getattr(errors, name).__bases__[0].__name__ == parent


def is_error(value: object) -> bool:
    """Return whether a public name is one of the errors."""
    return isinstance(value, type) and issubclass(value, PlatformError)


def test_the_reference_lists_the_errors_in_the_order_of_the_tree():
    """The reference of errors has the order of the tree in `errors.md`."""
    tree = re.findall(r"\w+Error\b", (DOCS / "errors.md").read_text("utf-8").split("```")[1])
    listed = re.findall(
        r"^::: project_platform\.(\w+)$", (DOCS / "reference/errors.md").read_text("utf-8"), re.MULTILINE
    )

    assert listed == [name for name in dict.fromkeys(tree) if name not in {"ValueError", "ConnectionError"}]


def test_the_environment_variables_match_the_code():
    """The table of arguments has the environment variables that the configuration reads."""
    header = ("Argument", "Variable", "Profile key", "Default", "Unit or type")
    table = rows(DOCS / "reference/configuration.md", *header)

    assert table["base_url"][0] == configuration.BASE_URL_VARIABLE
    assert table["token"][0] == configuration.TOKEN_VARIABLE
    assert table["project_id"][0] == configuration.PROJECT_VARIABLE


@pytest.mark.parametrize(
    ("first", "settings"),
    [("Argument", Client), ("Field", Timeout), ("Field", RetryPolicy)],
    ids=["client", "timeout", "retry"],
)
def test_the_reference_of_the_configuration_matches_the_code(first, settings):
    """Each argument of a client, and each field of its settings, is in the table with its default."""
    text = (DOCS / "reference/configuration.md").read_text("utf-8")
    title = "## Arguments of a client" if settings is Client else f"## `{settings.__name__}`"
    section = text.partition(title)[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    shown = {row[0].strip("`"): row[-2] for row in cells}
    parameters = inspect.signature(settings).parameters

    assert list(shown) == list(parameters)
    for name, parameter in parameters.items():
        if shown[name].startswith("`"):
            assert shown[name] == f"`{parameter.default!r}`"


def test_the_site_uses_no_hook_and_only_plugins_that_the_successor_builds():
    """Decision 0044."""
    # The slugify function is a Python object of the configuration, which no safe loader reads.
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    section = re.search(r"^plugins:\n((?:  .*\n)+)", text, re.MULTILINE)

    assert "hooks:" not in text
    assert section is not None
    assert re.findall(r"^  - (\w+)", section[1], re.MULTILINE) == ["search", "offline", "mkdocstrings"]


@pytest.mark.parametrize("path", sorted((ROOT / "examples/ci").glob("*.yml")), ids=lambda path: path.name)
def test_workflow_files_call_commands_with_options_that_exist(path):
    """They are YAML, and the options of the contract suite in them are options of the command."""
    assert yaml.safe_load(path.read_text("utf-8"))
    command = (
        path.read_text("utf-8")
        .partition("project-platform contract ")[2]
        .partition("\n      - ")[0]
        .partition("artifacts:")[0]
    )
    options = re.findall(r"(?<=\s)--[a-z-]+", command)
    guide = (DOCS / "guides/contract.md").read_text("utf-8")

    assert bool(options) == ("contract" in path.name)
    assert [option for option in options if f"`{option}`" not in guide] == []


def test_the_permissions_match_the_contract():
    """The table of permissions in the guide to the stub server matches the contract."""
    expected = {
        method(op): [
            (op["x-stub"]["permission"] or "none") + (", and a real user" if "real_user" in op["x-stub"] else "")
        ]
        for op in OPERATIONS
    }

    assert rows(DOCS / "guides/stub.md", "Operation", "Permission") == expected


@pytest.mark.parametrize(
    ("package", "section"),
    [
        ("project_platform", "## Layers"),
        ("project_platform_stub", "Its layers:"),
        ("project_platform_contract", "The layers of the suite:"),
    ],
)
def test_the_layers_match_the_import_check(package, section):
    """`architecture.md` lists the layers of a package in the order of the import check."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    checked = next(contract["layers"] for contract in contracts if contract.get("containers") == [package])
    rest = (DOCS / "architecture.md").read_text("utf-8").partition(section)[2]
    table = rest.partition("| Layers | What they hold |\n|---|---|\n")[2].partition("\n\n")[0]
    shown = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)

    assert [names.replace("`, `", " | ").strip("`") for names in shown] == checked


def test_the_decisions_are_numbered_and_listed():
    """Decisions are numbered without a gap, and each is in the list of decisions and in the navigation."""
    files = sorted(DOCS.glob("decisions/[0-9]*.md"))
    listed = (DOCS / "decisions/index.md").read_text("utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")

    assert [int(path.name[:4]) for path in files] == list(range(1, len(files) + 1))
    for path in files:
        number, title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ").split(" ", 1)
        assert f"| [{number}]({path.name}) | {title} |" in listed
        assert f"decisions/{path.name}" in navigation


def test_a_decision_has_three_parts():
    """Each decision describes what users see, the implementation, and the rejected alternatives."""
    for path in DOCS.glob("decisions/[0-9]*.md"):
        text = path.read_text("utf-8")
        assert [part for part in ("**What users see.**", "**How.**", "**Rejected.**") if part not in text] == [], (
            path.name
        )


def test_the_changelog_has_the_version():
    """The current version has a section in the changelog."""
    assert f"\n## {VERSION}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_targets_of_links_exist(page: Path):
    """The targets of links to pages, folders and headings of this repository exist."""
    for target in LINK.findall(page.read_text("utf-8")):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path) or f"::: {anchor}\n" in path.read_text("utf-8"), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, computed from their text."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}
