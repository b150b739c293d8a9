"""Compares the public API with that of the last release, for semantic versions."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from .tools import ReleaseError, run

if TYPE_CHECKING:
    import griffe

    Tree: TypeAlias = griffe.Object | griffe.Alias

# Modules that nothing imports by name, whose classes users see: as attributes of a client, and through `models`.
_SEEN: Final = ("_generated.models", "_generated.resources", "_generated.scopes", "records", "calendar", "labels")

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def compare(root: Path) -> str:
    """Return the changes since the last tag.

    A change that breaks callers needs a new minor version before 1.0, and a new major version from then on.

    Raises:
        ReleaseError: The version does not allow the changes.
    """
    tags = run("git", "tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort=-version:refname", cwd=root).split()
    if not tags:
        return "There is no tag of a release to compare with."
    changes = breaking_changes(root, tags[0])
    if not changes:
        return f"No change since {tags[0]} breaks callers."
    listed = "\n".join(changes)
    version: str = runpy.run_path(str(root / "sdk/project_platform/version.py"))["VERSION"]
    if not may_break(tags[0].removeprefix("v"), version):
        raise ReleaseError(f"{listed}\nThese changes since {tags[0]} need a version that may break callers.")
    return f"{listed}\nVersion {version} may break callers of {tags[0]}."


def breaking_changes(root: Path, tag: str) -> list[str]:
    """Return a line for each change of the SDK since a tag that breaks callers."""
    import griffe

    search = [root / "sdk"]
    old = griffe.load_git(
        "project_platform", ref=tag, repo=root, search_paths=["sdk"], resolve_aliases=True, allow_inspection=False
    )
    new = griffe.load("project_platform", search_paths=search, resolve_aliases=True, allow_inspection=False)
    style = griffe.ExplanationStyle.ONE_LINE
    found = {
        _COLOURS.sub("", change.explain(style)): None  # in this order, each once
        for before, after in _pairs(old, new)
        for change in griffe.find_breaking_changes(before, after)
    }
    return list(found)


def _pairs(old: Tree, new: Tree) -> Iterator[tuple[Tree, Tree]]:
    """Yield the package, and the modules that are compared besides, before and after."""
    yield old, new
    for name in _SEEN:
        try:
            before, after = old[name], new[name]
        except KeyError:  # a module of one of the versions; its public names are compared in the package
            continue
        yield from _modules(before, after)


def _modules(old: Tree, new: Tree) -> Iterator[tuple[Tree, Tree]]:
    yield old, new
    for name, module in old.modules.items():
        if name in new.modules:
            yield from _modules(module, new.modules[name])


def may_break(before: str, after: str) -> bool:
    """Return whether a version may contain changes that break callers of an earlier version."""
    old, new = (tuple(map(int, version.split(".")[:2])) for version in (before, after))
    return new[0] > old[0] or (new[0] == 0 and new > old)
