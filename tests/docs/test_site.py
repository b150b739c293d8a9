"""The documentation builds without a warning, is complete, and loads nothing from other sites."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import zlib
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import project_platform
import project_platform.models
import project_platform_stub
from project_platform.calls.resource import Resource
from project_platform.version import VERSION
from project_platform_stub import faults

# Elements whose targets a browser loads automatically, unlike links.
FETCHED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\bhref=\"([^\"]+)\"")


def test_nothing_is_loaded_from_other_sites(site):
    """A page of the documentation loads fonts, scripts and styles from its own site only."""
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


def test_each_page_states_the_version_and_the_date(site):
    """In the footer."""
    stated = re.compile(rf"project-platform {re.escape(VERSION)}, \d{{4}}-\d\d-\d\d")
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]

    assert [page for page in pages if not stated.search(page.read_text("utf-8"))] == []


def documented(site: Path) -> set[str]:
    """Return the names in the inventory of the site."""
    header, _, rest = (site / "objects.inv").read_bytes().partition(b"zlib.\n")
    assert header.startswith(b"# Sphinx inventory version 2")
    return {line.split(" ")[0] for line in zlib.decompress(rest).decode().splitlines()}


@pytest.mark.parametrize("package", [project_platform, project_platform.models, project_platform_stub])
def test_every_public_name_is_in_the_reference(site, package):
    """Each name in `__all__` of a public module is in the reference."""
    names = {name for name in package.__all__ if not isinstance(getattr(package, name), ModuleType)}

    assert names - {name.removeprefix(f"{package.__name__}.") for name in documented(site)} == set()


def test_every_fault_is_in_the_reference(site):
    """Each function of the public module `faults` is in the reference."""
    functions = {f"{faults.__name__}.{name}" for name, value in vars(faults).items() if is_fault_function(value)}

    assert len(functions) == 12
    assert functions - documented(site) == set()


def is_fault_function(value: object) -> bool:
    """Return whether a value is one of the functions of `faults`."""
    return isinstance(value, FunctionType) and value.__module__.startswith(faults.__name__)


def resources() -> dict[str, type]:
    """Return the synchronous resource classes by module name; a hand-written class replaces the generated one."""
    found: dict[str, type] = {}
    generated = "project_platform._generated.resources"
    for info in pkgutil.iter_modules(importlib.import_module(generated).__path__):
        hand_written = f"project_platform.{info.name}.resource"
        name = hand_written if importlib.util.find_spec(f"project_platform.{info.name}") else f"{generated}.{info.name}"
        module = importlib.import_module(name)
        found.update((info.name, value) for value in vars(module).values() if is_resource(value, module))
    return found


def is_resource(value: object, module: ModuleType) -> bool:
    """Return whether a value is the synchronous resource class that a module defines."""
    return isinstance(value, type) and value.__module__ == module.__name__ and issubclass(value, Resource)


def test_every_method_is_in_the_reference(site):
    """Each method of each resource is in the reference, including inherited methods."""
    methods = {
        f"{cls.__module__}.{cls.__qualname__}.{name}"
        for cls in resources().values()
        for name in dir(cls)
        if not name.startswith("_")
    }

    assert len(methods) >= len(project_platform.operations.__all__)
    assert methods - documented(site) == set()
