"""Lines on standard error, where a command writes its verdict; the exit status has it, too, and never depends on them."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import Final

# A service may send escape sequences for terminals.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def say(text: str) -> None:
    """Print a line without characters that control terminals, or nothing where standard error cannot be written.

    It may be closed, full, or a pipe whose reader has ended.
    """
    if sys.stderr is None:  # `print` would write to standard output instead, which has the result
        return
    with contextlib.suppress(OSError):
        print(_CONTROLS.sub("?", text), file=sys.stderr)
