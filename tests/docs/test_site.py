"""The documentation builds without a warning, is complete, and loads nothing from other sites."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from types import ModuleType

import pytest

import project_platform
import project_platform.models
import project_platform_stub

# Elements whose targets a browser loads automatically, unlike links.
FETCHED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\bhref=\"([^\"]+)\"")


def test_nothing_is_loaded_from_other_sites(site):
    pages = list(site.rglob("*.html"))
    fetched = {first or second for page in pages for first, second in FETCHED.findall(page.read_text("utf-8"))}

    assert pages
    assert {address for address in fetched if address.startswith(("http:", "https:", "//"))} == set()
    assert "fonts.g" not in "".join(page.read_text("utf-8") for page in pages)


def test_each_page_has_a_markdown_twin_that_the_index_for_programs_lists(site):
    """`llms.txt` has a link to each, in which includes and docstrings are expanded."""
    pages = {str(page.relative_to(site).with_suffix(".md")) for page in site.rglob("*.html")} - {"404.md"}
    listed = re.findall(r"^- \[.+?\]\((\S+)\): ", (site / "llms.txt").read_text("utf-8"), re.MULTILINE)

    assert sorted(listed) == sorted(pages)
    texts = {name: (site / name).read_text("utf-8") for name in listed}
    assert [name for name, text in texts.items() if "\n::: " in text or "--8<--" in text] == []
    assert "raises `OutcomeUnknownError`" in texts["reference/resources.md"]
    assert "#### `settle(" in texts["reference/clients.md"]


def documented(site: Path) -> set[str]:
    """Return the names in the inventory of the site."""
    header, _, rest = (site / "objects.inv").read_bytes().partition(b"zlib.\n")
    assert header.startswith(b"# Sphinx inventory version 2")
    return {line.split(" ")[0] for line in zlib.decompress(rest).decode().splitlines()}


@pytest.mark.parametrize("package", [project_platform, project_platform.models, project_platform_stub])
def test_every_public_name_is_in_the_reference(site, package):
    names = {name for name in package.__all__ if not isinstance(getattr(package, name), ModuleType)}

    assert names - {name.removeprefix(f"{package.__name__}.") for name in documented(site)} == set()
