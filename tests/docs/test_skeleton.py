"""Each guide has the parts that a reader looks for, in the same order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import project_platform

from .test_code_blocks import PAGES, ROOT, blocks

DOCS = Path(__file__).parents[2] / "docs"
TOP = [DOCS / f"{name}.md" for name in ("quickstart", "writes", "errors")]
GUIDES = [*TOP, *sorted(DOCS.glob("guides/*.md")), *sorted(DOCS.glob("run/*.md"))]
# The landing page has its lead beside the title; a decision begins with what users see; the other two are files of the root.
WITHOUT_LEAD = {DOCS / "index.md", DOCS / "changelog.md", DOCS / "contributing.md", *DOCS.glob("decisions/[0-9]*.md")}
LED = [path for path in sorted(DOCS.rglob("*.md")) if path not in WITHOUT_LEAD]
# Pages whose first program is the same under `AsyncClient`, or that have none: commands, files, tests, and bulk runs by executors.
WITHOUT_TABS = {
    "bulk-on-a-cluster", "container", "contract", "contract-in-ci", "errors", "network", "profiles", "pytest", "quickstart", "recipes",
    "shell", "stub-admin", "stub-state", "world-files", "writes",
}  # fmt: skip
ERRORS = {name for name in dir(project_platform) if name.endswith("Error")}


def section(page: Path, title: str) -> str:
    """Return the text of a section, without its title."""
    return page.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("page", LED, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_begins_with_a_lead(page: Path) -> None:
    """The lead is the first paragraph below the title and has at most three sentences."""
    _, _, rest = re.sub(r"(?s)\A---\n.*?\n---\n", "", page.read_text("utf-8")).partition("# ")
    lead = re.match(r"(?s)[^\n]+\n\n(?P<lead>(?:(?!\n\n).)+)\n\{ \.lead \}\n", rest)

    assert lead is not None
    assert len(re.findall(r"\.(?:\s|$)", lead["lead"])) <= 3


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_ends_with_what_can_go_wrong_and_see_also(page: Path) -> None:
    """They are the last two sections: a table, and a list of links."""
    titles = re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)

    assert titles[-2:] == ["What can go wrong", "See also"]
    assert "\n|---|" in section(page, "What can go wrong")
    assert re.search(r"^- \[", section(page, "See also"), re.MULTILINE)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_that_names_errors_links_to_the_catalogue(page: Path) -> None:
    """The catalogue has the errors that the guide leaves out, and what to do."""
    wrong = section(page, "What can go wrong")

    if ERRORS & set(re.findall(r"`(\w+Error)`", wrong)):
        assert "reference/error-catalogue.md" in wrong


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_has_tabs_where_the_asynchronous_code_differs(page: Path) -> None:
    """The pages without tabs are listed, and none of them has any."""
    tabs = re.findall(r'^=== "(\w+)"$', page.read_text("utf-8"), re.MULTILINE)

    assert set(tabs) >= {"Sync", "Async"} if page.stem not in WITHOUT_TABS else tabs == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_an_output_has_a_title(page: Path) -> None:
    """A reader sees which blocks are printed by the program above them."""
    shown = page.read_text("utf-8").splitlines()
    outputs = [output for block in blocks(page) if (output := block.output) is not None]
    titled = [block.text for block in blocks(page) if shown[block.line - 1].strip() == '```text title="Output"']

    assert [output for output in outputs if output not in titled] == []


def test_the_index_of_the_reference_lists_every_page_of_the_section() -> None:
    """A page of a single operation is on the index of the operations."""
    pages = [path.name for path in (DOCS / "reference").glob("*.md") if path.name != "index.md"]
    index = (DOCS / "reference/index.md").read_text("utf-8")

    assert [name for name in [*pages, "operations/index.md"] if f"]({name})" not in index] == []
