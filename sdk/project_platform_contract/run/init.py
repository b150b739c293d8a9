"""`project-platform contract init`: writes a data file with what can be found by reading, and marks what is missing."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, TypeAlias

import httpx
import pikepdf
import yaml

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.operations import contract
from project_platform_contract.schema import members_of

from .api import Api
from .credentials import PERMISSION_PARAMETERS
from .preflight import check_reachable, reading_run
from .target import Target

_REQUESTS: Final = 300  # Maximum number of requests; about 110 are sent.
_PAGE: Final = 100  # Endpoints 12: the highest limit.
_YEARS: Final = 5  # Number of years that are read until one has no busy interval.
_FIRST_YEAR: Final = 5  # Years from now; a calendar has few events then.
_MONTHS: Final = (0, 1, -1, 2, -2, 3, -3)  # Months from now, the likeliest first.
_EMPTY_MONTH: Final = "2099-12"
_LABELS: Final = 5  # Number of items that fill one sheet and begin another.
_LABELS_PER_SHEET: Final = 4  # Endpoints 16.
_PAGENET: Final = "pagenet"  # As in the path of Endpoints 11.
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WIDTH: Final = 100  # Columns of a comment.

Json: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Found:
    """The findings of the reads of a deployment.

    Attributes:
        values: Members of the data file.
        notes: By member, how it was found, or why it was not.
        lacking: Permissions that the token lacks; None if they could not be checked.
        advice: Entries to make in the file by hand, and where.
    """

    values: Json = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    lacking: list[str] | None = None
    advice: str = ""

    def add(self, member: str, value: Any, how: str, absent: str = "") -> None:
        """Add a member and how it was found; without a value, why it is absent."""
        if value is not None:
            self.values[member] = value
        self.notes[member] = absent if value is None else how


def write_data_file(path: Path, url: str, data: Data) -> Found:
    """Read a deployment, write a commented data file, and return what was found.

    Raises:
        FileExistsError: The file exists.
        UnreachableError: The deployment cannot be reached, or does not respond as the API.
    """
    with path.open("x", encoding="utf-8") as file:  # before the requests
        try:
            found = _find(url, data)
            lines = list(_lines(url, data["project"], found))
            file.write("".join(f"{line}\n" for line in lines))
        except BaseException:
            path.unlink()
            raise
    if found.lacking:
        found.advice += (
            f"The token lacks {len(found.lacking)} of 81 permissions, and the rules take it for that of an owner, who holds all: "
            f"unless it is one, delete {path}, and run this command again with the token of an owner.\n"
        )
    if "menu_month" not in found.values:
        place = next(number for number, line in enumerate(lines, 1) if line.startswith("# menu_month:"))
        found.advice += (
            f"{path}, line {place}: {found.notes['menu_month']}. Enter a month with at least {_LABELS} approved items as menu_month, "
            "their identifiers as menu_items, and that of an item that is not approved as unapproved_menu_item.\n"
        )
    return found


def _find(url: str, data: Data) -> Found:
    found = Found()
    with closing(reading_run(Target(url, data), requests=_REQUESTS)) as run:
        check_reachable(run)
        api = run.api("owner", [], [])
        for read, members in _READS:
            try:
                read(api, found)
            except (MissingError, httpx.TransportError, LookupError, TypeError, ValueError, pikepdf.PdfError) as error:
                for member in members:
                    found.notes.setdefault(member, f"it could not be read: {error}")
    return found


def _agents(api: Api, found: Found) -> None:
    agents: list[str] = []
    while True:
        page = _read(api, "agents_list", query={"limit": _PAGE, "offset": len(agents)})
        more = [agent["id"] for agent in page["agents"] if agent["id"] not in agents]
        agents += more
        if not more or not page["pagination"]["hasMore"]:
            break
    found.add("agents", agents, f"all {len(agents)} of agents.list")


def _posts(api: Api, found: Found) -> None:
    """Find accounts and posts: the account that has media figures is that of the photo network."""
    posts: list[Json] = _read(api, "posts_list")["data"]["posts"]
    accounts = list(dict.fromkeys(post["socialAccountId"] for post in posts))
    photo = next((account for account in accounts if _has_figures(api, account)), None)
    on_pages = [post for post in posts if post.get("platform") == _PAGENET and post["socialAccountId"] != photo]
    published = [post for post in on_pages if post.get("publishedAt")]
    scheduled = [post for post in on_pages if not post.get("publishedAt") and post.get("status") != "failed"]
    failed = [post for post in posts if post.get("status") == "failed"]
    liked = [post for post in posts if post["socialAccountId"] == photo and post.get("publishedAt")]
    platforms = ", ".join(sorted({str(post.get("platform")) for post in posts})) or "none"
    absent = f"no such post of the platform {_PAGENET!r} is in posts.list, which has these platforms: {platforms}"
    found.add("page_account", _first(published or on_pages, "socialAccountId"), f"that of a {_PAGENET} post", absent)
    found.add("photo_account", photo, "it has media figures", "no account of posts.list has media figures")
    found.add(
        "published_page_post",
        _first(published, "id"),
        "it has a publishedAt; a run with --allow notify likes it",
        absent,
    )
    found.add("unpublished_page_post", _first(scheduled, "id"), "it has no publishedAt", absent)
    found.add("failed_post", _first(failed, "id"), "its status is failed", "no post has the status failed")
    if liked:
        found.notes["published_photo_post"] = f"likes of it would be sent; if you want that, {liked[0]['id']} is one"


def _first(items: Sequence[Json], member: str) -> str | None:
    return str(items[0][member]) if items else None


def _has_figures(api: Api, account: str) -> bool:
    response = api("photo_analytics_list_media", accountId=account)
    return response.is_success and bool(response.json()["data"]["media"])


def _analytics(api: Api, found: Found) -> None:
    configured = _read(api, "web_analytics_get_config")["config"] is not None
    found.add("analytics_configured", configured, "as web_analytics.get_config shows")


def _calendar(api: Api, found: Found) -> None:
    """Find a year without a busy interval. No read shows the identifier of a calendar."""
    first = datetime.now(UTC).year + _FIRST_YEAR
    for year in range(first, first + _YEARS):
        begin, end = f"{year}-01-01T00:00:00Z", f"{year + 1}-01-01T00:00:00Z"
        if not _read(api, "calendar_busy", query={"timeMin": begin, "timeMax": end})["busy"]:
            found.add(
                "free_slot", begin, "calendar.busy has no interval in that year; a run with --allow notify books there"
            )
            return
    found.add("free_slot", None, f"each year from {first} has a busy interval")


def _permissions(api: Api, found: Found) -> None:
    """Find the parameter of a permission check, and check all permissions of the token."""
    for name in PERMISSION_PARAMETERS:
        if api("auth_check_permission", query={name: "settings:read"}).is_success:
            found.add("permission_parameter", name, "permission checks accept it")
            break
    else:
        found.notes["permission_parameter"] = f"no usual name is accepted: {', '.join(PERMISSION_PARAMETERS)}"
        return
    values: list[str] = contract()["components"]["schemas"]["Permission"]["enum"]
    found.lacking = [
        value for value in values if not _read(api, "auth_check_permission", query={name: value})["allowed"]
    ]


def _menu(api: Api, found: Found) -> None:
    """Find a month with enough approved items, and with one that is not approved if there is such a month.

    The review lists items by their identifiers, but its members are not specified: items count as printed where they are
    listed under another name than those of a month without labels, and than those that are not approved.
    """
    skipped = _reviewed(api, {"menuMonth": _EMPTY_MONTH})[0]
    today = datetime.now(UTC).date()
    longest, chosen = (0, ""), None
    for month in (_month(today, months) for months in _MONTHS):
        listed, sheets = _reviewed(api, {"menuMonth": month})
        more, _ = _reviewed(api, {"menuMonth": month, "includeUnapproved": True})
        # A list that loses items when others are included is that of items which are not printed.
        names = [name for name, items in listed.items() if name not in skipped and set(items) <= {*more.get(name, ())}]
        printed = _unique(listed, names)
        longest = max(longest, (sheets, month))
        if len(printed) >= _LABELS and sheets == -(-len(printed) // _LABELS_PER_SHEET):
            item = next((each for each in _unique(more, names) if each not in printed), None)
            if chosen is None or item is not None:
                chosen = month, printed, item
            if item is not None:
                break
    if chosen is not None:
        month, printed, item = chosen
        found.add("menu_month", month, f"labels.export prints {len(printed)} of its items")
        found.add("menu_items", printed, "the items that label-review.json lists as printed")
        found.add(
            "unapproved_menu_item", item, "printed with includeUnapproved only", "includeUnapproved prints no other"
        )
        return
    months = f"{_month(today, min(_MONTHS))} to {_month(today, max(_MONTHS))}"
    seen = (
        f"the PDF of {longest[1]} has the most pages, {longest[0]}"
        if longest[0]
        else "each export was answered with 400"
    )
    for member in ("menu_month", "menu_items", "unapproved_menu_item"):
        found.notes[member] = (
            f"label-review.json does not show {_LABELS} printed items in any month from {months}; {seen}"
        )


def _unique(listed: dict[str, list[str]], names: list[str]) -> list[str]:
    """Return the items of some lists, each once."""
    return list(dict.fromkeys(item for name in names for item in listed.get(name, ())))


def _reviewed(api: Api, body: Json) -> tuple[dict[str, list[str]], int]:
    """Return the identifiers in the review of an export by the members that lead to them, and its number of sheets.

    A month without labels may be refused.
    """
    response = api("labels_export", json=body)
    if response.status_code == httpx.codes.BAD_REQUEST:
        return {}, 0
    if not response.is_success:
        raise MissingError(f"labels.export was answered with {response.status_code}")
    with pikepdf.open(BytesIO(response.content)) as pdf:
        review = json.loads(pdf.attachments["label-review.json"].get_file().read_bytes())
        listed: dict[str, list[str]] = defaultdict(list)
        for name, text in _texts(review, ""):
            if _UUID.fullmatch(text) and text not in listed[name]:
                listed[name].append(text)
        return {name: items for name, items in listed.items() if items}, len(pdf.pages)


def _texts(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a JSON value, each with the names of the members that lead to it."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for member, part in value.items():
            yield from _texts(part, f"{name}.{member}")
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, name)


def _month(today: date, months: int) -> str:
    count = today.year * 12 + today.month - 1 + months
    return f"{count // 12:04}-{count % 12 + 1:02}"


def _read(api: Api, operation: str, *, query: Json | None = None) -> Json:
    """Return the body of a successful read.

    Raises:
        MissingError: The read was refused.
    """
    response = api(operation, query=query)
    if not response.is_success:
        raise MissingError(f"{operation} was answered with {response.status_code}")
    body: Json = response.json()
    return body


_READS: Final[Sequence[tuple[Callable[[Api, Found], None], Sequence[str]]]] = (
    (_agents, ("agents",)),
    (_posts, ("page_account", "photo_account", "published_page_post", "unpublished_page_post", "failed_post")),
    (_analytics, ("analytics_configured",)),
    (_calendar, ("free_slot",)),
    (_permissions, ("permission_parameter",)),
    (_menu, ("menu_month", "menu_items", "unapproved_menu_item")),
)
"""What is read, and the members that it finds."""


def _lines(url: str, project: str, found: Found) -> Iterator[str]:
    yield from _comment(
        f"Data file of the contract suite for {url}, written by `project-platform contract init` with requests that only read. "
        "What is commented out is missing: the rules that need it are not run. Replace the example and remove the # to run them."
    )
    yield f"project: {project}"
    yield ""
    if found.lacking is not None:
        lacking = f", and lacks {', '.join(found.lacking)}" if found.lacking else ""
        yield from _comment(
            f"The token holds {81 - len(found.lacking)} of 81 permissions{lacking}. Rules take it for that of an owner, who holds all."
        )
        yield ""
    for is_found in (True, False):
        for member, known in members_of("data").items():
            if member == "project" or (member in found.values) is not is_found:
                continue
            note = found.notes.get(member) or ("no operation reads it" if member not in _OPTIONAL else "optional")
            yield from _comment(f"{known['description']} ({'found' if is_found else 'missing'}: {note}.)")
            text = yaml.safe_dump(
                {member: found.values.get(member, known["examples"][0])}, sort_keys=False, allow_unicode=True
            )
            yield from (line if is_found else f"# {line}" for line in text.splitlines())
            yield ""


_OPTIONAL: Final = frozenset({"inferred", "waive", "trigger_type_slug", "trigger_event_type", "published_photo_post"})


def _comment(text: str) -> Iterator[str]:
    return (f"## {line}" for line in wrap(text, _WIDTH, break_on_hyphens=False))
