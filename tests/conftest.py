"""The parts that the tests share: `pytester`, the order of the modules, and the seed of the samples of broken services."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path
from typing import Final

import pytest

pytest_plugins = ["pytester"]

_TESTS: Final = Path(__file__).parent
# A module is run by one process: if one of these were the last to begin, the other processes would wait for it.
_LONG: Final = frozenset({
    "contract/second/test_mutants.py",
    "contract/healthy/test_faulty_network.py",
    "contract/healthy/test_shared_things.py",
    "contract/rules/test_rules.py",
    "contract/test_cli.py",
    "truth/test_wire.py",
    "truth/test_settling.py",
    "docs/test_code_blocks.py",
    "docs/test_site_in_a_browser.py",
    "sdk/transports/test_deadline.py",
})  # fmt: skip


# What judges services, documents, types and builds, and what computes without input or output, depends on no version of Python. What runs the
# packages stays, and one module of each kind of the others: the command of the contract suite, the installed wheel, the truth over sockets.
_EACH_PYTHON: Final = ("contract/test_cli.py", "packaging/test_wheel.py", "truth/test_wire.py")
_ONE_PYTHON: Final = (
    "benchmarks",
    "codegen",
    "contract",
    "docs",
    "packaging",
    "properties",
    "stub/admin/browser",
    "stub/fuzzing",
    "test_type_checkers.py",
    "truth",
)


@cache
def _name(path: Path) -> str:
    """Return the path of a module from this folder; empty for a module of another folder."""
    return path.relative_to(_TESTS).as_posix() if path.is_relative_to(_TESTS) else ""


def _runs_once(path: Path) -> bool:
    """Return whether the tests of a module are run on one Python."""
    name = _name(path)
    return name.startswith(_ONE_PYTHON) and name not in _EACH_PYTHON


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import the modules that run on one Python where they are not wanted: each process would."""
    wanted = config.option.markexpr != "not one_python"
    needed = any(_TESTS.joinpath(name).is_relative_to(collection_path) for name in _EACH_PYTHON)
    return None if wanted or needed or not _runs_once(collection_path) else True


def pytest_configure() -> None:
    """Draw the seed of the samples of broken services, unless the variable `MUTANTS_SEED` states it; workers inherit it."""
    os.environ.setdefault("MUTANTS_SEED", str(random.SystemRandom().randrange(10**6)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed."""
    terminalreporter.write_line(f"MUTANTS_SEED={os.environ['MUTANTS_SEED']}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take minutes, and mark those that run on one Python."""
    for item in items:
        if _runs_once(item.path):
            item.add_marker(pytest.mark.one_python)
    items.sort(key=lambda item: _name(item.path) not in _LONG)
