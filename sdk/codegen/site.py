"""A hook of MkDocs: a Markdown twin of each page, `llms.txt`, and the version and the date in the footer.

The twin of `guides/records.html` is `guides/records.md`: the text of the page with its includes and docstrings, for programs that
read Markdown.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import griffe
import markdown  # type: ignore[import-untyped]  # no types are installed
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from codegen.sources import package

ROOT: Final = Path(__file__).resolve().parents[2]
_DIRECTIVE: Final = re.compile(r"^::: (\S+)\n(?:    .*\n?)*", re.MULTILINE)
# What only the site understands: attributes of paragraphs, wrappers of tables, comments, embedded pictures.
_MARKUP: Final = re.compile(
    r"^</?div\b[^>]*>\n|^\{ [.#][\w-]+ \}\n|^<!-- .*? -->\n|<img [^>]*src=\"data:[^>]*>|<style.*?</style>",
    re.MULTILINE | re.DOTALL,
)
_LEAD: Final = re.compile(r"^# .+\n+((?:.+\n)+)", re.MULTILINE)
_pages: dict[str, tuple[str, str, str]] = {}  # title, description and text, by the path of the source


def on_config(config: MkDocsConfig) -> None:
    """State the version and the date of the last commit in the footer."""
    from project_platform.version import VERSION

    config.copyright = f"project-platform {VERSION}, {_date():%Y-%m-%d}"
    _pages.clear()


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Keep the text of a page."""
    options: dict[str, Any] = config.mdx_configs["pymdownx.snippets"]
    included = markdown.Markdown(extensions=["pymdownx.snippets"], extension_configs={"pymdownx.snippets": options})
    lines = included.preprocessors["snippet"].run(text.split("\n"))
    plain = _MARKUP.sub("", _DIRECTIVE.sub(lambda found: _documented(found[1]), "\n".join(lines) + "\n"))
    lead = _LEAD.search(plain)
    description = page.meta.get("description") or (" ".join(lead[1].split()) if lead else "")
    _pages[page.file.src_uri] = (str(page.title), description, plain)


def on_post_build(config: MkDocsConfig) -> None:
    """Write the twins, and `llms.txt` with a line for each in the order of the navigation."""
    site = Path(config.site_dir)
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]
    for section in config.nav or ():
        ((title, entries),) = section.items()
        lines += ["", f"## {title}", ""]
        for source in _sources(entries):
            name, description, text = _pages[source]
            (site / source).write_text(text, "utf-8")
            lines.append(f"- [{name}]({source}): {description}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")


def _sources(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    elif isinstance(entries, dict):
        for entry in entries.values():
            yield from _sources(entry)
    else:
        for entry in entries:
            yield from _sources(entry)


def _documented(name: str) -> str:
    """Return a public name with its signature, its docstring and its members, as Markdown."""
    root, _, path = name.partition(".")
    return "\n\n".join(_entries(package(root)[path], "###")) + "\n\n"


def _entries(found: griffe.Object | griffe.Alias, level: str) -> Iterator[str]:
    if isinstance(found, griffe.Alias):
        found = found.final_target
    signature = found.signature() if isinstance(found, griffe.Class | griffe.Function) else None
    annotation = f": {found.annotation}" if isinstance(found, griffe.Attribute) and found.annotation else ""
    yield f"{level} `{signature or found.name}{annotation}`"
    if found.docstring:
        yield found.docstring.value
    members = found.all_members if isinstance(found, griffe.Class) else found.members if found.is_module else {}
    for name, member in members.items():
        if not name.startswith("_") and (not found.is_module or name in (found.exports or ())):
            yield from _entries(member, level + "#" * (not found.is_module))


def _date() -> datetime:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        log = ["git", "log", "-1", "--format=%ct"]
        given = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False).stdout  # noqa: S603  # constant
    return datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC)
