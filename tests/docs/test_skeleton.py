"""Each guide has the parts that a reader looks for, in the same order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import project_platform

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = [DOCS / "quickstart.md", *sorted(DOCS.glob("guides/*.md")), *sorted(DOCS.glob("run/*.md"))]
# Pages whose first program is the same under `AsyncClient`, or that have none: commands, files, tests, and bulk runs by executors.
WITHOUT_TABS = {
    "bulk-on-a-cluster", "container", "contract", "contract-in-ci", "network", "profiles", "pytest", "quickstart", "recipes",
    "shell", "stub-admin", "stub-state", "world-files",
}  # fmt: skip
ERRORS = {name for name in project_platform.__all__ if name.endswith("Error")}


def section(page: Path, title: str) -> str:
    """Return the text of a section, without its title."""
    return page.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_has_lead_what_can_go_wrong_and_see_also(page: Path) -> None:
    """The lead is the first paragraph and has at most three sentences; the two sections are the last ones."""
    text = page.read_text("utf-8")
    _, _, rest = text.partition("\n\n")
    lead = re.match(r"(?s)(?P<lead>(?:(?!\n\n).)+)\n\{ \.lead \}\n", rest)
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert lead is not None
    assert len(re.findall(r"\.(?:\s|$)", lead["lead"])) <= 3
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
