"""The part of the metadata that depends on addresses: project URLs and the links of the README. The build runs it.

It is loaded by its path, also in an unpacked source distribution, so it imports nothing of this repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Files that the documentation leaves out: `exclude_docs` in mkdocs.yml.
_NOT_PAGES = ("docs/architecture.md", "docs/decisions/")
_FENCED = re.compile(r"^(```.*?^```)$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?P<target>[^)\s]+)\)")


class AddressedMetadata(MetadataHookInterface):
    """Adds the README and the project URLs, with the addresses in `pyproject.toml`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `readme` and `urls`."""
        repository, documentation = self.config["repository"], self.config["documentation"]
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["urls"] = urls(repository, documentation)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(readme, repository, documentation, metadata["version"]),
        }


def urls(repository: str, documentation: str) -> dict[str, str]:
    """Return the project URLs that follow from the two addresses; an empty address has none."""
    found = {}
    if documentation:
        found["Documentation"] = documentation
        found["Changelog"] = f"{documentation}/changelog.html"
    if repository:
        found["Source"] = repository
        found["Issues"] = f"{repository}/issues"
    return found


def address_problems(repository: str, documentation: str) -> Iterator[str]:
    """Yield the gaps of a release: without both addresses it would have no project URLs, and a README without links."""
    meanings = {
        "repository": (repository, "the address of the repository on a forge"),
        "documentation": (documentation, "the address at which `make docs` is published"),
    }
    for name, (address, meaning) in meanings.items():
        if not address:
            yield f"{name} is empty; set it to {meaning}"
        elif not address.startswith("https://") or address.endswith("/"):
            yield f"{name} is {address!r}; it must begin with https:// and have no slash at its end"


def with_absolute_links(text: str, repository: str, documentation: str, version: str) -> str:
    """Return a Markdown text whose links work outside of the repository.

    Args:
        text: The README.
        repository: Address of the repository; if it is empty, links to its files become plain text, and images are removed.
        documentation: Address of the documentation; if it is empty, links to its pages go to the repository.
        version: Version of the distribution; links to the repository go to its tag.
    """

    def address(target: str, *, image: bool) -> str | None:
        path, _, anchor = target.partition("#")
        anchor = f"#{anchor}" if anchor else ""
        if documentation and path.startswith("docs/") and path.endswith(".md") and not path.startswith(_NOT_PAGES):
            return f"{documentation}/{path.removeprefix('docs/').removesuffix('.md')}.html{anchor}"
        if repository:
            return f"{repository}/{'raw' if image else 'blob'}/v{version}/{path or 'README.md'}{anchor}"
        return None

    def replaced(link: re.Match[str]) -> str:
        shown = _LINK.sub(replaced, link["text"])  # an image may be the text of a link
        if "://" in link["target"]:
            return f"{link['image']}[{shown}]({link['target']})"
        target = address(link["target"], image=bool(link["image"]))
        if target is None:
            return "" if link["image"] else shown
        return f"{link['image']}[{shown}]({target})"

    parts = _FENCED.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(replaced, part) for part in parts)
