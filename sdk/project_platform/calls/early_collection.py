"""Garbage collection before a large response is read, so that the response does not age into the oldest generation.

Reading a page of 100 items creates some 1,400 objects that the collector tracks, enough for two collections of the youngest
generation. Every few pages the middle generation is due as well: it finds the page alive and moves it to the oldest
generation, and after ten of these the whole heap is traversed, which takes tens of milliseconds. If the two young
generations are collected just before, nothing of the page before is left, and the next one is short-lived.

Neither thresholds nor the collector's state are changed, and nothing is done where the collector is disabled.
"""

from __future__ import annotations

import gc
import sys
from typing import Final

LARGE: Final = 16 * 1024  # bytes; a smaller response creates fewer objects than the default threshold of 700
_BYTES_PER_OBJECT: Final = 32  # of JSON, for each object that the collector tracks; measured with pages of agents
_MIDDLE: Final = 1  # the middle generation; collecting it collects the youngest one, too

# 3.13 gains nothing from it, 3.14 has another collector, and other implementations have other generations.
HELPS: Final = sys.implementation.name == "cpython" and sys.version_info < (3, 13)


def collect_before(size: int) -> None:
    """Collect the two young generations if reading a response would make the middle one due.

    Args:
        size: Number of bytes of the response's body.
    """
    if not HELPS or size < LARGE or not gc.isenabled():
        return
    if middle_is_due(size, gc.get_count(), gc.get_threshold()):
        gc.collect(_MIDDLE)


def middle_is_due(size: int, count: tuple[int, int, int], threshold: tuple[int, int, int]) -> bool:
    """Return whether reading a response leads to a collection of the middle generation.

    Args:
        size: Number of bytes of the response's body.
        count: Objects since the last collection of the youngest generation, its collections since the last one of the
            middle generation, and the collections of that one since the last full one (`gc.get_count`).
        threshold: The numbers beyond which a generation is collected (`gc.get_threshold`); 0 is never.
    """
    if not threshold[0]:
        return False
    collections = (count[0] + size // _BYTES_PER_OBJECT) // threshold[0]
    return count[1] + collections > threshold[1]
