"""Packages that only some functions need, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import UsageError


def is_installed(package: str) -> bool:
    """Return whether a package can be imported."""
    return find_spec(package) is not None


def load(purpose: str, *packages: str, extra: str | None = None) -> Any:
    """Return the first of these packages, all of which are needed. Few of them have types.

    Args:
        purpose: The feature that needs them, for the message.
        packages: Names that are the same for import and for pip.
        extra: The extra that installs them; None if there is none.

    Raises:
        UsageError: A package is not installed.
    """
    missing = [package for package in packages if not is_installed(package)]
    if missing:
        install = f"'project-platform[{extra}]'" if extra else " ".join(missing)
        raise UsageError(f"{purpose} needs {' and '.join(missing)}: pip install {install}")
    return import_module(packages[0])
