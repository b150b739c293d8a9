"""What is under `/_stub/`: JSON routes that make and change worlds, and a page to look at them.

A request passes the gate (who may do this), finds its route, and is answered by a function of one of these modules.
"""

from __future__ import annotations

from .admin import Admin

__all__ = ["Admin"]
