"""Keys of the values that the plugin and its fixtures store in pytest's stashes."""

from __future__ import annotations

import pytest

from project_platform_contract.reports.redaction import Redactor

from .exchange import Exchange, Nonconformity

EXCHANGES = pytest.StashKey[list[Exchange]]()
"""Of a test: its requests with their responses."""

NONCONFORMITIES = pytest.StashKey[list[Nonconformity]]()
"""Of a test: responses that violate the contract."""

REDACT = pytest.StashKey[Redactor]()
"""Of the configuration: removes credentials from texts."""
