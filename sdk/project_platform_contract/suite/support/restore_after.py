"""The type of the fixture that restores what a test of several operations changes."""

from __future__ import annotations

from collections.abc import Callable

RestoreAfter = Callable[[str], None]
"""Call it before requests of an operation that may change what the run did not create; it is restored after the test."""
