"""Without OpenTelemetry, the SDK works, and its listener names the extra."""

from __future__ import annotations

import sys

import pytest


def test_the_listener_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "project_platform.otel", raising=False)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'project-platform\[otel\]'"):
        import project_platform.otel  # noqa: F401
