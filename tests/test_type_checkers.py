"""The verdicts of four type checkers on programs that use the SDK, each in its strict mode (`pyproject.toml`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = [ROOT / "tests/typing/program.py", ROOT / "tests/typing/usage.py"]
MISTAKES = ROOT / "tests/typing/mistakes.py"
# The command of each, and the option that names the environment in which it finds the SDK's dependencies.
CHECKERS = {
    "mypy": ["--no-error-summary", "--python-executable"],
    "pyright": ["--pythonpath"],
    "ty": ["check", "--output-format=concise", "--python"],
    "pyrefly": ["check", "--config=pyproject.toml", "--output-format=min-text", "--python-interpreter-path"],
}
IGNORE = re.compile(r"  # type: ignore.*")


@pytest.fixture(scope="module", params=CHECKERS)
def said(request, tmp_path_factory):
    """The output of a checker for the programs, and for the mistakes without the comments that have them ignored."""
    bare = tmp_path_factory.mktemp("typing") / "bare_mistakes.py"
    bare.write_text(IGNORE.sub("", MISTAKES.read_text("utf-8")), "utf-8")
    command = [sys.executable, "-m", request.param, *CHECKERS[request.param], sys.executable, *PROGRAMS, bare]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_programs_are_clean(said):
    """Fields that answers are expected to have are not None to any checker."""
    assert [line for line in said.splitlines() if any(path.name in line for path in PROGRAMS)] == []


def test_mistakes_are_found(said):
    """Each checker finds an error in each line where there is one, and in no other."""
    planted = {number for number, line in enumerate(MISTAKES.read_text("utf-8").splitlines(), 1) if IGNORE.search(line)}

    assert len(planted) > 10
    assert {int(number) for number in re.findall(r"bare_mistakes\.py:(\d+):", said)} == planted
