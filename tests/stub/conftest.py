"""A stub with a frozen clock, and clients that check every response against the contract.

The check is that of the contract suite, which shares neither the reading of `openapi.yaml` nor the validator with the stub.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from project_platform_contract.operations import contract as read_contract
from project_platform_contract.operations import operation_by_id, operation_of
from project_platform_contract.schema import missing_fields, response_problem
from project_platform_stub import DocumentError, Stub
from project_platform_stub.http.messages import write_json
from project_platform_stub.world.store import TABLES, Key, State

# Every switch with another value than its default, in the format of a profile file.
OTHERWISE = {
    "createdStatus": 200,
    "successStatus": {"sidebar_replace": 202, "agents_list": 203, "workflows_create": 206},
    "invalidStatus": 422,
    "unknownProjectStatus": 404,
    "permissionParameter": "scope",
    "merge": "deep",
    "nestedNulls": "strip",
    "containmentArrays": "equal",
    "memoryMetadata": "merged",
    "defaultLimit": 3,
    "permissions": {"calendar_busy": None, "memory_update": "settings:write"},
    "externalId": "unique",
    "noOpUpdate": "ignore",
    "encodedSlash": "separator",
    "retryAfter": "seconds",
    # Low enough that some requests get a 429, high enough that others do not.
    "rateLimit": {"requests": 40, "perSeconds": 0.1},
    "capacity": 100_000,
    "unknownFields": "refuse",
    "publishDuePosts": False,
}
# The least content of a world file.
SMALL_WORLD = """\
people:
  - {key: owner}
  - {key: clerk, id: user_clerk}
projects:
  - name: Shop
    members: {owner: owner, clerk: viewer}
"""

# The required fields of each body, by operation.
LEAST_BODIES = {
    "workflows_create": {"name": "W", "triggerTypeSlug": "lead", "triggerEventType": "created"},
    "records_create": {"typeSlug": "deal"},
    "records_update": {},
    "calendar_book": {"start": "2026-11-10T09:00:00Z", "summary": "S"},
    "calendar_reschedule": {},
    "sidebar_replace": {"sections": []},
    "templates_apply": {"name": "N"},
    "memory_update": {},
    "engagement_like": {"accountId": "0b9c4c6e-0000-4000-8000-000000000000"},
    "labels_export": {},
}
# The required parameters of each query.
LEAST_QUERIES = {
    "auth_check_permission": {"permission": "agents:read"},
    "calendar_busy": {"timeMin": "2026-11-03T00:00:00Z", "timeMax": "2026-11-04T00:00:00Z"},
}


# The table of the things that a parameter of a path names; a parameter that is added to the contract names none.
TABLE_OF = {
    "recordId": "records",
    "eventId": "events",
    "templateId": "templates",
    "slug": "memory",
    "postId": "posts",
    "accountId": "accounts",
}
MISSING = object()


def _without_missing(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not MISSING}


def check(response: httpx.Response) -> None:
    """Fail if the contract suite finds that a response of an operation breaks the contract or lacks an expected field."""
    response.read()
    assert response.headers["X-Request-Id"], "every response carries a request id"
    request, media_type = response.request, response.headers.get("Content-Type", "")
    operation = operation_of(request.method, request.url.raw_path.decode().partition("?")[0])
    if operation is None:
        return
    # JSON integers have any length, but Python's parser accepts only a limited number of digits.
    is_json = media_type == "application/json"
    value = response.json(parse_int=lambda digits: int(digits[:4000])) if is_json else None
    assert response_problem(operation, response.status_code, media_type, value) is None
    if response.is_success and is_json:
        assert missing_fields(operation, value) == set()


class Clock:
    """A clock that moves only when a test advances it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        """Move the clock forward, by `seconds`, `minutes` or `days`."""
        self.now += timedelta(**by)


class Api(httpx.Client):
    """A client of the demo project that checks every response; `path` is relative to the project."""

    def __init__(self, stub: Stub, token: str | None, **options: Any) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        options = {"transport": stub.transport(), "base_url": "http://stub", **options}
        super().__init__(headers=headers, event_hooks={"response": [check]}, **options)
        self.stub = stub

    def path(self, *segments: str, project: str | None = None) -> str:
        """Return a path in a project, with percent-encoded segments."""
        return "/".join(["/projects", project or self.stub.project.id, *(quote(part, safe="") for part in segments)])

    def call(self, operation_id: str, *, query: dict[str, Any] | None = None, **fields: Any) -> httpx.Response:
        """Send a request of an operation with its required fields and these; `MISSING` leaves one out.

        Parameters of the path are named as in the contract; by default, they are those of things in the demo project.
        """
        operation = operation_by_id(operation_id)
        path = re.sub(
            r"{(\w+)}", lambda name: quote(fields.pop(name[1], None) or self._demo(name[1]), safe=""), operation.path
        )
        body = _without_missing(LEAST_BODIES.get(operation_id, {}) | fields)
        options = {"json": body} if operation_id in LEAST_BODIES else {}
        parameters = _without_missing(LEAST_QUERIES.get(operation_id, {}) | (query or {}))
        return self.request(operation.method, path, params=parameters, **options)

    def _demo(self, parameter: str) -> str:
        """Return the identifier of a thing in the demo project; of the accounts, only the last has media."""
        if parameter == "projectId":
            return self.stub.project.id
        things = [*getattr(self.stub.project, TABLE_OF[parameter])] if parameter in TABLE_OF else ["unknown"]
        return things[-1 if parameter == "accountId" else 0]

    def create(self, type_slug: str = "deal", **body: Any) -> dict[str, Any]:
        response = self.post(self.path("object-records"), json={"typeSlug": type_slug, **body})
        assert response.status_code == 201, response.text
        return response.json()["record"]

    def update(self, record: dict[str, Any], **body: Any) -> httpx.Response:
        return self.patch(self.path("object-records", record["id"]), json=body)

    def book(self, **body: Any) -> httpx.Response:
        body = {"start": "2026-11-10T09:00:00Z", "summary": "Tasting", **body}
        return self.post(self.path("calendar", "provider", "events"), json=body)


def encoded_rows(state: State) -> dict[Key, tuple[int, bytes]]:
    """Return the encoded rows of a state, to compare states in every digit and in their order."""
    return {key: (row.number, write_json(TABLES[key.table].encode(row.value))) for key, row in state.rows()}


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stub(clock: Clock) -> Stub:
    return Stub(now=clock)


@pytest.fixture
def state_path(tmp_path: Path) -> Path:
    """The path of a state file, with a name that has to be quoted in a URI."""
    (tmp_path / "state").mkdir()
    return tmp_path / "state" / "world #1.db"


@pytest.fixture
def restart(state_path: Path):
    """Return a function that closes the previous stub and opens a new one on the state file."""
    opened: list[Stub] = []

    def restart(**options: Any) -> Stub:
        for stub in opened:
            stub.close()
        opened.append(Stub(state=state_path, **options))
        return opened[-1]

    yield restart
    for stub in opened:
        stub.close()


@pytest.fixture
def api(stub: Stub):
    """A client with a token of the owner of the demo project."""
    with Api(stub, stub.token("owner")) as client:
        yield client


@pytest.fixture
def sign_in(stub: Stub):
    """Return a function that returns a client of another identity, or with any token."""
    clients: list[Api] = []

    def sign_in(name: str | None = None, *, token: str | None = None) -> Api:
        clients.append(Api(stub, token if name is None else stub.token(name)))
        return clients[-1]

    yield sign_in
    for client in clients:
        client.close()


@pytest.fixture
def connect():
    """Return a function that serves a stub on a socket, and returns a client with a token of one of its identities."""
    with ExitStack() as opened:

        def connect(stub: Stub, token: str | None = None) -> httpx.Client:
            server = opened.enter_context(stub.serve())
            headers = {"Authorization": f"Bearer {token or stub.token()}"}
            return opened.enter_context(httpx.Client(base_url=server.base_url, headers=headers, trust_env=False))

        yield connect


@pytest.fixture
def admin(stub: Stub):
    """A client of the admin routes, which need no token; its responses are not checked."""
    with httpx.Client(transport=stub.transport(), base_url="http://stub") as client:
        yield client


@pytest.fixture
def get(admin):
    """Return a function that gets a page, and checks that it runs no script and sends nothing to other servers."""

    def get(path):
        response = admin.get(path)
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        page = Elements(response.text)
        for tag, attributes in page.found:
            assert tag not in {"script", "iframe", "object", "embed", "svg", "style", "base"}
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            for name in {"href", "src", "action"} & attributes.keys():
                assert attributes[name].startswith("/_stub/"), attributes[name]
        assert len([tag for tag, _ in page.found if tag == "img"]) == 1, "the icon"
        return page

    return get


@pytest.fixture
def submit(admin, get):
    """Return a function that sends a form as a browser does, and returns the page of the redirect."""

    def submit(path, **fields):
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://stub"}
        response = admin.post(path, content=urlencode(fields), headers=headers)
        assert response.status_code == 303, response.text
        return get(response.headers["Location"])

    return submit


@pytest.fixture
def contract() -> dict[str, Any]:
    """The contract, read as plain YAML."""
    return read_contract()


@pytest.fixture
def problems_of(tmp_path: Path):
    """Return a function that returns the problems of a file that is refused, without the name of its folder."""

    def problems_of(load: Callable[[Path], object], name: str, text: str) -> list[str]:
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(DocumentError) as raised:
            load(tmp_path / name)
        return [problem.removeprefix(f"{tmp_path}/") for problem in raised.value.problems]

    return problems_of


@pytest.fixture
def refused():
    """Return a function that checks that a response is an error with this status and a message that starts with this place."""

    def refused(response: httpx.Response, status: int, place: str = "") -> dict[str, Any]:
        body = response.json()
        assert (response.status_code, body["message"][: len(place)]) == (status, place), response.text
        return body

    return refused
