"""The packages can be imported on systems on which the tests do not run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_every_module_can_be_imported_on_another_system(system):
    """No module needs `fcntl`, `os.fork`, `select.poll` or a signal of Linux at import."""
    program = Path(__file__).with_name("imported_elsewhere.py")
    done = subprocess.run([sys.executable, str(program), system], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 250
