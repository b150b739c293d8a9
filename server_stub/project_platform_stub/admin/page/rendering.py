"""How the page looks: its templates, and how they show what somebody else has written.

All that a template puts in goes through `shown` and is escaped after that, so that no template can forget it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from project_platform_stub.admin.request import page_headers
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.json import read_json
from project_platform_stub.http.messages import Response
from project_platform_stub.world.journal import Entry

# Controls, characters that turn the writing direction, and line ends that are none: what shows nothing, and misleads.
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
_SEEN = frozenset("\n\t\u200c\u200d")  # Line breaks, and the joiners that emoji and some scripts are written with.
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:\s"]+')


def render(template: str, status: int = 200, **context: Any) -> Response:
    """Return a page."""
    text = _environment().get_template(template).render(context)
    return Response(status, page_headers("text/html; charset=utf-8"), text.encode())


def asset(name: str, content_type: str) -> Response:
    """Return a file that pages refer to."""
    return Response(200, page_headers(content_type), files(__package__).joinpath("templates", name).read_bytes())


def shown(value: Any) -> Any:
    r"""Return a value as a page shows it, with what cannot be seen as `\u202e`."""
    if isinstance(value, Markup):
        return value
    text = "" if value is None else str(value)
    return text if text.isascii() and text.isprintable() else "".join(map(_seen, text))


def laid_out(body: bytes) -> str:
    """Return a body as text; JSON with a line for each member, and otherwise just as it came, digit for digit."""
    text = body.decode("utf-8", "backslashreplace")
    try:
        read_json(body)
    except ApiError:
        return text
    lines, depth = [""], 0
    parts = _JSON_PART.findall(text)
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        if part in "]}" and not lines[-1].endswith(("[", "{")):
            lines.append("  " * (depth - 1))
        depth += (part in "[{") - (part in "]}")
        lines[-1] += ": " if part == ":" else part
        if part == "," or (part in "[{" and following not in "]}"):
            lines.append("  " * depth)
    return "\n".join(lines)


def tone(entry: Entry) -> str:
    """Return how an entry is marked: whether it went well, was refused, or failed."""
    if entry.status is None or not entry.ending.startswith(("answered", "carried out")):
        return "bad"
    return "good" if entry.status < 400 else "warn" if entry.status < 500 else "bad"  # noqa: PLR2004  # classes of status


def _seen(character: str) -> str:
    if character in _SEEN or unicodedata.category(character) not in _UNSEEN:
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"  # noqa: PLR2004  # four digits


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["tone"] = tone
    environment.filters["laid_out"] = laid_out
    environment.filters["clock"] = lambda moment: f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"
    environment.filters["moment"] = lambda moment: f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    return environment
