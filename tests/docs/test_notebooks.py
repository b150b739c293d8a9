"""The notebooks of the documentation run, and their pages show what they print."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from codegen import notebooks

BOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
PROGRESS = {"import": ["4 rows: 3 yes, 1 no; 0 in flight, "]}
SPEED = re.compile(r"[\d,]+/s, [\d.]+ s\b")
MACHINE = re.compile(r"/(?:tmp|work|home|root|Users)/|site-packages")


def outputs(notebook: dict[str, Any]) -> list[list[tuple[str, list[str]]]]:
    """Return the kinds of the outputs of each code cell; values such as identifiers differ in each run."""
    return [
        [(output["output_type"], sorted(output.get("data", {}))) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def progress(notebook: dict[str, Any]) -> list[str]:
    """Return the last progress line of each bulk run, without rate and duration."""
    return [
        SPEED.sub("", text)
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if output["output_type"] == "display_data" and SPEED.search(text := output["data"]["text/plain"])
    ]


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of the kernel's manager
def test_a_notebook_runs_and_has_its_outputs(path, workplace):
    """From top to bottom, without a service; the stored outputs are of the same kinds."""
    for package in ("nbclient", "ipykernel", "matplotlib", "pandas", "polars", "pyarrow", "duckdb", "pypdfium2"):
        pytest.importorskip(package, reason=f"{package} is not installed")

    executed = notebooks.execute(path)

    stored = json.loads(path.read_text("utf-8"))
    assert outputs(executed) == outputs(stored)
    assert progress(executed) == progress(stored) == PROGRESS.get(path.stem, [])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of the kernel's manager
def test_a_notebook_calls_the_service_in_the_environment(service):
    """The first one, with the address, the token and the project that the environment names."""
    for package in ("nbclient", "ipykernel", "pandas", "polars", "pyarrow", "pypdfium2"):
        pytest.importorskip(package, reason=f"{package} is not installed")

    notebooks.execute(notebooks.FOLDER / "first_steps.ipynb")

    assert {entry.operation for entry in service.world.journal} >= {"agents_list", "labels_export"}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_the_outputs_have_no_credential_and_no_path(path):
    """They were made on a machine, with tokens of a stub server."""
    text = path.read_text("utf-8")

    assert "eyJ" not in re.sub(r'"image/png": "[^"]*"|base64,[^"\\]*', "", text)
    assert MACHINE.findall(text) == []
