"""Renders the templates of the page, and makes untrusted text visible and harmless.

Jinja2 passes every value in a template through `visible` and then escapes it, so a template cannot omit that.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from project_platform_stub.admin.request import page_headers
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Response, read_json
from project_platform_stub.world.journal import Entry

if TYPE_CHECKING:
    from jinja2 import Environment

# Categories of invisible characters: controls, changes of the writing direction, Unicode line ends, and surrogates.
_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
_EXCEPTIONS = frozenset("\n\t\u200c\u200d")  # Line breaks, tabs, and the joiners that emoji and some scripts need.
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:\s"]+')


def render(template: str, status: int = 200, **context: Any) -> Response:
    """Return a page."""
    text = _environment().get_template(template).render(context)
    return Response(status, page_headers("text/html; charset=utf-8"), text.encode())


def asset(name: str, content_type: str) -> Response:
    """Return a static file of the page."""
    return Response(200, page_headers(content_type), files(__package__).joinpath("templates", name).read_bytes())


def visible(value: Any) -> Any:
    r"""Return a value as text in which invisible characters are escaped, such as `\u202e`."""
    if hasattr(value, "__html__"):
        return value
    text = "" if value is None else str(value)
    return text if text.isascii() and text.isprintable() else "".join(map(_visible_character, text))


def pretty_body(body: bytes) -> str:
    """Return a body as text: JSON indented, with numbers and duplicate keys unchanged, other bodies unchanged."""
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
    """Return the CSS class of an entry: `good` for a success, `warn` for a 4xx, `bad` for other outcomes."""
    if entry.status is None or not entry.ending.startswith(("answered", "carried out")):
        return "bad"
    return "good" if entry.status < 400 else "warn" if entry.status < 500 else "bad"  # noqa: PLR2004  # classes of status


def _visible_character(character: str) -> str:
    if character in _EXCEPTIONS or unicodedata.category(character) not in _INVISIBLE:
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"  # noqa: PLR2004  # four digits


@cache
def _environment() -> Environment:
    # The import of Jinja2 takes longer than the start of the server, and most runs show no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["tone"] = tone
    environment.filters["pretty_body"] = pretty_body
    environment.filters["clock"] = lambda moment: f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"
    environment.filters["moment"] = lambda moment: f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    return environment
