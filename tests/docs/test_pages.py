"""Statements about the code on the pages match the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import project_platform
from codegen.__main__ import pages
from codegen.generate import DOCUMENT
from project_platform import PlatformError, RetryPolicy, Timeout, errors
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


@pytest.mark.parametrize(("path", "text"), [pytest.param(*page, id=page[0].name) for page in pages().items()])
def test_generated_pages_are_current(path, text):
    """Pages, tables and enumerations are those that the generator writes for the current `openapi.yaml` and rules."""
    assert path.read_text("utf-8") == text


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


def test_the_overview_lists_every_operation():
    """The table on the first page has each operation with its summary."""
    table = rows(DOCS / "index.md", "Method", "Description")

    scopes = {True: "project", False: "client"}
    expected = {
        f"{scopes['{projectId}' in path]}.{method(op)}": [op["summary"]]
        for path, item in CONTRACT["paths"].items()
        for op in item.values()
    }
    assert table == expected


def test_the_error_tree_matches_the_code():
    """The tree in `errors.md` has every public error under its base class."""
    text = (DOCS / "errors.md").read_text("utf-8")
    shown: dict[str, str] = {}
    above: list[str] = []
    for line in text.partition("```text\n")[2].partition("```")[0].splitlines():
        drawn, name = re.match(r"([│├└─ ]*)(\w+)", line).groups()  # type: ignore[union-attr]  # every line has a name
        above = [*above[: len(drawn) // 4], name]
        shown[name] = above[-2] if len(above) > 1 else ""
    public = {name for name in project_platform.__all__ if is_error(getattr(project_platform, name))}

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
    """The table of arguments has the environment variables and the default values of the configuration."""
    table = rows(DOCS / "guides/configuration.md", "Argument", "Environment", "Default")

    assert table["base_url"][0] == configuration.BASE_URL_VARIABLE
    assert table["token"][0] == configuration.TOKEN_VARIABLE
    assert table["project_id"][0] == configuration.PROJECT_VARIABLE
    assert (
        table["timeout"][1]
        == f"{Timeout().connect:.0f} s to connect, {Timeout().read:.0f} s for each step of the response"
    )
    assert (RetryPolicy().max_attempts, RetryPolicy().deadline) == (3, 120), "three attempts, two minutes in all"
    assert RetryPolicy().max_retry_after == 60, "a minute"


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
    block = (DOCS / "architecture.md").read_text("utf-8").partition(section)[2].split("```")[1]
    shown = [line[:47].strip() for line in block.splitlines()[1:] if line.strip()]

    # A layer that is too long for its column continues on the next line.
    assert " ".join(shown) == " ".join(checked)


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
        assert not anchor or anchor in anchors(path), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, computed from their text."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}
