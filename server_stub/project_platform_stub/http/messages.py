"""Request and response as values, independent of the transport, and the JSON of their bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring as quoted
from typing import Any, Literal, Protocol

from project_platform_stub.http.errors import ApiError, bad_request, unsupported

MAX_BODY_BYTES = 1024 * 1024  # The specification states no limit; 1 MiB is nginx's default (client_max_body_size).


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        method: Method, in capitals.
        raw_path: Path as it was sent, percent-encoded and without the query.
        query: Query as it was sent, without the question mark.
        headers: Headers by lower-case name; values of a repeated header are joined with commas.
        body: Body, at most one byte more than `MAX_BODY_BYTES`.
    """

    method: str
    raw_path: bytes
    query: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Cut:
    """A connection that ends before the response is complete.

    Attributes:
        how: `close` sends a FIN, `reset` a RST.
        after: Bytes of the body that are sent first, with the `Content-Length` of the complete body; None if nothing is
            sent, not even a status line.
    """

    how: Literal["close", "reset"]
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A response; the transport adds `Content-Length`.

    Attributes:
        delay: Seconds that the transport waits before it sends anything, unless the client disconnects first.
        cut: How the connection ends early; None for a complete response.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay: float = 0.0
    cut: Cut | None = None


def json_response(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a JSON body."""
    return Response(status, {"Content-Type": "application/json", **(headers or {})}, write_json(value))


class Handler(Protocol):
    """The interface between a transport and the service."""

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises."""

    def takes_long(self, request: Request) -> bool:
        """Return whether a request has to be handled in a thread, because it would block an event loop for long."""


def join_headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by lower-case name, values of the same name joined with commas (RFC 9110 section 5.3)."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


_BODILESS = {204, 304}


def framed(response: Response, method: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the header fields and the body of a response as they are sent in response to a method."""
    fields = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    if response.status in _BODILESS:  # RFC 9110 section 8.6: no Content-Length for these.
        return fields, b""
    fields.append((b"content-length", b"%d" % len(response.body)))
    # RFC 9110 section 9.3.2: the response to HEAD is the response to GET without its body.
    return fields, b"" if method == "HEAD" else response.body


SURROGATE = re.compile("[\ud800-\udfff]")  # In a Python string each is unpaired.
MAX_DEPTH = 100  # Levels; the specification states no limit. Far below the limits of parser and validator.
MAX_INT_DIGITS = 4300  # Python does not convert a longer string to an int (sys.get_int_max_str_digits).


def media_type(request: Request) -> str:
    """Return the media type of a request's body, without parameters."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def read_body(request: Request) -> Any:
    """Return the JSON value of the body of a request, or raise a 400, 413 or 415."""
    if len(request.body) > MAX_BODY_BYTES:
        raise ApiError(413, f"body: is larger than the maximum of {MAX_BODY_BYTES} bytes", "body_too_large")
    if (found := media_type(request)) != "application/json":
        raise unsupported("Content-Type", found, "it must be application/json")
    if (coding := request.headers.get("content-encoding", "identity")) != "identity":
        raise unsupported("Content-Encoding", coding, "the body must not be compressed")
    return read_json(request.body)


def read_json(body: bytes) -> Any:
    """Return the JSON value of a request body, or raise a 400."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_request("body", f"is not UTF-8 at byte {error.start}") from None
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        raise bad_request("body", f"is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise bad_request("body", f"is nested more than {MAX_DEPTH} levels deep") from None
    _check(value)
    return value


def parse_json(text: str) -> Any:
    """Return the value of a JSON text without the checks of `read_json`; numbers keep all digits."""
    return _DECODER.decode(text)


def write_json(value: Any) -> bytes:
    """Return a JSON value as compact UTF-8; a Decimal keeps all digits."""
    try:
        return _ENCODER.encode(value).encode()
    except TypeError:  # The value contains a Decimal, which needs the slower encoder.
        return _encode_with_decimals(value).encode()


def json_type(value: Any) -> str:
    """Return the JSON name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _encode_with_decimals(value: Any) -> str:
    match value:
        case Decimal():
            if not value.is_finite():
                raise ValueError(f"{value} is not a JSON value")
            return str(value)
        case dict():
            members = (f"{quoted(key)}:{_encode_with_decimals(member)}" for key, member in value.items())
            return "{" + ",".join(members) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_encode_with_decimals, value)) + "]"
        case _:
            return _ENCODER.encode(value)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise bad_request("body", "contains a number whose exponent is out of range") from None


def _integer(text: str) -> int | Decimal:
    return Decimal(text) if text == "-0" or len(text) > MAX_INT_DIGITS else int(text)


def _no_constant(text: str) -> Any:
    raise bad_request("body", f"is not JSON: {text} is not a JSON value")


# Created once: `json.loads` and `json.dumps` with arguments create one for each call.
_DECODER = json.JSONDecoder(parse_float=_decimal, parse_int=_integer, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check(value: Any) -> None:
    """Raise a 400 for JSON that a database could not store: deep nesting, and unpaired surrogates."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, str) and SURROGATE.search(item):
                raise bad_request("body", "contains an unpaired surrogate, which is not Unicode text")
        if not inner:
            return
        level = inner
    raise bad_request("body", f"is nested more than {MAX_DEPTH} levels deep")
