"""Every way in which a value or an error is shown or stored, and the secrets that none of them may contain."""

from __future__ import annotations

import base64
import copy
import html
import io
import pickle
import pprint
import re
import traceback
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.pretty import pretty_repr
from rich.traceback import Traceback

TOKEN = "tok/4n-op.aque+credential~0123456789"
SESSION = "sess10n-credential-for-the-endpoint"
API_KEY = "k3y-of-another-system"
COOKIE = "c00kie-of-a-gateway"
PASSWORD = "pa55word-of-a-proxy"
FRESH = "fr3sh-token-that-the-endpoint-issues"
CLIENT_HEADERS = {"X-Api-Key": API_KEY, "Cookie": f"gateway={COOKIE}; theme=dark"}

PROXY_USER = f"proxy-user:{PASSWORD}"
_BASIC = base64.b64encode(PROXY_USER.encode()).decode()  # what Proxy-Authorization has (RFC 7617, section 2)

SECRETS = (TOKEN, SESSION, API_KEY, COOKIE, PASSWORD, _BASIC, FRESH)
_PART = 12  # characters of a secret that may not be shown either, as by a representation that is cut off
_PARTS = re.compile(
    "|".join(
        re.escape(form[at : at + _PART])
        for secret in SECRETS
        for form in (secret, secret.replace("/", "%2F"), secret.replace("/", r"\/"))
        for at in range(len(form) - _PART + 1)
    )
)
_ESCAPED = re.compile(r"\\+u00([0-9a-fA-F]{2})")
_LONG = 10_000  # characters: nothing is cut off
_WRAPPED = re.compile(r"[\s│╭╮╰╯─]+")  # rich breaks long lines, and puts locals into a panel


def secrets_in(text: str) -> list[str]:
    text = html.unescape(_WRAPPED.sub("", text))
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return [text[max(0, found.start() - 100) : found.end() + 20] for found in _PARTS.finditer(text)]


def representations(value: Any) -> Iterator[str]:
    """Yield what shows a value: representations, and the renderers of pprint, rich and notebooks."""
    yield repr(value)
    yield str(value)
    yield f"{value}"
    yield repr([value, {"value": value}])
    yield pprint.pformat(value)
    yield pretty_repr(value, max_string=_LONG)
    yield pretty_repr(value, max_string=_PART)
    console = Console(file=io.StringIO(), width=200)
    console.print(value)
    yield console.file.getvalue()
    for name in ("_repr_html_", "_repr_markdown_", "_repr_json_", "_repr_latex_"):
        if render := getattr(type(value), name, None):
            yield str(render(value))
    if hasattr(value, "__dict__") and not isinstance(value, BaseModel):  # the attributes of a model are its data
        yield repr(vars(value))


def reports(error: BaseException) -> Iterator[str]:
    """Yield what error reporters make of an error with its causes: tracebacks with the locals of all frames."""
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    yield "".join(report.format())
    # Rich cuts strings off, and a slice of a subclass of `str` is shown as it is.
    extracted = Traceback.extract(
        type(error),
        error,
        error.__traceback__,
        show_locals=True,
        locals_max_string=40,
        locals_hide_dunder=False,
        locals_hide_sunder=False,
    )
    for stack in extracted.stacks:
        yield " ".join([stack.exc_value, *getattr(stack, "notes", [])])  # Rich 14 added the notes
        for frame in stack.frames:
            yield from (node.render(max_width=_LONG) for node in (frame.locals or {}).values())


def of_error(error: BaseException) -> Iterator[str]:
    """Yield everything that shows or stores an error and its causes."""
    yield from reports(error)
    while error is not None:
        yield from representations(error)
        for copied in (error, copy.copy(error), copy.deepcopy(error)):
            yield repr([copied, str(copied), vars(copied), copied.args])
        yield from (
            pickle.dumps(error, protocol).decode("latin-1") for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
        )
        error = error.__cause__
