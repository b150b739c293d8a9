"""Values as HTML for notebooks, in the colours of the page, light or dark. Everything is escaped and capped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from .text import count_of, cut, fields_of

ROWS: Final = 10
_COLUMNS: Final = 12
_CELL: Final = 40  # characters

_STYLE: Final = """<style>
.pp {font: 13px/1.45 system-ui, sans-serif; color: inherit; max-width: 100%; overflow-x: auto}
.pp table {border-collapse: collapse; margin: 4px 0}
.pp caption {text-align: left; font-weight: 600; padding: 4px 0}
.pp th, .pp td {text-align: left !important; vertical-align: top; padding: 3px 10px 3px 0; white-space: pre-wrap;
  overflow-wrap: anywhere; border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); max-width: 46ch}
.pp .list td {white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 20ch; overflow-wrap: normal}
.pp th {font-weight: 600; opacity: .75; white-space: nowrap}
.pp .note {opacity: .8}
.pp code {font-size: 12px}
.pp del {background: color-mix(in srgb, #d33 22%, transparent); text-decoration: none}
.pp ins {background: color-mix(in srgb, #2a2 22%, transparent); text-decoration: none}
.pp img {max-width: 520px; border: 1px solid color-mix(in srgb, currentColor 18%, transparent)}
</style>"""


def box(content: str) -> str:
    """Return HTML with the style of all values. A wide table scrolls, also by keyboard."""
    return f'{_STYLE}<div class="pp" tabindex="0">{content}</div>'


def row_html(row: Any) -> str:
    """Return a model as a table of its fields."""
    return fields_html(type(row).__name__, fields_of(row))


def fields_html(title: str, fields: Sequence[tuple[str, str]]) -> str:
    """Return names and texts as a table."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in fields)
    return box(f"<table><caption>{escape(title)}</caption>{rows}</table>")


def listing_html(rows: Sequence[Any], kind: type, note: str = "") -> str:
    """Return the first rows of a listing as a table of the columns that have values.

    Args:
        rows: All rows.
        kind: Their class.
        note: Text below the table.
    """
    shown = [dict(fields_of(row)) for row in rows[:ROWS]]
    names = list(dict.fromkeys(name for row in shown for name in row))
    names, hidden = names[:_COLUMNS], names[_COLUMNS:]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(row.get(name, '')) for name in names)}</tr>" for row in shown)
    parts = [
        f"{len(rows) - ROWS:,} more rows" if len(rows) > ROWS else "",
        f"{len(hidden)} more columns: {', '.join(hidden)}" if hidden else "",
        note,
        ".to_pandas() and .to_polars() return frames",
    ]
    caption = f"Listing of {escape(kind.__name__)}, {count_of(len(rows))}"
    foot = escape("; ".join(filter(None, parts)))
    return box(
        f'<table class="list"><caption>{caption}</caption><tr>{head}</tr>{body}</table><span class="note">{foot}</span>'
    )


def _cell(text: str) -> str:
    return f'<td title="{escape(text)}">{escape(cut(text, _CELL))}</td>'


def diff_html(title: str, note: str, rows: Sequence[tuple[str, str | None, str | None, str]]) -> str:
    """Return a change as a table.

    Args:
        title: Name of the changed object.
        note: Text about the whole change.
        rows: The key, the values before and after as texts, and the guard. None is no value.
    """
    head = "<tr><th>key</th><th>before</th><th>after</th><th>guard</th></tr>"
    body = "".join(
        f"<tr><td><code>{escape(key)}</code></td><td>{_value(before, 'del', 'absent')}</td>"
        f"<td>{_value(after, 'ins', 'deleted')}</td><td>{escape(guard)}</td></tr>"
        for key, before, after, guard in rows
    )
    caption = f'{escape(title)} <span class="note">{escape(note)}</span>'
    return box(f"<table><caption>{caption}</caption>{head}{body}</table>")


def _value(text: str | None, tag: str, absent: str) -> str:
    if text is None:
        return f'<span class="note">{absent}</span>'
    return f"<{tag}><code>{escape(text)}</code></{tag}>"
