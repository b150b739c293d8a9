"""What the plugin and its fixtures keep with pytest's own things."""

from __future__ import annotations

import pytest

from project_platform_contract.reports.redaction import Redactor

from .api import Exchange, Nonconformity

EXCHANGES = pytest.StashKey[list[Exchange]]()
"""Of a test: its requests with their answers."""

NONCONFORMITIES = pytest.StashKey[list[Nonconformity]]()
"""Of a test: answers that differ from the contract."""

REDACT = pytest.StashKey[Redactor]()
"""Of a run: what takes credentials out of texts."""
