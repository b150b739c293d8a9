"""Generators that do not know the marks can read the contract."""

from __future__ import annotations

import subprocess
import sys

from codegen.generate import DOCUMENT


def test_the_stock_client_generator_reads_every_operation(contract, tmp_path):
    """`openapi-python-client generate` writes a module for each operation; it only warns about the PDF of the label export."""
    generated = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
            *("--path", str(DOCUMENT), "--output-path", str(tmp_path / "client")),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "COLUMNS": "200"},  # without a formatter, which it searches on the PATH
    )

    operations = {node["operationId"] for item in contract["paths"].values() for node in item.values()}
    modules = {path.stem for path in (tmp_path / "client/api").rglob("*.py")} - {"__init__"}
    assert modules == operations
    warnings = [line for line in generated.stdout.splitlines() if line.startswith("WARNING")]
    assert [line for line in warnings if "label-export" not in line and "not in PATH" not in line] == []
