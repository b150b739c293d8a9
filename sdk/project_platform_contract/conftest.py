"""Loads the plugin for `pytest --pyargs project_platform_contract`."""

from __future__ import annotations

pytest_plugins = ("project_platform_contract.run.plugin",)
