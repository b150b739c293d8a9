"""The packages as their sources state them: signatures, annotations and docstrings, without an import."""

from __future__ import annotations

import functools

import griffe

from .generate import ROOT, hand_written


@functools.cache
def package(name: str) -> griffe.Object:
    """Return a package of the repository."""
    loaded = griffe.load(name, search_paths=[ROOT / "sdk", ROOT / "server_stub"], resolve_aliases=True)
    assert isinstance(loaded, griffe.Object)
    return loaded


def resource_class(resource: str) -> str:
    """Return the dotted name of the class of a resource, below `project_platform`."""
    module = f"{resource}.resource" if resource in hand_written() else f"_generated.resources.{resource}"
    return f"{module}.{''.join(map(str.capitalize, resource.split('_')))}Resource"


def method(resource: str, name: str) -> griffe.Function:
    """Return a method of a resource, which may be inherited."""
    found = package("project_platform")[resource_class(resource)].all_members[name]
    target = found.final_target if isinstance(found, griffe.Alias) else found
    assert isinstance(target, griffe.Function)
    return target
