"""Whether SQLite would lose commits of a write-ahead log because it is damaged.

Recovery takes the frames of the log up to the first that is not whole, and drops the rest without a word. That is right
for the frame that was being written when the process was killed, which is the last one. Where a whole commit follows, it
had been told as done, and something else has broken the log.

The format: https://www.sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

_HEADER = 32  # Bytes
_FRAME_HEADER = 24
_MAGIC = (0x377F0682, 0x377F0683)  # The last bit says in which order of bytes checksums are taken.


def check_log(log: Path) -> None:
    """Fail if recovery would drop a commit of a log that had been told as done.

    Raises:
        ValueError: A whole commit follows something that is not whole.
    """
    content = log.read_bytes()
    if len(content) <= _HEADER + _FRAME_HEADER:
        return
    magic, page_size = _number(content, 0), _number(content, 8)
    if magic not in _MAGIC or _sums(content[:24], magic, (0, 0)) != _pair(content, 24):
        raise ValueError(f"the beginning of {log.name} is broken")
    salt, before, whole = content[16:24], _pair(content, 24), True
    size = _FRAME_HEADER + page_size
    for start in range(_HEADER, len(content) - size + 1, size):
        stated = _pair(content, start + 16)
        # Frames of another salt are of the log's earlier rounds.
        if content[start + 8 : start + 16] == salt:
            checked = _sums(content[start : start + 8], magic, before)
            checked = _sums(content[start + _FRAME_HEADER : start + size], magic, checked)
            is_commit = _number(content, start + 4) != 0
            if checked == stated and is_commit and not whole:
                raise ValueError(f"{log.name} is broken in the middle")
            whole = whole and checked == stated
        else:
            whole = False
        before = stated


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "big")


def _pair(content: bytes, at: int) -> tuple[int, int]:
    return _number(content, at), _number(content, at + 4)


def _sums(content: bytes, magic: int, before: tuple[int, int]) -> tuple[int, int]:
    words = array("I", content)
    if (magic & 1 == 1) != (sys.byteorder == "big"):
        words.byteswap()
    first, second = before
    pairs = iter(words)
    for one, other in zip(pairs, pairs, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
