"""Path segments, timestamps and JSON values are encoded without a change of their meaning; what cannot be encoded is refused."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import uuid
from typing import Any, Literal
from zoneinfo import ZoneInfo

import httpx
import pandas
import pydantic
import pydantic.dataclasses
import pytest

from project_platform import UNSET, UsageError, models

BERLIN = ZoneInfo("Europe/Berlin")
NAIVE = datetime.datetime(2026, 11, 20, 9)
AWARE = NAIVE.replace(tzinfo=BERLIN)


class Stage(enum.Enum):
    """An enumeration of strings."""

    WON = "won"


class Level(enum.IntEnum):
    """An enumeration of numbers."""

    HIGH = 3


class Colour(enum.StrEnum):
    """An enumeration whose members are strings."""

    RED = "red"


class Email(pydantic.BaseModel):
    """A model of the user, which has defaults and a name on the wire."""

    kind: Literal["email"] = "email"
    to: str
    is_html: bool = pydantic.Field(default=False, serialization_alias="isHtml")


@dataclasses.dataclass
class Retries:
    """A dataclass of the user."""

    most: int = 3
    of: Any = None


@pydantic.dataclasses.dataclass
class PydanticRetries:
    """Another one, of pydantic."""

    most: int = 3


@pytest.fixture
def answering(service):
    """Return a function that plans a response for each operation that a test calls."""

    def answering(**body):
        service.will(httpx.Response(200, json=body))

    return answering


@pytest.fixture
def sent(project, service, answering):
    """Return a function that creates a record and returns the `data` of the request, as a string."""

    def sent(data):
        answering(record={})
        project.records.create(type_slug="deal", data=data)
        return service.requests[-1].content.decode().removeprefix('{"typeSlug":"deal","data":')[:-1]

    return sent


CYCLE: dict[str, object] = {}
CYCLE["again"] = CYCLE

# Calls with an argument, and for some values of it the messages that refuse them.
REFUSED: dict[str, tuple[Any, list[tuple[Any, str]]]] = {
    "a filter": (
        lambda project, value: project.posts.list(filters={"status": value}),
        [("\ud800", "status contains a lone surrogate"), (1, "must be strings")],
    ),
    # A client or a proxy would remove a dot segment from the path.
    "a path": (
        lambda project, value: project.memory.update(value, title="T"),
        [
            ("", "slug is empty"),
            (".", "slug is '.', a dot segment"),
            ("..", "slug is '..', a dot segment"),
            ("\ud800", "slug contains a lone surrogate"),
            (None, "slug is of type NoneType; give a string, a UUID or a whole number"),
            (True, "slug is of type bool"),
            (1.5, "slug is of type float"),
            (b"raw", "slug is of type bytes"),
            (UNSET, "slug is of type Unset"),
        ],
    ),
    # The error suggests `time_zone` only where that argument exists.
    "a query": (
        lambda project, value: project.calendar.busy(time_min=AWARE, time_max=value),
        [
            ("tomorrow", "time_max is 'tomorrow', which is not an ISO 8601 timestamp"),
            (NAIVE, "time_max has no offset from UTC, so its hour is ambiguous; give a datetime with tzinfo$"),
            (datetime.date(2026, 11, 20), "time_max is of type date"),
            (1_800_000_000, "time_max is of type int"),
            (None, "time_max is of type NoneType"),
            (pandas.NaT, "time_max is NaT, which is no time; leave it out"),
        ],
    ),
    # When the clocks go back, an hour occurs twice; a timestamp without an offset cannot say which one is meant.
    "a time": (
        lambda project, value: project.calendar.book(start=value, summary="Visit", time_zone="Europe/Berlin"),
        [(datetime.datetime(2026, 10, 25, 2, 30, fold=1), "fold=1")],
    ),
    # The service would refuse it or, worse, store something else.
    "data": (
        lambda project, value: project.records.create(type_slug="deal", data=value),
        [
            ({"a": [{"b": float("nan")}]}, r"data\.a\[0\]\.b is nan"),
            ({"a": float("-inf")}, r"data\.a is -inf"),
            ({"a": decimal.Decimal("NaN")}, r"data\.a is NaN"),
            ({"a": decimal.Decimal("sNaN")}, r"data\.a is sNaN"),
            ({"a": 10**5000}, r"data\.a has more digits than Python can convert"),
            ({"a": {"b": "x\0"}}, r"data\.a\.b contains the character NUL"),
            ({"a": "\ud800"}, r"data\.a contains a lone surrogate"),
            ({"a": {1, 2}}, r"data\.a is of type set"),
            ({"a": b"raw"}, r"data\.a is of type bytes"),
            ({"a": object()}, r"data\.a is of type object"),
            ({"a": UNSET}, r"data\.a is UNSET, which stands for what is not given; leave its key out"),
            ({"a": {7: 1}}, r"data\.a has the key 7"),
            ({"\0": 1}, "NUL"),
            (CYCLE, "nested too deeply, or contains itself"),
        ],
    ),
    # Pydantic takes an enumeration for a text.
    "a model": (
        lambda project, value: project.sidebar.replace(sections=[{"id": "a", "label": "A", "items": value}]),
        [(items, r"sections\[0\]\.items\[0\]") for items in ([{"label": UNSET}], [UNSET])],
    ),
}


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [(where, *row) for where, (_, rows) in REFUSED.items() for row in rows],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_encoded_is_refused_with_its_place(project, service, where, value, message):
    """Nothing is sent."""
    with pytest.raises(UsageError, match=message):
        REFUSED[where][0](project, value)

    assert service.requests == []


@pytest.mark.parametrize(
    ("start", "written"),
    [
        (AWARE, "2026-11-20T09:00:00+01:00"),
        (NAIVE.replace(tzinfo=datetime.UTC), "2026-11-20T09:00:00+00:00"),
        (NAIVE.replace(tzinfo=datetime.UTC, microsecond=1), "2026-11-20T09:00:00.000001+00:00"),
        ("2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"),
        ("2026-11-20T09:00+01:00", "2026-11-20T09:00+01:00"),
    ],
)
def test_a_timestamp_with_an_offset_is_sent_in_iso_8601(project, service, answering, start, written):
    answering(bookingUid="b1")

    project.calendar.book(start=start, summary="Tasting")

    assert service.body["start"] == written


@pytest.mark.parametrize("start", [NAIVE, "2026-11-20T09:00:00"])
def test_a_naive_timestamp_needs_the_time_zone_argument(project, service, answering, start):
    """Without a time zone the hour is ambiguous; with one the timestamp is sent unchanged, and the service applies the zone."""
    answering(bookingUid="b1")

    with pytest.raises(UsageError, match=r"start has no offset from UTC.*or the argument time_zone"):
        project.calendar.book(start=start, summary="Tasting")
    project.calendar.book(start=start, end=AWARE, summary="Tasting", time_zone="Europe/Berlin")

    assert service.body["start"] == "2026-11-20T09:00:00"
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (decimal.Decimal("0.10"), "0.10"),
        (decimal.Decimal("1E+5"), "1E+5"),
        (10**30, "1" + "0" * 30),
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (True, "true"),
        (Stage.WON, '"won"'),
        (Level.HIGH, "3"),
        (Colour.RED, '"red"'),
        (uuid.UUID(int=7), '"00000000-0000-0000-0000-000000000007"'),
        (AWARE, '"2026-11-20T09:00:00+01:00"'),
        (NAIVE.date(), '"2026-11-20"'),
        ((1, [2]), "[1,[2]]"),
        (models.Attendee(email="a@b.example"), '{"email":"a@b.example"}'),
        (Email(to="a@b.example"), '{"kind":"email","to":"a@b.example","isHtml":false}'),
        (Retries(of=[decimal.Decimal("0.10")]), '{"most":3,"of":[0.10]}'),
        (PydanticRetries(), '{"most":3}'),
        ("größe \u2028 🌾", '"größe \u2028 🌾"'),
        ('"\\\n', '"\\"\\\\\\n"'),
    ],
)
def test_python_values_are_encoded_as_json(sent, given, written):
    assert sent({"value": given}) == f'{{"value":{written}}}'


def test_unknown_fields_of_a_returned_model_are_sent_back(project, service):
    sections = [{"id": "s1", "label": "Main", "items": [{"label": "Home", "href": "/", "badge": 3}], "pinned": True}]
    service.will(*[httpx.Response(200, json={"success": True, "data": {"sections": sections}})] * 2)

    sidebar = project.sidebar.replace(sections=[])
    project.sidebar.replace(sections=sidebar.sections)

    assert service.body == {"sections": sections}


def test_numbers_survive_a_round_trip(project, service):
    """Numbers are sent back digit by digit; as a precondition they would otherwise never hold."""
    digits = '{"a":0.1234567890123456789,"b":1.10,"c":1e400,"d":12345678901234567890123,"e":[-0.0,2.50]}'
    service.will(httpx.Response(200, content=f'{{"record":{{"id":"r1","data":{digits}}}}}'))
    service.will(httpx.Response(200, json={"record": {}}))

    record = project.records.create(type_slug="deal")
    project.records.update("r1", data={"f": 1}, expected_data=record.data)

    assert service.requests[-1].content.decode() == f'{{"data":{{"f":1}},"expectedData":{digits}}}'
    assert record.data["a"] == pytest.approx(0.1234567890123456789)
