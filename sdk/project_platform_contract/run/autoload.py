"""Loads the plugin when pytest is told to run the suite: `pytest --pyargs project_platform_contract`.

pytest loads this in every run, and the suite needs packages that not everybody has: nothing is imported here.
"""

from __future__ import annotations

from typing import Any


def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> None:
    """Load the plugin before the options are read."""
    if any(argument.partition(".")[0] == "project_platform_contract" for argument in args):
        early_config.pluginmanager.import_plugin("project_platform_contract.run.plugin")
