"""Endpoints: the same path and query in another encoding is the same request.

A character that is percent-encoded although it need not be denotes the same (RFC 3986 section 2.3), with upper and lower case digits
(section 2.1), and `%25` is a percent sign: `%252F` is the text `%2F`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.run.api import Api, SignIn

from .support.calendar import Bookings, intervals, joined
from .support.more import More
from .support.parametrize import parametrize_operations
from .support.permission_parameter import permission_parameter
from .support.preconditions import require_success
from .support.reading import discloses_nothing, refused
from .support.restore_after import RestoreAfter
from .support.valid_requests import ValidRequests

# The fuse knows the sidebar by its path, and irreversible requests are sent once.
_ENCODABLE: Final = frozenset(
    operation.id
    for operation in operations()
    if "{" in operation.path and operation.effect != "irreversible" and operation.id != "sidebar_replace"
)


def _encoded(text: str) -> str:
    """Return a text of which every character is percent-encoded, with upper and lower case digits in turns."""
    digits = cycle(("02X", "02x"))
    return "".join(f"%{byte:{next(digits)}}" for byte in text.encode())


@parametrize_operations("answers", lambda operation: operation.id in _ENCODABLE)
def test_a_path_may_be_percent_encoded(
    api: Api, more: More, valid_requests: ValidRequests, restore_after: RestoreAfter, operation: str
) -> None:
    """All of the project and of every other identifier. A second like may be a conflict."""
    arguments = valid_requests(operation)
    names = {"projectId": api.project, **arguments}
    restore_after(operation)
    encoded = operation_by_id(operation).path.format(
        **{name: _encoded(value) for name, value in names.items() if name not in {"json", "query"}}
    )
    body = {"json": arguments["json"]} if "json" in arguments else {}

    for path in more([encoded]):
        response = api.request(operation_by_id(operation).method, path, params=arguments.get("query"), **body)

        if not (operation == "engagement_like" and response.status_code == httpx.codes.CONFLICT):
            assert response.is_success, f"{path} was answered with {response.status_code}"
            assert _named(response) == _named(api(operation, **arguments))


def _named(response: httpx.Response) -> Any:
    """Return the identifiers of what a response is about, as far as the same request repeats them."""
    try:
        body = response.json()
    except ValueError:
        return response.headers["Content-Type"]
    match next(
        (
            body.get(name) or body.get("data", {}).get(name)
            for name in _NAMED
            if name in {**body, **body.get("data", {})}
        ),
        None,
    ):
        case list() as items:
            return sorted(str(item.get("id", item.get("mediaId"))) for item in items)
        case dict() as thing if response.request.method != "POST":
            return thing["id"]
        case found:
            return type(found)


_NAMED: Final = ("agents", "posts", "media", "config", "entry", "record")


@pytest.mark.rule("permissions.check.exact")
def test_a_permission_may_be_percent_encoded(sign_in: SignIn, more: More, data: Data) -> None:
    """And so may the name of its parameter. Other parameters before or after it change nothing."""
    name = permission_parameter(sign_in("owner"))
    path = operation_by_id("auth_check_permission").path
    held: dict[str, Any] = data["permissions"]
    seen, expected = {}, {}
    for identity in more(("owner", *held)):
        value = "crm_objects:write" if identity == "viewer" else "crm_objects:read"
        forms = (f"{_encoded(name)}={_encoded(value)}", f"{name}={value}", f"{name}={value.replace(':', '%3a')}")
        for query in more(forms):
            response = sign_in(identity).request("GET", f"{path}?{query}")
            seen[identity, query] = response.is_success and response.json()["allowed"]
            expected[identity, query] = identity == "owner" or value in held[identity]

    assert seen == expected


@pytest.mark.rule("permissions.check.other-values")
def test_a_permission_that_is_encoded_twice_is_another_text(api: Api, more: More) -> None:
    """As is one with a blank, which a plus sign denotes in a query."""
    name, path = permission_parameter(api), operation_by_id("auth_check_permission").path
    values = (
        "settings%253Aread",
        "settings:read%2B",
        "+settings:read",
        "settings:read%00",
        "settings%EF%BC%9Aread",
        "settings:read%0A",
    )

    responses = {value: api.request("GET", f"{path}?{name}={value}") for value in more(values)}

    assert [value for value, response in responses.items() if not refused(response)] == []
    assert [value for value, response in responses.items() if not discloses_nothing(response)] == []


@pytest.mark.rule("agents.list.page-size", "agents.list.offset-skips")
def test_the_parameters_of_a_page_are_in_any_order_and_encoding(api: Api, more: More) -> None:
    """Other parameters may be refused, but change nothing."""
    same = more(("offset=1&limit=2", "offset=%31&%6cimit=2", "limit=%32&o%66fset=1"))
    others = more(("limit=2&offset=1&_=7&Limit=1&page=3", "&limit=2&&offset=1&", "limit=2&limit=2&offset=1"))

    responses = {query: api.request("GET", f"{api.path('agents_list')}?{query}") for query in (*same, *others)}

    assert [query for query in same if not responses[query].is_success] == []
    pages = {
        query: [agent["id"] for agent in response.json()["agents"]]
        for query, response in responses.items()
        if not refused(response)
    }
    assert [query for query, page in pages.items() if page != pages[same[0]]] == []


@pytest.mark.rule("calendar.busy.every-event")
def test_a_range_is_in_any_order_and_encoding(bookings: Bookings, api: Api, data: Data) -> None:
    """A plus sign that is not encoded denotes a blank, so that such a timestamp may be refused."""
    bookings.book(0, 10)
    bookings.book(20, 30)
    path = api.path("calendar_busy")
    first, last = (bookings.with_offset(minutes, "+05:30") for minutes in (15, 40))
    calendar = data.values.get("calendar", "")
    named = [f"&calendarId={quote(calendar, safe='@')}", f"&calendarId={_encoded(calendar)}"] if calendar else []
    queries = {
        "colons": f"timeMin={first.replace('+', '%2B')}&timeMax={last.replace('+', '%2b')}",
        "everything": f"{_encoded('timeMin')}={_encoded(first)}&timeMax={_encoded(last)}",
        "another order": f"timeMax={quote(last, safe='')}&timeMin={quote(first, safe='')}",
        **{
            f"calendar {n}": f"timeMin={bookings.at(15)}&timeMax={bookings.at(40)}{more}"
            for n, more in enumerate(named)
        },
    }
    lenient = {
        "a blank": f"timeMin={first}&timeMax={last}",
        "another parameter": f"timeMin={bookings.at(15)}&timeMax={bookings.at(40)}&timemin={bookings.at(0)}&zone=Asia/Tokyo",
        "repeated": f"timeMin={bookings.at(15)}&timeMax={bookings.at(40)}&timeMin={bookings.at(15)}",
    }

    for name, query in {**queries, **lenient}.items():
        response = api.request("GET", f"{path}?{query}")
        if name in lenient and refused(response):
            continue
        assert response.is_success, f"{name}: {response.status_code}"
        slots = intervals(response)
        assert [bookings.span({"start": str(a), "end": str(b)}) for a, b in slots] == [(20, 30)], name


@pytest.mark.rule("scope.any-order.posts-list")
def test_filters_are_in_any_order_and_encoding(api: Api) -> None:
    """Whichever names they have: of those that do nothing, no list is another one."""
    posts = require_success(api("posts_list")).json()["data"]["posts"]
    if not posts:
        raise MissingError("the project has no posts")
    values = {name: str(posts[0].get(name) or "") for name in ("status", "platform")}
    names = {**values, "state": values["status"], "network": values["platform"]}
    orders = (names, dict(reversed(names.items())))

    plain = [api("posts_list", query=query) for query in orders]
    encoded = [
        api.request(
            "GET", f"{api.path('posts_list')}?" + "&".join(f"{_encoded(n)}={_encoded(v)}" for n, v in query.items())
        )
        for query in orders
    ]

    assert len({response.status_code for response in (*plain, *encoded)}) == 1
    assert len({str(_named(response)) for response in (*plain, *encoded) if response.is_success}) <= 1


def _variants(identifier: str) -> Iterator[str]:
    """Yield other identifiers that a service may take for one: by case, blanks, encoding and normal form."""
    seen = {identifier}
    wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" and sign not in "/\\" else sign for sign in identifier)
    middle = len(identifier) // 2
    for other in (
        *(identifier.upper(), identifier.lower(), identifier.swapcase()),
        *(f" {identifier}", f"{identifier} ", f"{identifier[:middle]} {identifier[middle:]}"),
        *(quote(identifier, safe=""), _encoded(identifier[0]) + identifier[1:]),
        *(wide, *(unicodedata.normalize(form, identifier) for form in ("NFC", "NFD"))),
    ):
        if other not in seen:
            seen.add(other)
            yield other


@pytest.mark.rule("calendar.busy.exact-calendar")
def test_a_calendar_is_named_by_its_identifier_exactly(bookings: Bookings, data: Data) -> None:
    """The service may refuse another one, or list nothing."""
    bookings.book(0, 30)
    span = {"timeMin": bookings.at(0), "timeMax": bookings.at(30)}
    assert joined(bookings.listed({**span, "calendarId": data["calendar"]})) == [(0, 30)]

    taken = [id for id in _variants(data["calendar"]) if _lists(bookings.query({**span, "calendarId": id}))]

    assert taken == []


def _lists(response: httpx.Response) -> bool:
    return response.is_success and response.json()["busy"] != []
