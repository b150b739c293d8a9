"""Endpoints 12 to 15: the first answer to a read is the same as the later ones, and a list without things is an empty list."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, Protocol

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import Applications, report_of
from .support.calendar import Bookings, moment, wire
from .support.json_equality import lost
from .support.preconditions import require_success
from .support.reading import refused
from .support.valid_requests import ValidRequests

_LISTS: Final = {
    "agents_list": "agents",
    "posts_list": "posts",
    "photo_analytics_list_media": "media",
    "calendar_busy": "busy",
    "web_analytics_get_config": "config",
}
# Names that filters may have, which the specification does not show; a list that none of them narrows is the whole list.
_FILTERS: Final = ("status", "state", "platform", "network", "mediaType", "type", "from", "timezone", "q")
_LATE: Final = timedelta(days=460)  # After everything that other tests book.

Read = Callable[[], httpx.Response]


class Twice(Protocol):
    """Sends a read twice."""

    def __call__(self, operation: str, read: Read, *, may_grow: bool = False) -> Any:
        """Return what both answered; None if both were refused."""
        ...


_EACH: Final = pytest.mark.parametrize(
    "operation",
    [
        pytest.param("agents_list", marks=pytest.mark.rule("scope.any-order.agents-list")),
        pytest.param("posts_list", marks=pytest.mark.rule("scope.any-order.posts-list")),
        pytest.param(
            "photo_analytics_list_media", marks=pytest.mark.rule("scope.any-order.photo-analytics-list-media")
        ),
        pytest.param("web_analytics_get_config", marks=pytest.mark.rule("scope.any-order.web-analytics-get-config")),
    ],
)


@pytest.fixture
def twice(contract_run: Run) -> Twice:
    """Returns a function that sends a read twice, and returns what both answered; None if both were refused.

    If the list may grow, the second answer has at least what the first one has.
    """

    def twice(operation: str, read: Read, *, may_grow: bool = False) -> Any:
        found: list[Any] = []
        for _ in range(2):
            contract_run.forget_reads()
            response = read()
            found.append(None if refused(response) else _content(operation, require_success(response)))
        if may_grow and None not in found:
            found[1] = [item for item in found[1] if item in found[0]]
        assert found[0] == found[1], f"{operation} was answered otherwise the second time"
        return found[0]

    return twice


def _content(operation: str, response: httpx.Response) -> Any:
    """Return what is listed, in its order, by its identifiers."""
    body = response.json()
    found = body.get("data", body)[_LISTS[operation]]
    if operation == "web_analytics_get_config":
        return [] if found is None else [found["id"]]
    assert isinstance(found, list), f"{operation} lists {found!r}"
    if operation == "agents_list":
        page = body["pagination"]
        assert page["hasMore"] is False or len(found) == page["limit"], f"{len(found)} agents with {page}"
    if body.get("success") is not None:
        assert body["success"] is True, operation
    return [item.get("id") or item.get("mediaId") or (item.get("start"), item.get("end")) for item in found]


@pytest.mark.rule("templates.apply.new-lists")
def test_the_first_reads_of_a_new_sub_project_are_answered_like_the_later_ones(
    api: Api, contract_run: Run, applications: Applications, data: Data, twice: Twice
) -> None:
    """Its lists are arrays. The service may refuse reads, or list what the template made, also agents that it makes later."""
    applied = require_success(applications.whole(api)).json()["data"]
    project = applied["project"]["id"]
    day = moment(data["free_slot"]) + _LATE
    arguments: dict[str, dict[str, Any]] = {
        "posts_list": {},
        "agents_list": {"query": {"limit": 100}},
        "web_analytics_get_config": {},
        "photo_analytics_list_media": {"accountId": contract_run.unknown_id},
        "calendar_busy": {"query": {"timeMin": wire(day), "timeMax": wire(day + timedelta(days=1))}},
    }

    seen = {
        operation: twice(
            operation,
            lambda operation=operation, more=more: api(operation, projectId=project, **more),  # type: ignore[misc]  # the arguments of this turn
            may_grow=operation == "agents_list",
        )
        for operation, more in arguments.items()
    }

    if all(found is None for found in seen.values()):
        raise MissingError("a new sub-project cannot be read")
    assert not seen["posts_list"]
    assert not seen["photo_analytics_list_media"]


@_EACH
@pytest.mark.repeatable
def test_the_first_answer_to_new_parameters_is_that_of_later_ones(
    sign_in: SignIn, data: Data, tag: str, twice: Twice, operation: str
) -> None:
    """With values that no request has had before; in another project; for each caller; and as often as they are repeated."""
    path = {"accountId": data["photo_account"]} if operation == "photo_analytics_list_media" else {}
    never = dict.fromkeys(_FILTERS, f"{tag}-never")
    pages: list[dict[str, Any]] = [{"limit": 99, "offset": 10**6}, {"limit": 97}]
    queries = pages if operation == "agents_list" else [never, {"status": never["status"]}]
    api = sign_in("owner")

    for query in queries:
        twice(operation, lambda query=query: api(operation, query=query, **path))  # type: ignore[misc]  # the query of this turn
    if "viewer" in data.tokens:
        twice(operation, lambda: sign_in("viewer")(operation, **path))
    if "other_project" in data.values:
        twice(operation, lambda: api(operation, projectId=data["other_project"], **path))


@pytest.mark.rule("calendar.busy.every-event")
def test_a_range_is_listed_alike_before_and_after_it_was_listed(bookings: Bookings, twice: Twice) -> None:
    """An empty one is an empty list; after an event was booked in it, the first list has it."""
    for booked in (False, True):
        if booked:
            bookings.book(20, 40)
        for start, end in ((0, 60), (20, 40)):
            query = {"timeMin": bookings.at(start), "timeMax": bookings.at(end)}
            found = twice("calendar_busy", lambda query=query: bookings.query(query))  # type: ignore[misc]  # the query of this turn
            assert bool(found) == booked, query


@pytest.mark.rule("templates.apply.missing-variables")
def test_without_the_optional_values_all_variables_are_missing(
    api: Api, data: Data, applications: Applications
) -> None:
    """As with no value in them. A service may refuse an application without them."""
    response = applications.bare(api)

    if not refused(response):
        report = report_of(require_success(response))
        assert sorted(report["missingVariables"]) == sorted(data["template_variables"])
        project = response.json()["data"]["project"]
        assert project["name"] == applications.name("bare")


@pytest.mark.rule("records.update.answers-record")
def test_the_first_read_of_a_record_is_like_the_later_ones(api: Api, data: Data, tag: str) -> None:
    """With and without each optional field."""
    bodies: list[dict[str, Any]] = [{}, {"data": {}}, {"data": {"title": tag, "n": 0}}, {"externalId": f"{tag}-first"}]
    for body in bodies:
        created = require_success(api("records_create", json={"typeSlug": data["object_type"], **body})).json()[
            "record"
        ]
        reads = [
            require_success(api("records_update", recordId=created["id"], json={})).json()["record"] for _ in range(2)
        ]
        names = (
            "id",
            "typeSlug",
            "externalId",
            "data",
            "displayName",
            "createdAt",
            "createdBy",
            "personRefId",
        )
        for read in reads:
            assert {name: read.get(name) for name in names} == {name: created.get(name) for name in names}
        assert lost(body.get("data", {}), created.get("data") or {}) == []
        assert tag in str(body.get("data")) or tag not in str(created.get("data")), (
            "the data have those of another record"
        )


@_EACH
@pytest.mark.repeatable
def test_an_identifier_in_capital_letters_is_that_of_the_same_project(
    api: Api, valid_requests: ValidRequests, twice: Twice, operation: str
) -> None:
    """Its letters are either small or capital on input (RFC 9562 section 4); the service may refuse capital ones."""
    arguments = valid_requests(operation)

    small = twice(operation, lambda: api(operation, **arguments))
    capital = twice(operation, lambda: api(operation, **arguments, projectId=api.project.upper()))

    assert capital in (None, small)
