"""Writes `docs/benchmarks.md` from `benchmarks/README.md`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HEAD: Final = """\
---
title: Benchmarks
description: What a call, a page, a bulk run and a kill cost, with versions, dates and the bars that are not met
---

<!-- Generated from benchmarks/README.md by `python -m codegen`. Do not edit. -->

# Benchmarks

What calls, lists and bulk runs cost, beside raw httpx and other clients; how each number was measured, and which bars are not met.
{ .lead }

"""


def files(root: Path) -> dict[Path, str]:
    """Return the page with its contents."""
    text = (root / "benchmarks/README.md").read_text("utf-8").removeprefix("# Benchmarks\n\n")
    return {root / "docs/benchmarks.md": _HEAD + text}
