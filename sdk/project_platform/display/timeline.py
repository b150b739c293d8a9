"""Busy intervals as bars, a line a day."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from .html import box

_DAYS: Final = 31
_HOUR: Final = 24  # units of width; a day is 24 times as wide
_LEFT, _TOP, _LINE = 80, 22, 22


def busy_html(intervals: Sequence[Any]) -> str:
    """Return busy intervals as a timeline in the zone of the first one; midnight to midnight is a line.

    An interval over midnight has two bars. An interval that cannot be read is counted.
    """
    spans = [span for interval in intervals if (span := _span(interval)) is not None]
    if not spans:
        return box(f"<b>{len(intervals)} busy intervals</b>")
    zone = spans[0][0].tzinfo
    spans = [(start.astimezone(zone), end.astimezone(zone)) for start, end in spans]
    first = min(start for start, _ in spans).date()
    number = (max(end for _, end in spans).date() - first).days + 1
    days = [first + datetime.timedelta(days=day) for day in range(min(number, _DAYS))]
    bars = "".join(part for line, day in enumerate(days) for part in _day(line, day, spans))
    hours = "".join(
        f'<text x="{_LEFT + _HOUR * hour}" y="14" text-anchor="middle">{hour}</text>' for hour in range(0, 25, 6)
    )
    height = _TOP + 8 + _LINE * len(days)
    picture = (
        f'<svg width="680" height="{height}" font-size="12" fill="currentColor" role="img" '
        f'aria-label="Busy intervals">{hours}{bars}</svg>'
    )
    parts = [
        f"{spans[0][0]:%Z}" if spans[0][0].tzname() else "",
        f"{number - _DAYS} more days" if number > _DAYS else "",
        f"{len(intervals) - len(spans)} intervals without times" if len(intervals) > len(spans) else "",
    ]
    note = escape("; ".join(filter(None, parts)))
    return box(f'<b>{len(intervals)} busy intervals</b> <span class="note">{note}</span><br>{picture}')


def _span(interval: Any) -> tuple[datetime.datetime, datetime.datetime] | None:
    try:
        start = datetime.datetime.fromisoformat(getattr(interval, "start", ""))
        end = datetime.datetime.fromisoformat(getattr(interval, "end", ""))
    except ValueError:
        return None
    return (start, end) if start.tzinfo and end.tzinfo else None


def _day(line: int, day: datetime.date, spans: Iterable[tuple[datetime.datetime, datetime.datetime]]) -> Iterable[str]:
    top = _TOP + _LINE * line
    yield f'<text x="0" y="{top + 12}">{day:%a %d %b}</text>'
    yield f'<rect x="{_LEFT}" y="{top}" width="{24 * _HOUR}" height="16" rx="3" opacity=".08"/>'
    for start, end in spans:
        # In the time of the wall clock, also on the days when the clocks change.
        midnight = datetime.datetime.combine(day, datetime.time(), start.tzinfo)
        begins = max(0.0, (start - midnight).total_seconds() / 3600)
        ends = min(24.0, (end - midnight).total_seconds() / 3600)
        if ends > begins:
            x, width = _LEFT + _HOUR * begins, max(2.0, _HOUR * (ends - begins))
            yield (
                f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="16" rx="3" fill="#4477aa">'
                f"<title>{start:%H:%M} to {end:%H:%M}</title></rect>"
            )
