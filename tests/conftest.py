"""What the tests share: `pytester`, which runs pytest on test modules that a test writes."""

from __future__ import annotations

pytest_plugins = ["pytester"]
