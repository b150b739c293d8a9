"""Properties of the SDK's values for every input: paths, queries, JSON, delays and pages."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import pickle
from decimal import Decimal
from types import SimpleNamespace
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from project_platform import PaginationStalledError, Response, RetryPolicy, UsageError
from project_platform.calls.encoding import query, segment
from project_platform.calls.headers import Headers
from project_platform.calls.page import PagedCall
from project_platform.calls.pagination import Pager
from project_platform.calls.retry import retry_after
from project_platform.json_values.exact_json import dumps, loads, plain

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
# What JSON databases store: no U+0000.
STORED = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(TEXT)
def test_an_encoded_segment_decodes_to_the_original(value):
    """It cannot change the structure of the path: it has no slash and is not a dot segment."""
    assume(value not in {"", ".", ".."})

    encoded = segment("slug", value)

    assert unquote(encoded, errors="strict") == value
    assert encoded not in {"", ".", ".."}
    assert not set(encoded) & set("/?#\\ ")
    assert encoded.isascii()
    assert urlsplit(f"https://platform.example/entries/{encoded}").path == f"/entries/{encoded}"


@given(st.text())
def test_a_segment_is_encoded_or_refused(value):
    """No other exception is possible."""
    if value in {"", ".", ".."} or any("\ud800" <= character <= "\udfff" for character in value):
        with pytest.raises(UsageError, match=r"^slug "):
            segment("slug", value)
    else:
        assert segment("slug", value)


@given(st.dictionaries(TEXT, TEXT))
def test_an_encoded_query_decodes_to_the_original(parameters):
    """Names and values are preserved in order."""
    encoded = query(**parameters)

    assert parse_qsl(encoded[1:], keep_blank_values=True) == list(parameters.items())
    assert encoded.isascii()
    assert encoded[:1] in {"", "?"}


def objects(values):
    """Return JSON texts of objects and arrays of values."""
    members = st.dictionaries(STORED, values, max_size=4)
    texts = members.map(
        lambda m: "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{v}" for k, v in m.items()) + "}"
    )
    return texts | st.lists(values, max_size=4).map(lambda items: "[" + ",".join(items) + "]")


JSON = st.recursive(
    NUMBERS
    | st.sampled_from(["true", "false", "null"])
    | STORED.map(lambda text: json.dumps(text, ensure_ascii=False)),
    objects,
    max_leaves=20,
)


@given(JSON)
def test_parsed_json_is_written_unchanged(text):
    """Every digit of every number, also after copies and pickles."""
    value = loads(text.encode())

    written = dumps(value)

    exact = json.loads(text, parse_float=Decimal)
    assert json.loads(written, parse_float=Decimal) == exact
    assert [str(n) for n in numbers(json.loads(written, parse_float=Decimal))] == [str(n) for n in numbers(exact)]
    assert dumps(copy.deepcopy(value)) == dumps(pickle.loads(pickle.dumps(value))) == written


def numbers(value):
    """Return the numbers of a JSON value, in order."""
    if isinstance(value, dict):
        return [number for member in value.values() for number in numbers(member)]
    if isinstance(value, list):
        return [number for element in value for number in numbers(element)]
    return [value] if isinstance(value, int | Decimal) and not isinstance(value, bool) else []


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals() | st.uuids(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text() | st.integers(), values, max_size=3),
    max_leaves=8,
)


@given(ANYTHING)
def test_the_output_is_json(value):
    """Every JSON parser accepts it, or the value is refused; no other exception is possible."""
    with contextlib.suppress(UsageError):
        json.loads(dumps(value, "data"), parse_constant=pytest.fail)


@given(
    st.integers(1, 60),
    st.floats(0, 100, allow_nan=False),
    st.floats(0, 1000, allow_nan=False),
)
def test_a_delay_is_drawn_from_its_range(attempt, initial, longest):
    """Full jitter: from zero to a maximum that doubles with every attempt, up to `max_delay`."""
    policy = RetryPolicy(max_attempts=100, initial_delay=initial, max_delay=longest, deadline=None)

    delay = policy.delay(attempt, Response(503), retry="safe", elapsed=0.0, now=0.0)

    assert 0 <= delay <= min(longest, initial * 2 ** (attempt - 1)) + 1e-9


def test_delays_are_spread_over_their_range():
    """Clients that failed together do not retry together."""
    policy = RetryPolicy(initial_delay=1.0, max_delay=64.0)

    drawn = [policy.delay(2, Response(503), retry="safe", elapsed=0.0, now=0.0) for _ in range(400)]

    assert min(drawn) < 0.2
    assert max(drawn) > 1.8
    assert math.isclose(sum(drawn) / len(drawn), 1.0, abs_tol=0.2)


@given(st.floats(-10, 120), st.floats(0, 60))
def test_no_delay_ends_after_the_deadline(left, requested):
    """A call waits only if the delay ends before the deadline."""
    response = Response(503, Headers({"retry-after": f"{requested:f}"}))

    delay = RetryPolicy().delay(1, response, retry="safe", elapsed=0.0, now=0.0, left=left)

    assert delay is None or delay < left


@given(st.text() | st.floats().map(str) | st.datetimes().map(str), st.sampled_from(["retry-after", "retry-after-ms"]))
def test_every_retry_after_header_is_a_delay_or_ignored(text, name):
    """No header makes a call fail, wait forever, or wait a negative time."""
    seconds = retry_after(Headers({name: text}), now=1.8e9)

    assert seconds is None or (0 <= seconds < math.inf)


class Listing:
    """A list of agents behind a service with varying page sizes."""

    def __init__(self, names, sizes):
        self.names, self.sizes, self.requested = names, sizes, 0

    def pager(self, send, start):
        """Return a pager of the list."""
        first = SimpleNamespace(operation=SimpleNamespace(id="agents_list"), offset=start)
        paged = PagedCall(
            first,
            start,
            lambda offset: SimpleNamespace(offset=offset),
            lambda response: (response.items, response),
            lambda item: item,
            str,
        )
        return Pager(paged, send)

    def response(self, call):
        """Return a page of the next size."""
        size = self.sizes[self.requested % len(self.sizes)]
        self.requested += 1
        items = self.names[call.offset : call.offset + size]
        more = call.offset + len(items) < len(self.names)
        page = SimpleNamespace(items=items, limit=size, offset=call.offset, has_more=more)
        return SimpleNamespace(value=page, attempts=())


SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=5)


@given(st.integers(0, 40), SIZES, st.integers(0, 45))
def test_paging_gives_each_item_once_and_in_order(count, sizes, start):
    """For all page sizes and start offsets."""
    listing = Listing([f"a{number}" for number in range(count)], sizes)

    pager = listing.pager(listing.response, start)

    assert list(pager) == listing.names[start:]
    assert [item for page in pager.pages() for item in page.items] == listing.names[start:]


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 5))
def test_an_endless_list_is_detected(noise, size):
    """The loop ends, whatever pages a faulty service repeats, and no new item was left out before."""
    listing = Listing(noise, [size])

    def always_more(call):
        response = listing.response(call)
        response.value.has_more = True
        return response

    with pytest.raises(PaginationStalledError):
        list(listing.pager(always_more, 0))

    assert listing.requested <= len(noise) + 1


class _Word(str):
    """A string of another type, as enumerations and libraries have them."""

    __slots__ = ()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | NUMBERS.map(loads)
OTHERS = st.builds(_Word, st.text()) | st.binary() | st.decimals() | st.datetimes(timezones=st.timezones())
KEYS = st.text() | st.builds(_Word, st.text()) | st.integers()


def nested(values):
    """Return arrays, tuples and objects of values."""
    arrays = st.lists(values, max_size=3)
    return arrays | arrays.map(tuple) | st.dictionaries(st.text(), values, max_size=3)


def shape(value):
    """Return a value with its types, its texts of numbers, and the order of its keys."""
    match value:
        case dict():
            return dict, [(type(key), key, shape(member)) for key, member in value.items()]
        case list():
            return list, [shape(element) for element in value]
        case _:
            return type(value), repr(value), getattr(value, "text", None)


@given(
    st.dictionaries(st.text(), st.recursive(SCALARS, nested, max_leaves=4), max_size=3)
    | st.dictionaries(KEYS, st.recursive(SCALARS | OTHERS, nested, max_leaves=4), max_size=2)
)
@example({"n": 10**5000})
@example({"text": "a\0b"})
@settings(max_examples=300)
def test_a_plain_copy_is_what_would_be_written_and_read(data):
    """In values, types and refusals, and it shares no object or array with the original."""
    before = copy.deepcopy(data)
    with contextlib.suppress(UsageError):
        expected = loads(dumps(data, "data"))
        copied = plain(data, "data")
        assert shape(copied) == shape(expected)
        for member in copied.values():
            if isinstance(member, list | dict):
                member.clear()
        assert shape(data) == shape(before)
        return
    with pytest.raises(UsageError) as writing:
        dumps(data, "data")
    with pytest.raises(UsageError) as copying:
        plain(data, "data")
    assert str(copying.value) == str(writing.value)
