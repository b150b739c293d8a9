"""From the arguments of a generated method to path, query and body, checked before anything is sent.

The errors name the argument, its value, and what to give instead.
"""

from __future__ import annotations

import datetime
import functools
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel, ValidationError

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_array, is_object
from ..suggestion import suggestion
from .model import problems
from .operation import UNSET, Unset

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_DOT_SEGMENTS: Final = frozenset({".", ".."})


def segment(name: str, value: object) -> str:
    """Return a path argument as one percent-encoded segment: `a/b` becomes `a%2Fb` (RFC 3986, section 3.3).

    Raises:
        UsageError: The value is not a string, a UUID or a whole number; or it is empty, `.` or `..`, which HTTP clients and
            proxies remove from a path.
    """
    if not isinstance(value, str | UUID | int) or isinstance(value, bool):
        raise UsageError(f"{name} is of type {type(value).__name__}; give a string, a UUID or a whole number")
    text = str(value)
    if not text:
        raise UsageError(f"{name} is empty; it is part of the path, so give the identifier")
    if text in _DOT_SEGMENTS:
        raise UsageError(
            f"{name} is {text!r}, a dot segment, which would be removed from the path and address something else"
        )
    return _quoted(name, text)


def identifier(value: T | UUID) -> T | str:
    """Return an identifier that is a UUID as text, and any other as it is."""
    return str(value) if isinstance(value, UUID) else value


def project_id(value: object) -> str:
    """Return a project's identifier as it stands in a path.

    Raises:
        UsageError: The value is not a UUID.
    """
    if isinstance(value, UUID):
        return str(value)
    try:
        if isinstance(value, str):
            return _canonical_uuid(value)
    except ValueError:
        pass
    raise UsageError(f"project_id is {value!r}, which is not a UUID; give the project's UUID, not its name or slug")


@functools.lru_cache(maxsize=128)  # every call of a project has its identifier
def _canonical_uuid(text: str) -> str:
    return str(UUID(text))


def query(**parameters: str | None) -> str:
    """Return the query of a path, `?` included; parameters that are None are left out."""
    given = [f"{_quoted(name, name)}={_quoted(name, value)}" for name, value in parameters.items() if value is not None]
    return f"?{'&'.join(given)}" if given else ""


def _quoted(name: str, text: str) -> str:
    """Return text percent-encoded, or raise `UsageError` with the name of its argument."""
    if text.isascii() and text.isalnum():
        return text
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise UsageError(
            f"{name} contains a lone surrogate, which UTF-8 cannot carry; check how the text was decoded"
        ) from None


def text(name: str, value: object) -> str | None:
    """Return text for the query, or None if it is UNSET.

    Raises:
        UsageError: The value is not a string.
    """
    if isinstance(value, Unset):
        return None
    if not isinstance(value, str):
        raise UsageError(f"{name} is of type {type(value).__name__}; give a string, or leave it out")
    return value


def one_of(name: str, value: str | Unset, allowed: Iterable[str]) -> str | None:
    """Return a value of a closed enumeration for the query.

    Raises:
        UsageError: The value is not allowed; the message suggests the most similar ones.
    """
    given = text(name, value)
    known = sorted(allowed)
    if given is None or given in known:
        return given
    hint = suggestion(given, known) or f"there are {len(known)} values, such as {known[0]}"
    raise UsageError(f"{name} is {given!r}, which is not one of its values; {hint}")


def integer(name: str, value: int | Unset, *, minimum: int | None = None, maximum: int | None = None) -> str | None:
    """Return a whole number for the query.

    Raises:
        UsageError: The value is out of range or not a whole number.
    """
    if isinstance(value, Unset):
        return None
    if type(value) is not int:
        raise UsageError(f"{name} is of type {type(value).__name__}; give a whole number, or leave it out")
    if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        allowed = f"{minimum} or more" if maximum is None else f"{minimum} to {maximum}"
        raise UsageError(f"{name} is {value}; give {allowed}")
    return str(value)


def timestamp(name: str, value: datetime.datetime | str | Unset, zone: str | Unset | None = None) -> str | Unset:
    """Return an ISO 8601 timestamp.

    Args:
        name: Name of the argument.
        value: A datetime, or an ISO 8601 timestamp, which is sent unchanged.
        zone: The argument `time_zone` of the same call; None if the operation does not have one.

    Raises:
        UsageError: The value is not a timestamp, or has neither an offset nor a time zone.
    """
    if isinstance(value, Unset):
        return UNSET
    moment: object = value  # callers need not be typed
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            raise UsageError(
                f"{name} is {value!r}, which is not an ISO 8601 timestamp such as 2026-11-20T09:00:00+01:00"
            ) from None
    if not isinstance(moment, datetime.datetime):
        raise UsageError(f"{name} is of type {type(value).__name__}; give a datetime or an ISO 8601 timestamp")
    try:
        has_offset = moment.utcoffset() is not None
    except ValueError:  # NaT of pandas
        raise UsageError(f"{name} is {value}, which is no time; leave it out") from None
    if not has_offset and moment.fold:
        raise UsageError(
            f"{name} has fold=1 and no tzinfo; give a datetime with tzinfo, since text without an offset cannot distinguish "
            "the two hours that have the same name"
        )
    if not has_offset and not zone:
        way_out = "give a datetime with tzinfo" + ("" if zone is None else ", or the argument time_zone")
        raise UsageError(f"{name} has no offset from UTC, so its hour is ambiguous; {way_out}")
    return value if isinstance(value, str) else value.isoformat()


def moment(name: str, value: datetime.datetime | str | Unset) -> str | None:
    """Return a timestamp for the query; see `timestamp`."""
    given = timestamp(name, value)
    return None if isinstance(given, Unset) else given


def filters(value: Mapping[str, Any] | Unset) -> dict[str, str]:
    """Return query parameters that are sent under their own names.

    Raises:
        UsageError: A name or a value is not a string.
    """
    if isinstance(value, Unset):
        return {}
    if not exact_json.is_object(value):
        raise UsageError(f"filters is of type {type(value).__name__}; give a dict with strings as names and values")
    for name, expected in value.items():
        if not isinstance(name, str) or not isinstance(expected, str):
            raise UsageError(f"filters[{name!r}] is {expected!r}; names and values of filters must be strings")
    return dict(value)


class EncodedBody(bytes):
    """A request body. Encoding it counts towards the deadline of its call: 30 MiB take seconds.

    Attributes:
        seconds: Time that the encoding took.
    """

    seconds: float = 0.0


def body(model: type[M], /, **fields: Any) -> EncodedBody:
    """Return a request body as JSON; fields that are UNSET are left out.

    Raises:
        UsageError: A field does not fit the specification.
    """
    began = time.monotonic()
    given = {name: value for name, value in fields.items() if value is not UNSET}
    try:
        checked = model.model_validate(given)
    except ValidationError as error:
        raise UsageError(_problems_of(error)) from None
    for name, value in given.items():
        _refuse_unknown(name, value, getattr(checked, name, None))
    encoded = EncodedBody(exact_json.dumps(checked))
    encoded.seconds = time.monotonic() - began
    return encoded


def _refuse_unknown(at: str, given: object, checked: object) -> None:
    """Raise `UsageError` if a dict has a key that its model does not have: most likely it is misspelt; or `UNSET` as a value.

    A model that the service returned may have fields that are not in the contract; they are sent back.
    """
    if isinstance(given, Unset):
        raise UsageError(f"{at} is UNSET, which stands for what is not given; leave it out")
    if isinstance(checked, BaseModel) and is_object(given):
        if checked.model_extra:
            known = ", ".join(type(checked).model_fields)
            raise UsageError(
                f"{at}.{next(iter(checked.model_extra))} is not a field of {type(checked).__name__}, which has {known}; to send it, give a "
                f"{type(checked).__name__} made with model_validate"
            )
        for name, field in type(checked).model_fields.items():
            key = name if name in given else field.alias
            _refuse_unknown(f"{at}.{name}", given.get(key), getattr(checked, name, None))
    elif is_array(given) and isinstance(checked, list):
        for index, (one, other) in enumerate(zip(given, cast("list[object]", checked), strict=True)):
            _refuse_unknown(f"{at}[{index}]", one, other)


def _problems_of(error: ValidationError) -> str:
    described: list[str] = []
    for detail in problems(error):
        at = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
        value = detail["input"]
        size = f"; it has {len(value)}" if "max_length" in detail.get("ctx", {}) and hasattr(value, "__len__") else ""
        problem = detail["msg"].removeprefix("Value error, ")
        described.append(f"{at}: {problem[0].lower()}{problem[1:]}{size}")
    return "; ".join(described)
