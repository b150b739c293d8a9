"""Representations of listings: a table, or a picture where there is one that says more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..errors import UsageError
from ..optional import is_installed, load
from .html import listing_html
from .timeline import busy_html

_HTML: Final[dict[str, Callable[[Sequence[Any]], str]]] = {"BusyInterval": busy_html}


def html_of(rows: Sequence[Any], kind: type) -> str:
    """Return a listing as HTML."""
    special = _HTML.get(kind.__name__)
    return special(rows) if special else listing_html(rows, kind)


def plot(rows: Sequence[Any], kind: type) -> Any:
    """Return a plot: `matplotlib.axes.Axes`, or an `altair.Chart` where matplotlib is not installed.

    Raises:
        UsageError: There is no plot of this kind, or neither library is installed.
    """
    if kind.__name__ not in _PLOTS:
        raise UsageError(f"a listing of {kind.__name__} has no plot; convert it with to_pandas() and plot the frame")
    bars, title, label = _PLOTS[kind.__name__](rows)
    if is_installed("altair") and not is_installed("matplotlib"):
        altair = load("plot", "altair")
        values = [{label: name, "number": number} for name, number in bars]
        chart = altair.Chart(altair.Data(values=values), title=title).mark_bar()
        return chart.encode(y=altair.Y(f"{label}:N", sort=None), x="number:Q")
    pyplot = load("plot", "matplotlib.pyplot") if is_installed("matplotlib") else load("plot", "matplotlib")
    _, axes = pyplot.subplots(figsize=(6.4, 1 + 0.3 * max(1, len(bars))))
    axes.barh(range(len(bars)), [number for _, number in bars])
    axes.set_yticks(range(len(bars)), [name for name, _ in bars], parse_math=False)
    axes.invert_yaxis()
    axes.set_title(title)
    axes.set_ylabel(label)
    return axes


Bars = tuple[list[tuple[str, int]], str, str]


def _by_status(posts: Sequence[Any]) -> Bars:
    counts = Counter(getattr(post, "status", "unknown") for post in posts)
    return sorted(counts.items(), key=lambda item: -item[1]), "Posts by status", "status"


def _by_reach(media: Sequence[Any]) -> Bars:
    titles = Counter(_title(one) for one in media)
    reached = [
        (title if titles[title := _title(one)] == 1 else f"{title} ({one.media_id})", one.reach)
        for one in media
        if one.reach is not None
    ]
    return sorted(reached, key=lambda item: -item[1]), "Accounts reached", "media"


def _title(media: Any) -> str:
    return str(media.caption or getattr(media, "media_id", ""))[:40]


_PLOTS: Final[dict[str, Callable[[Sequence[Any]], Bars]]] = {
    "MediaAnalytics": _by_reach,
    "ScheduledPost": _by_status,
}
