"""Loads the plugin for `pytest --pyargs project_platform_contract`.

pytest imports this module in every run, and the suite needs packages that may not be installed, so this module imports
nothing else.
"""

from __future__ import annotations

from typing import Any


def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> None:
    """Load the plugin before the options are read."""
    if any(argument.partition(".")[0] == "project_platform_contract" for argument in args):
        early_config.pluginmanager.import_plugin("project_platform_contract.run.plugin")
