"""A traceback that shows the lines of the caller, for notebooks."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Final

from .masking import without_credentials

_PACKAGE: Final = f"{Path(__file__).parent}{os.sep}"
_FRAMES: Final = 3  # lines of the caller
_CELL: Final = ("ipykernel_", "<ipython-input")
_ELSEWHERE: Final = ("/IPython/", "/ipykernel/", "/pydantic/", "/concurrent/", "/asyncio/")


def short_traceback(error: BaseException) -> list[str]:
    """Return the lines that IPython shows in place of its traceback: the caller's own lines, then the error.

    IPython calls `_render_traceback_` of the exception, also for `%tb`.
    """
    lines = [f"{type(error).__name__}: {without_credentials(str(error))}"]
    if getattr(error, "advice", None) is not None:  # before the advice is followed: it is lost if another error follows
        lines.append("  First, in the next cell: import sys; error = sys.last_value")
    lines += [*_cause(error), *_details(error)]
    lines += [f"  {without_credentials(note)}" for note in getattr(error, "__notes__", ())]
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_the_callers(frame.filename)]
    lines += [f"  {_place(frame.filename)}, line {frame.lineno}: {frame.line}" for frame in frames[-_FRAMES:]]
    return [*lines, "  The whole traceback: import traceback; traceback.print_last()"]


def _is_the_callers(filename: str) -> bool:
    return not filename.startswith(_PACKAGE) and not any(part in filename for part in _ELSEWHERE)


def _place(filename: str) -> str:
    return "this notebook" if any(part in filename for part in _CELL) else filename


def _cause(error: BaseException) -> list[str]:
    cause = error.__cause__
    return [] if cause is None else [f"  because of {type(cause).__name__}: {without_credentials(str(cause))}"]


def _details(error: BaseException) -> list[str]:
    attempts = getattr(error, "attempts", ())
    details = {
        "status": getattr(error, "status", None),
        "code": getattr(error, "code", None),
        "request": getattr(error, "request_id", None),
        "attempts": len(attempts) or None,
    }
    shown = ", ".join(f"{name} {value}" for name, value in details.items() if value is not None)
    return [f"  {shown}"] if shown else []
