"""Services that are wrong only for particular data of records."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from ..mutant import Json, Kind, arrays, members, numbers, patch, texts
from ..service import calendar, records

data = Kind("free-form data")
preconditions = Kind("preconditions")
FREE = "`data`: object, free-form JSON keyed by field."
CONTAINED = "`expectedData` is a JSON containment precondition."
STATUS = "`expectedStatus` is a status precondition. When either is stale, the response is 409."


def stored(name: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that changes the data of records before it stores them."""
    data.add(name, "records_create", FREE, lambda: patch(records, "stored", change))


def written(name: str, change: Callable[[str], Any]) -> None:
    """Register a mutant that changes the strings in the data of records before it stores them."""
    stored(name, texts(change))


def keys(keep: Callable[[str], bool]) -> Callable[[Any], Any]:
    """Return a function that drops members with some names."""
    return members(lambda part: {key: value for key, value in part.items() if keep(key)})


def single(value: float) -> float:
    """Return a number in the precision of four bytes."""
    if isinstance(value, int):
        return value
    with suppress(OverflowError):
        return float(struct.unpack("f", struct.pack("f", value))[0])
    return value


stored("members whose names begin with a dollar sign are dropped", keys(lambda key: not key.startswith("$")))


stored("members whose names begin with an underscore are dropped", keys(lambda key: not key.startswith("_")))


stored("members named like those of objects are dropped", keys(lambda key: key not in {"__proto__", "constructor"}))


stored(
    "members named id are dropped below the top",
    lambda value: {key: keys(lambda name: name != "id")(part) for key, part in value.items()},
)


stored("numbers have the precision of four bytes", numbers(single))


stored("tiny numbers are zero", numbers(lambda value: 0 if abs(value) < 1e-6 else value))


stored("arrays of one element are that element", arrays(lambda part: part[0] if len(part) == 1 else part))


stored(
    "arrays in arrays are one array",
    arrays(lambda part: [inner for item in part for inner in (item if isinstance(item, list) else [item])]),
)


stored(
    "equal elements of arrays are one element",
    arrays(lambda part: [item for place, item in enumerate(part) if item not in part[:place]]),
)


written(
    "dates in data are timestamps", lambda text: text + "T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text
)


written(
    "timestamps in data are in universal time",
    lambda text: (
        datetime.fromisoformat(text).astimezone(UTC).isoformat()
        if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", text)
        else text
    ),
)


written("strings of digits are numbers", lambda text: int(text) if re.fullmatch(r"[0-9]{1,15}", text) else text)


written("the words true and false are booleans", lambda text: {"true": True, "false": False}.get(text, text))


written("strings of data have at most 255 characters", lambda text: text[:255])


written(
    "strings of data have at most 65535 bytes",
    lambda text: text.encode("utf-8", "surrogatepass")[:65535].decode("utf-8", "ignore"),
)


written("characters of four bytes are question marks", lambda text: re.sub(r"[^\u0000-\uffff]", "?", text))


written("ends of lines are line feeds", lambda text: text.replace("\r\n", "\n"))


written("characters of no width are removed", lambda text: re.sub("[\u200b-\u200d\u00ad\ufeff]", "", text))


written("entities are decoded", lambda text: text.replace("&amp;", "&").replace("&lt;", "<"))


written("percent-encoded characters are decoded", lambda text: text.replace("%20", " ").replace("%2F", "/"))


written("tags are stripped", lambda text: re.sub(r"<[^<>]*>", "", text))


def contained(name: str, change: Callable[[Any, Any], bool]) -> None:
    """Register a mutant with other preconditions that hold, given the data and the expected data."""
    preconditions.add(
        name,
        "records_update",
        CONTAINED,
        lambda: patch(
            records,
            "stale_data",
            lambda record, body: "expectedData" in body and not change(record["data"], body["expectedData"]),
        ),
    )


def folded(change: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    """Return a containment of values that are changed before."""
    contains = records.contains
    return lambda have, want: contains(change(have), change(want))


def dotted(have: Any, want: Json) -> bool:
    """Return whether data has the expected values, where dots in names separate the names of a path."""
    for key, value in want.items():
        at = have
        for part in key.split("."):
            at = at.get(part) if isinstance(at, dict) else None
        if not records.contains(have.get(key, at), value):
            return False
    return True


contained("true equals one", lambda have, want: all(key in have and have[key] == part for key, part in want.items()))


contained(
    "only the last of the expected members is compared",
    lambda have, want: records.contains(have, dict(list(want.items())[-1:])),
)


contained("dots of expected names are paths", dotted)


contained("expected strings are compared up to 64 characters", folded(texts(lambda text: text[:64])))


contained("expected strings without accents are equal", folded(texts(lambda text: re.sub("[^\x00-\x7f]", "?", text))))


contained("large expected numbers are equal if nearly so", folded(numbers(float)))


contained(
    "objects in expected arrays are not compared",
    folded(arrays(lambda part: [{} if isinstance(item, dict) else item for item in part])),
)


contained(
    "empty expected objects are equal to anything",
    lambda have, want: records.contains(have, {key: part for key, part in want.items() if part != {}}),
)


contained("expected arrays are contained if the first element is", folded(arrays(lambda part: part[:1])))


@preconditions("records_update", STATUS)
def an_underscore_in_the_expected_status_is_any_character() -> None:
    def stale(record: Json, body: Json) -> bool:
        pattern = re.escape(body.get("expectedStatus", record["status"])).replace("_", ".").replace("%", ".*")
        return re.fullmatch(pattern, record["status"]) is None

    patch(records, "stale_status", stale)


_instant = calendar.instant


def at(change: Callable[[datetime], datetime]) -> Callable[[str, str | None], datetime]:
    """Return a function that reads timestamps and changes them."""
    return lambda value, zone: change(_instant(value, zone))
