"""Endpoints 12 to 15: agents, posts, figures and the configuration of two projects, as every caller reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.rules.kinds import dashed

from ..support.json_equality import differences
from ..support.lists import LASTING, LISTS, id_of, items_of, some_fields
from ..support.preconditions import require_success
from .reads import Content, Json, Read, Reads
from .stream import Checks, Stream

EVERY_CALLER: Final = {
    "agents_list": "agents.list.all",
    "posts_list": "posts.list.every-caller",
    "photo_analytics_list_media": "photo-analytics.media.every-caller",
    "web_analytics_get_config": "web-analytics.config.every-caller",
}
"""By operation: the rule that what a project has is the same for every caller who may read it."""

RULES: Final = (*EVERY_CALLER.values(), *(f"scope.any-order.{dashed(operation)}" for operation in EVERY_CALLER))
"""The rules that the reads check."""

_OWN_READS: Final = 3  # Number of reads of the owner that show which fields change without a request.


def play(stream: Stream) -> Checks:
    """Send the reads, and return the checks. A run that only reads sends those of the owner and the viewer."""
    for operation, rule in EVERY_CALLER.items():
        stream.attempt(partial(_read, stream, operation, rule))
    return stream.end()


def _read(stream: Stream, operation: str, rule: str) -> None:
    _compare_callers(stream, operation, rule)
    if stream.run.allows("write"):
        _read_in_any_order(stream, operation)


def _compare_callers(stream: Stream, operation: str, rule: str) -> None:
    """Compare what the viewer reads with what the owner reads, without the fields that change by themselves, such as figures."""
    account = _account(stream) if operation == "photo_analytics_list_media" else {}
    response = stream.api("viewer")(operation, **account)
    if response.is_client_error:
        raise MissingError(f"the viewer may not read this: {response.status_code}")
    own, seen = (
        _items(operation, each) for each in (require_success(stream.api("owner")(operation, **account)), response)
    )
    left_out: set[str] = set()
    if seen != own:
        left_out = _changing(_repeated(stream, operation, account)) | _hidden(seen)
        own = _items(operation, stream.api("owner")(operation, **account))
    problem = differences(*([_without(left_out, item) for item in items] for items in (own, seen)))
    stream.check(rule, problem and f"the viewer reads something else than the owner: {problem}", "")


def _repeated(stream: Stream, operation: str, account: Json) -> Iterator[list[Json]]:
    for _ in range(_OWN_READS):
        stream.run.forget_reads()
        yield _items(operation, require_success(stream.api("owner")(operation, **account)))


def _changing(reads: Iterator[list[Json]]) -> set[str]:
    """Return the names of the fields that two reads in a row show with other values of the same item."""
    return {
        name
        for before, after in pairwise(reads)
        for one in before
        for other in after
        if id_of(one) == id_of(other)
        for name, value in one.items()
        if differences(value, other[name])
    }


def _hidden(items: Sequence[Json]) -> set[str]:
    """Return the names of the fields that no item has: a caller may lack the permission to read them."""
    names = {name for item in items for name in item} - {"id", "mediaId"}
    return {name for name in names if all(item[name] is None for item in items)}


def _read_in_any_order(stream: Stream, operation: str) -> None:
    reads = dict(_of_callers(stream, operation))
    if operation == "agents_list":
        pages = {name: Read("owner", {"query": query}) for name, query in _PAGES.items()}
        reads = {"other project": reads["other project"], **pages, **reads}
    found = Reads(stream, operation, reads, _content(operation)).problems(_wrong)
    stream.check(f"scope.any-order.{dashed(operation)}", found, "")


def _of_callers(stream: Stream, operation: str) -> Iterator[tuple[str, Read]]:
    """Yield reads of several callers, in two projects and with parameters."""
    data, run = stream.run.data, stream.run
    path = _account(stream) if operation == "photo_analytics_list_media" else {}
    yield "owner", Read("owner", path)
    yield "other project", Read("owner", {**path, "projectId": data.values.get("other_project")})
    yield "viewer", Read("viewer", path)
    if operation == "photo_analytics_list_media":
        yield "page account", Read("owner", {"accountId": data["page_account"]})
        yield "unknown account", Read("owner", {"accountId": run.unknown_id})
    elif operation == "posts_list":
        yield "failed", Read("owner", {"query": {"status": "failed", "state": "failed", "platform": "none"}})
    else:
        yield "capital letters", Read("owner", {**path, "projectId": data["project"].upper()})
    yield "without a token", Read(None, path)
    yield "service_account", Read("service_account", path)


_PAGES: Final = {
    "all": {"limit": 100},
    "first": {"limit": 1, "offset": 0},
    "third and fourth": {"limit": 2, "offset": 2},
    "first two": {"limit": 2},
}


def _wrong(first: Mapping[str, Any]) -> list[str]:
    """Return the reads of the same by other callers that succeed with something else, and the pages that are not of the whole list.

    RFC 9562 section 4 allows capital letters.
    """
    same = [name for name in ("service_account", "capital letters") if first.get(name, "refused") != "refused"]
    found = [f"{name} reads something else than the owner" for name in same if first[name] != first["owner"]]
    pages = _PAGES if "all" in first and len(first["all"][0]) < _PAGES["all"]["limit"] else {}
    for name, query in pages.items():
        if first[name][0] != first["all"][0][query.get("offset", 0) :][: query["limit"]]:
            found.append(f"the {name} of the list are {first[name][0]}")
    return found


def _content(operation: str) -> Content:
    """Return a function that returns what is compared of the responses of an operation, in any order but that of agents."""
    if operation == "agents_list":
        return _page
    return lambda response: [some_fields(item, LASTING[operation]) for item in _items(operation, response)]


def _page(response: httpx.Response) -> tuple[list[str], Json]:
    body = response.json()
    page = {name: body["pagination"].get(name) for name in ("limit", "offset", "hasMore")}
    return [agent["id"] for agent in body["agents"]], page


def _items(operation: str, response: httpx.Response) -> list[Json]:
    """Return the documented fields of the items in a response, in a fixed order."""
    found = [some_fields(item, LISTS[operation][1]) for item in items_of(operation, response)]
    return sorted(found, key=lambda item: (str(id_of(item)), str(item)))


def _without(names: set[str], item: Json) -> Json:
    return {name: value for name, value in item.items() if name not in names}


def _account(stream: Stream) -> Json:
    return {"accountId": stream.run.data["photo_account"]}
