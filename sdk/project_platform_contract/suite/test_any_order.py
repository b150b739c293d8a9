"""Endpoints 12 to 16: a read is answered for its caller, its project and its parameters, whatever was requested before.

Each test sends every two of its reads in a row, with updates of a record between some of them, and then all at the same time.
Compared is what other requests do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.label_texts import LabelSheets, Words, distinctive, without_places
from .support.preconditions import require_success
from .support.reading import refused
from .support.valid_requests import ValidRequests

_BETWEEN: Final = 9  # Number of reads between two updates.
_IN_A_ROW: Final = 6  # Number of reads of which every two are sent in a row.
_PAGES: Final = 12  # Maximum size of a page that is tried.
_ITEMS: Final = 5  # Number of menu items: a sheet and one more.
_POST: Final = ("id", "projectId", "socialAccountId", "platform", "mediaType", "caption")
_MEDIUM: Final = ("mediaId", "mediaType", "caption", "permalink")

pytestmark = pytest.mark.repeatable

Json = dict[str, Any]


class Read(NamedTuple):
    """A request that reads.

    Attributes:
        identity: The identity that sends it; None without a token.
        arguments: Arguments of `Api.__call__`.
    """

    identity: str | None
    arguments: Json


class Reads:
    """Reads of one operation, and their first answers.

    Args:
        operation: The operationId.
        run: The run that the test belongs to.
        sign_in: Returns an `Api` for an identity.
        reads: The reads; those of an identity without a token in the data file are left out.
        content: Returns what is compared of a success response.
    """

    def __init__(
        self,
        operation: str,
        run: Run,
        sign_in: SignIn,
        reads: Mapping[str, Read],
        *,
        content: Callable[[httpx.Response], Any],
    ) -> None:
        self._operation = operation
        self._run = run
        known = {None, "owner", *run.data.tokens}
        self._reads = {name: read for name, read in reads.items() if read.identity in known}
        self._content = content
        self._apis = {identity: sign_in(identity) for identity in {read.identity for read in self._reads.values()}}
        self.first = {name: self._send(name) for name in self._reads}

    def changed(self, between: Callable[[], object]) -> list[str]:
        """Send every two of the first reads in a row, twice, and return those that were answered otherwise, with the one before.

        Args:
            between: Sends another request, now and then.
        """
        found, before = [], ""
        names = list(self._reads)[:_IN_A_ROW]
        for number, name in enumerate((*_every_two(names), *_every_two(names[::-1]))):
            if number % _BETWEEN == 0:
                between()
            if self._send(name) != self.first[name]:
                found.append(f"{name} after {before}")
            before = name
        return found

    def changed_together(self) -> list[str]:
        """Send all reads at the same time, and return those that were answered otherwise."""
        with ThreadPoolExecutor(len(self._reads)) as senders:
            answers = list(senders.map(self._send, self._reads))
        return [name for name, answer in zip(self._reads, answers, strict=True) if answer != self.first[name]]

    def _send(self, name: str) -> Any:
        read = self._reads[name]
        self._run.forget_reads()
        response = self._apis[read.identity](self._operation, **read.arguments)
        if response.is_success:
            return self._content(response)
        return "refused" if refused(response) else response.status_code


@pytest.fixture
def update(api: Api, valid_requests: ValidRequests) -> Callable[[], httpx.Response]:
    """Returns a function that updates a record of the run."""
    return lambda: require_success(api("records_update", **valid_requests("records_update")))


@pytest.fixture
def read_all(
    contract_run: Run, sign_in: SignIn, update: Callable[[], httpx.Response]
) -> Callable[[str, Mapping[str, Read], Callable[[httpx.Response], Any]], Reads]:
    """Returns a function that sends reads in any order, and returns them with their first answers."""

    def read_all(operation: str, reads: Mapping[str, Read], content: Callable[[httpx.Response], Any]) -> Reads:
        found = Reads(operation, contract_run, sign_in, reads, content=content)
        assert found.changed(update) == []
        assert found.changed_together() == []
        return found

    return read_all


ReadAll = Callable[[str, Mapping[str, Read], Callable[[httpx.Response], Any]], Reads]


@pytest.mark.rule("scope.any-order.agents-list")
def test_agents_are_listed_for_each_request(read_all: ReadAll, api: Api, data: Data) -> None:
    """Each page, of any size and from any agent on, is that part of the whole list; that without an offset is the first one."""
    windows: Mapping[str, Json] = {
        "all": {"limit": 100},
        "first": {"limit": 1, "offset": 0},
        "second and third": {"limit": 2, "offset": 1},
    }
    reads = {name: Read("owner", {"query": query}) for name, query in windows.items()}
    reads["viewer"] = Read("viewer", {"query": {"limit": 2}})
    reads["service account"] = Read("service_account", {"query": {"limit": 100}})
    reads["other project"] = Read("owner", {"query": {"limit": 2}, "projectId": data["other_project"]})
    reads["without a token"] = Read(None, {})

    first = read_all("agents_list", reads, _agents).first

    ids = first["all"][0]
    expected = {name: ids[query.get("offset", 0) :][: query["limit"]] for name, query in windows.items()}
    assert {name: first[name][0] for name in windows} == expected
    assert _differing(first, "service account", "all") == []
    sizes = range(1, min(len(ids), _PAGES) + 1)
    sweep = [window for size in sizes for window in ((3, size), (size, None), (size, len(ids) - size))]
    pages = {(limit, offset): _agents(api("agents_list", query=_page(limit, offset)))[0] for limit, offset in sweep}
    assert pages == {(limit, offset): ids[offset or 0 :][:limit] for limit, offset in sweep}


def _page(limit: int, offset: int | None) -> Json:
    """Return the parameters of a page, from the first agent on if it has no offset."""
    return {"limit": limit} if offset is None else {"limit": limit, "offset": offset}


@pytest.mark.rule("scope.any-order.posts-list")
def test_posts_are_listed_for_each_request(read_all: ReadAll, data: Data) -> None:
    """Also after one with parameters, which may be filters."""
    reads = {
        "owner": Read("owner", {}),
        "viewer": Read("viewer", {}),
        "service account": Read("service_account", {}),
        "failed": Read("owner", {"query": {"status": "failed", "state": "failed", "platform": "none"}}),
        "other project": Read("owner", {"projectId": data["other_project"]}),
        "without a token": Read(None, {}),
    }

    first = read_all("posts_list", reads, _items("posts", _POST)).first

    assert _differing(first, "service account", "owner") == []


@pytest.mark.rule("scope.any-order.web-analytics-get-config")
def test_the_configuration_is_read_for_each_request(read_all: ReadAll, data: Data) -> None:
    reads = {
        "owner": Read("owner", {}),
        "viewer": Read("viewer", {}),
        "service account": Read("service_account", {}),
        "other project": Read("owner", {"projectId": data["other_project"]}),
        "outsider": Read("outsider", {}),
        "without a token": Read(None, {}),
    }

    first = read_all("web_analytics_get_config", reads, _configuration).first

    assert _differing(first, "service account", "owner") == []


@pytest.fixture
def first_media(api: Api, data: Data) -> frozenset[str]:
    """The media that the run was shown first, by whichever test."""
    response = require_success(api("photo_analytics_list_media", accountId=data["photo_account"]))
    return frozenset(_items("media", _MEDIUM)(response))


@pytest.mark.rule("scope.any-order.photo-analytics-list-media")
def test_figures_are_listed_for_each_request(
    read_all: ReadAll, data: Data, contract_run: Run, first_media: frozenset[str]
) -> None:
    """Some media may be published or removed meanwhile, and not all of them."""
    account = {"accountId": data["photo_account"]}
    reads = {
        "owner": Read("owner", account),
        "viewer": Read("viewer", account),
        "service account": Read("service_account", account),
        "page account": Read("owner", {"accountId": data["page_account"]}),
        "unknown account": Read("owner", {"accountId": contract_run.unknown_id}),
        "other project": Read("owner", {**account, "projectId": data["other_project"]}),
    }

    first = read_all("photo_analytics_list_media", reads, _items("media", _MEDIUM)).first

    assert not first_media or first_media.intersection(first["owner"])
    assert _differing(first, "service account", "owner") == []


@pytest.mark.rule("scope.any-order.labels-export")
def test_labels_are_exported_for_each_request(read_all: ReadAll, data: Data) -> None:
    """Each export has the labels of its items, and as many sheets as they need."""
    items: list[str] = data["menu_items"][:_ITEMS]
    if len(items) < _ITEMS:
        raise MissingError(f"'menu_items' has {len(items)} items; this rule needs {_ITEMS}")
    month = {"menuMonth": data["menu_month"], "stock": "5x3.5"}
    chosen = {
        "all": items,
        "one": items[1:2],
        "two": [items[4], items[2]],
        "three": [items[3], items[0], items[4]],
        "four": items[1:],
    }
    included = {**month, "includeUnapproved": True}
    unapproved = data["unapproved_menu_item"]
    exports = {name: Read("owner", {"json": {**month, "itemIds": ids}}) for name, ids in chosen.items()}
    reads = {name: exports[name] for name in ("all", "one", "two")}
    reads["viewer"] = Read("viewer", {"json": {**month, "itemIds": chosen["two"]}})
    reads["unapproved"] = Read("owner", {"json": {**included, "itemIds": [unapproved]}})
    reads["other month"] = Read(
        "owner", {"json": {**month, "itemIds": items[:1], "menuMonth": _later(month["menuMonth"])}}
    )
    reads["other project"] = Read(
        "owner", {"json": {**month, "itemIds": items[:1]}, "projectId": data["other_project"]}
    )

    reads["with unapproved"] = Read("owner", {"json": {**included, "itemIds": [*items[:3], unapproved]}})

    first = read_all("labels_export", {**reads, **exports}, _labels).first

    if refused_or_empty := [name for name in chosen if not isinstance(first[name], Labels)]:
        raise MissingError(f"items have no labels: {', '.join(refused_or_empty)}")
    quarters = [words for sheet in first["all"].sheets for words in sheet]
    shifted = [words for sheet in first["four"].sheets for words in sheet]  # other items at the same places
    whole = distinctive([*quarters[:4], frozenset[str]().union(*quarters[4:])])
    own = [words for words in without_places(whole, shifted[:4]) if words]
    labels = {
        name: sorted(sum(bool(words & quarter) for sheet in first[name].sheets for quarter in sheet) for words in own)
        for name in chosen
    }
    assert labels == {name: [0] * (len(own) - len(ids)) + [1] * len(ids) for name, ids in chosen.items()}
    sheets = {"all": 2, "one": 1, "two": 1, "three": 1, "four": 1}
    assert {name: len(first[name].sheets) for name in chosen} == sheets
    assert _differing(first, "viewer", "two") == []
    unapproved_printed = all(isinstance(first[name], Labels) for name in ("unapproved", "with unapproved"))
    if unapproved_printed and first["one"].review != first["two"].review:  # the review has words of the items
        assert first["four"].review != first["with unapproved"].review
        assert (first["unapproved"].review - first["all"].review) & first["with unapproved"].review


@pytest.mark.rule("labels.export.whole-month")
def test_a_month_has_all_of_its_items(api: Api, data: Data, update: Callable[[], httpx.Response]) -> None:
    """Its unapproved ones only on request, whether such an export was sent before or not."""
    month = {"menuMonth": data["menu_month"], "stock": "5x3.5"}
    items = [*data["menu_items"][:_PAGES], data["unapproved_menu_item"]]

    def words(**body: Any) -> Words:
        update()
        labels = _labels(require_success(api("labels_export", json={**month, **body})))
        return labels.words if isinstance(labels, Labels) else frozenset()

    own = distinctive([words(itemIds=[item], includeUnapproved=True) for item in items])
    if [] in map(list, own):
        raise MissingError("the labels of some items have no word that no other one has")
    months = [words(**switch) for switch in ({}, {"includeUnapproved": True}, {"includeUnapproved": False})]

    printed = [[bool(label & found) for label in own] for found in months]
    approved = [True] * (len(items) - 1)
    assert printed == [[*approved, False], [*approved, True], [*approved, False]]


class Labels(NamedTuple):
    """What is compared of an export.

    Attributes:
        sheets: The words in the quarters of each sheet.
        review: The strings of the review without digits, which may be times.
    """

    sheets: tuple[tuple[Words, ...], ...]
    review: Words

    @property
    def words(self) -> Words:
        """All words."""
        return frozenset[str]().union(*(words for sheet in self.sheets for words in sheet))


def _differing(first: Mapping[str, Any], name: str, other: str) -> list[str]:
    """Return the name of a read that succeeded with another answer than another read."""
    known = name in first and first[name] != "refused"
    return [name] if known and first[name] != first[other] else []


def _labels(response: httpx.Response) -> Labels | str:
    try:
        sheets = LabelSheets(response)
    except MissingError:
        return "no labels"
    review = frozenset(text for text in sheets.review if not any(map(str.isdigit, text)))
    return Labels(tuple(tuple(sheet) for sheet in sheets.quarters), review)


def _agents(response: httpx.Response) -> tuple[list[str], Json]:
    body = response.json()
    pagination = body["pagination"]
    return [agent["id"] for agent in body["agents"]], {
        name: pagination.get(name) for name in ("limit", "offset", "hasMore")
    }


def _items(member: str, fields: Sequence[str]) -> Callable[[httpx.Response], list[str]]:
    """Return a function that returns some fields of the items of a list, in any order."""

    def content(response: httpx.Response) -> list[str]:
        return sorted(str([item.get(name) for name in fields]) for item in response.json()["data"][member])

    return content


def _configuration(response: httpx.Response) -> Any:
    config = response.json()["config"]
    return config and {name: value for name, value in config.items() if name != "updatedAt"}


def _every_two(names: Sequence[str]) -> Iterator[str]:
    """Yield names in a sequence that has every two of them in a row, also each one twice."""
    for number, name in enumerate(names):
        yield name
        for other in names[number + 1 :]:
            yield name
            yield other
    yield names[0]


def _later(month: str) -> str:
    """Return the month a year later, such as `2027-11` for `2026-11`."""
    year, rest = month[:4], month[4:]
    return f"{int(year) + 1}{rest}"
