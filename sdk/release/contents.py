"""What a wheel and a source distribution may contain, and what their metadata must state."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Collection, Iterator
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

PACKAGES: Final = {"project_platform", "project_platform_contract", "project_platform_pytest", "project_platform_stub"}

# Decision 0046: above this size, the distribution is split.
LARGEST_WHEEL: Final = 2_000_000

_LINK = re.compile(
    r"\]\((?P<inline>[^)\s]+)|^\[[^\]]+\]:\s*(?P<defined>\S+)|(?:href|src)=[\"'](?P<html>[^\"']+)", re.MULTILINE
)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def wheel_problems(wheel: Path) -> Iterator[str]:
    """Yield a line for each file that a wheel must not contain, and for each gap in its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(path).decode())
    for name in names:
        top = name.partition("/")[0]
        if top not in PACKAGES and not top.endswith(".dist-info"):
            yield f"{name}: not in a package of the distribution"
        if name.endswith(".lock") or {"tests", "benchmarks"} & set(name.split("/")):
            yield f"{name}: tests, benchmarks and locks are not shipped"
    for package in sorted(PACKAGES):
        if f"{package}/py.typed" not in names:
            yield f"{package}: py.typed is missing"
    if wheel.stat().st_size > LARGEST_WHEEL:
        yield f"{wheel.name}: larger than {LARGEST_WHEEL} bytes, read decision 0046"
    yield from metadata_problems(metadata, names)


def metadata_problems(metadata: Message, names: Collection[str]) -> Iterator[str]:
    """Yield a line for each gap in the metadata of a wheel.

    Args:
        metadata: Its core metadata.
        names: Names of the files in the wheel.
    """
    for field in ("Author", "License-Expression", "Requires-Python", "Summary"):
        if not metadata[field]:
            yield f"metadata: {field} is missing"
    if "Typing :: Typed" not in metadata.get_all("Classifier", []):
        yield "metadata: the classifier Typing :: Typed is missing"
    files = metadata.get_all("License-File", [])
    if not files:
        yield "metadata: License-File is missing"
    for file in files:
        if not any(name.endswith(f".dist-info/licenses/{file}") for name in names):
            yield f"metadata: the licence file {file} is not in the wheel"
    for url in metadata.get_all("Project-URL", []):
        if not re.fullmatch(r"\w+, https://\S+[^/]", url):
            yield f"metadata: not an address: {url}"
    for link in relative_links(str(metadata.get_payload())):
        yield f"README: the link to {link} is dead outside of the repository"


def relative_links(text: str) -> list[str]:
    """Return the targets of the links in a Markdown text that work in the repository only."""
    links = (match["inline"] or match["defined"] or match["html"] for match in _LINK.finditer(_CODE.sub("", text)))
    return [link for link in links if not re.match(r"(https?|mailto):", link)]


def sdist_problems(sdist: Path) -> Iterator[str]:
    """Yield a line for each file that a source distribution must not contain, and for each that it lacks."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in sorted(names):
        if name.endswith(".lock") or (name.startswith(("benchmarks/", ".")) and name != ".gitignore"):
            yield f"{name}: locks, benchmarks and hidden files are not part of the source distribution"
    for name in ("CHANGELOG.md", "LICENSE", "README.md", "openapi.yaml", "pyproject.toml", "sdk/release/metadata.py"):
        if name not in names:
            yield f"{name} is missing in the source distribution"
