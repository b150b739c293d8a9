"""A copy of the contract to change, and a folder to generate into."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.generate import DOCUMENT, generate


@pytest.fixture(scope="session")
def contract() -> dict[str, Any]:
    return yaml.safe_load(DOCUMENT.read_text("utf-8"))


@pytest.fixture
def document(contract: dict[str, Any]) -> dict[str, Any]:
    """A copy of the contract that a test may change."""
    return copy.deepcopy(contract)


@pytest.fixture
def generated(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Return a function that generates from a document and returns the folder."""

    def generated(document: dict[str, Any]) -> Path:
        written = tmp_path / "openapi.yaml"
        written.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
        generate(written, tmp_path / "package")
        return tmp_path / "package/_generated"

    return generated
