"""What the tests share: `pytester`, which runs pytest on test modules that a test writes, and the order of the modules."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

pytest_plugins = ["pytester"]

_TESTS: Final = Path(__file__).parent
# A module is run by one process: if one of these were the last to begin, the other processes would wait for it.
_LONG: Final = frozenset({
    "contract/second/test_mutants.py",
    "contract/suite/test_mutations.py",
    "contract/healthy/test_faulty_network.py",
    "contract/healthy/test_shared_things.py",
    "contract/rules/test_rules.py",
    "contract/test_cli.py",
    "truth/test_wire.py",
    "truth/test_truth.py",
    "docs/test_code_blocks.py",
    "docs/test_site_in_a_browser.py",
})  # fmt: skip


# Folders whose tests depend on no version of Python: they judge services and documents. Those that run the packages stay.
_ONE_PYTHON: Final = ("benchmarks", "codegen", "contract/healthy", "contract/run", "contract/second", "contract/suite", "docs")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take minutes, and mark those that run on one Python."""
    for item in items:
        if item.path.is_relative_to(_TESTS) and item.path.relative_to(_TESTS).as_posix().startswith(_ONE_PYTHON):
            item.add_marker(pytest.mark.one_python)
    items.sort(
        key=lambda item: not (item.path.is_relative_to(_TESTS) and item.path.relative_to(_TESTS).as_posix() in _LONG)
    )
