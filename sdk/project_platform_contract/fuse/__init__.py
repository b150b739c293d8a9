"""The fuse: the last check of a request before it is sent, and the ledger of what a run creates."""

from __future__ import annotations

from .fuse import Fuse
from .limits import BlockedError, Limits
from .transport import FusedAsyncTransport, FusedTransport

__all__ = ["BlockedError", "Fuse", "FusedAsyncTransport", "FusedTransport", "Limits"]
