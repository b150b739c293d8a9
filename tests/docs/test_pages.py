"""Statements about the code on the pages match the code."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import project_platform
from codegen.generate import DOCUMENT
from project_platform import Client, PlatformError, RetryPolicy, Timeout, errors
from project_platform.calls import configuration

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ASSUMPTIONS = DOCS / "assumptions.md"
CONTRACT: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
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


def test_the_error_catalogue_has_every_error_and_every_code_of_the_stub():
    """A code that ends with `_not_found` needs no row."""
    text = (DOCS / "reference/error-catalogue.md").read_text("utf-8")
    folder = ROOT / "server_stub/project_platform_stub"
    sources = [
        path.read_text("utf-8") for part in ("http", "dispatch", "operations") for path in (folder / part).rglob("*.py")
    ]
    raised = re.compile(r'\b(?:ApiError|not_found|forbidden|conflict)\(.*?,\s*"([a-z_]+)"[,)]')
    codes = {code for source in sources for code in raised.findall(source)}
    public = {name for name in project_platform.__all__ if is_error(getattr(project_platform, name))}

    assert {"slot_taken", "invalid_request", "permission_denied"} <= codes
    assert [code for code in codes if f"| `{code}` |" not in text and not code.endswith("_not_found")] == []
    assert [name for name in public if f"| [`{name}`](errors.md#project_platform.{name}) |" not in text] == []


def is_error(value: object) -> bool:
    """Return whether a public name is one of the errors."""
    return isinstance(value, type) and issubclass(value, PlatformError)


def test_the_environment_variables_match_the_code():
    """The table of arguments has the environment variables that the configuration reads."""
    header = ("Argument", "Variable", "Profile key", "Default", "Unit or type")
    table = rows(DOCS / "guides/configuration.md", *header)

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
    text = (DOCS / "guides/configuration.md").read_text("utf-8")
    title = "## Every setting" if settings is Client else f"### `{settings.__name__}`"
    section = re.split(r"\n##+ ", text.partition(title)[2])[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    shown = {row[0].strip("`"): row[-2] for row in cells}
    parameters = inspect.signature(settings).parameters

    assert list(shown) == list(parameters)
    for name, parameter in parameters.items():
        if shown[name].startswith("`"):
            assert shown[name] == f"`{parameter.default!r}`"


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
