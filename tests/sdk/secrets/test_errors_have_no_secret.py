"""No error has a secret: neither its message, attributes, pickle, nor a traceback that shows the locals of all frames."""

from __future__ import annotations

from itertools import product

import httpx
import pytest

from project_platform import (
    AsyncClient,
    Client,
    ConnectionLostError,
    Options,
    PermissionDeniedError,
    PlatformError,
    TokenEndpoint,
    UsageError,
)

from .showing import API_KEY, CLIENT_HEADERS, PASSWORD, SESSION, TOKEN, of_error, reports, secrets_in

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
MODES = [
    *(f"status-{status}" for status in (400, 401, 403, 404, 409, 422, 429, 500, 503)),
    *(f"page-{status}" for status in (403, 502)),
    *(f"{kind}-{status}" for kind in ("redirect", "relative") for status in (302, 307)),
    "unsuccessful",
    "misfit",
    "broken",
    "cut",
    "garbage",
    "close",
    "silent",
]
CALLS = {
    "read": lambda project: project.agents.list().first_page(),
    "create": lambda project: project.records.create(type_slug="deal"),
    "update": lambda project: project.records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"}),
    "labels": lambda project: project.labels.export(),
}


def shows_no_secret(error):
    """Return whether nothing shows a secret of an error; fails with what shows it."""
    for shown in of_error(error):
        assert secrets_in(shown) == []
    return True


# Every ending of one call, and one ending of each kind for the others: a status, a body, a connection.
ENDINGS = [
    *((mode, "create") for mode in MODES),
    *product(["status-409", "misfit", "garbage"], CALLS.keys() - {"create"}),
]


@pytest.mark.parametrize(("mode", "call"), sorted(ENDINGS))
def test_an_error_has_no_secret_that_the_service_repeats(client_of, mode, call):
    project = client_of(mode).project(PROJECT)

    with pytest.raises(PlatformError) as raised:
        CALLS[call](project)

    assert shows_no_secret(raised.value)


@pytest.fixture
def given(way, portal):
    client = httpx.Client() if way == "sync" else httpx.AsyncClient()
    yield client
    client.close() if portal is None else portal.call(client.aclose)


@pytest.mark.parametrize("mode", ["status-500", "misfit", "garbage", "silent"])
def test_an_error_of_a_given_httpx_client_has_no_secret(client_of, given, mode):
    """A client of httpx that the user gives changes nothing."""
    project = client_of(mode, transport=given).project(PROJECT)

    with pytest.raises(PlatformError) as raised:
        project.records.create(type_slug="deal")

    assert shows_no_secret(raised.value)


class RepeatingTransport:
    """A transport of the user whose errors repeat the headers of the request."""

    def send(self, request):
        """Fail."""
        return ConnectionLostError(f"nothing accepts {dict(request.headers)}")

    def close(self):
        """Do nothing."""


def test_a_message_has_no_secret_that_a_given_transport_repeats():
    client = Client("https://platform.example", token=TOKEN, headers=CLIENT_HEADERS, transport=RepeatingTransport())

    with pytest.raises(PlatformError) as raised:
        client.project(PROJECT).records.create(type_slug="deal")

    assert "nothing accepts" in str(raised.value)
    assert secrets_in(str(raised.value)) == []


@pytest.mark.parametrize("mode", [*MODES, "token-access_token", "token-token"])
def test_a_failed_token_request_shows_neither_the_session_nor_a_token(client_of, mode):
    """A token that the endpoint issues in an unexpected shape is valid all the same."""
    project = client_of(mode, token=TokenEndpoint(SESSION)).project(PROJECT)

    with pytest.raises(PlatformError) as raised:
        project.records.create(type_slug="deal")

    assert shows_no_secret(raised.value)


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("e", "the deal s3cret-8 is closed for (dashboard)"),
        ("s3cret7", "the deal s3cret-8 is closed for (dashboard)"),
        ("s3cret-8", "the deal [redacted] is closed for (dashboard)"),
    ],
)
def test_a_message_keeps_what_is_too_short_to_be_a_secret(connect, service, token, message):
    """A token of one letter does not garble the message; eight characters are redacted, and so is a field of the user."""
    service.will(httpx.Response(403, json={"message": "the deal s3cret-8 is closed for (dashboard)"}))
    client = connect(token=token, headers={"X-Tenant": "deal", "User-Agent": "dashboard"})

    with pytest.raises(PermissionDeniedError) as raised:
        client.project(PROJECT).posts.list()

    assert raised.value.message == message


GIVEN = {
    "no URL": {"base_url": "platform"},
    "no base URL": {"base_url": None},
    "a password in the URL": {"base_url": f"https://user:{PASSWORD}@platform.example"},
    "a token in the URL": {"base_url": f"https://platform.example?token={TOKEN}"},
    "a token with a line break": {"token": f"{TOKEN}\n"},
    "a token of bytes": {"token": TOKEN.encode()},
    "a list of tokens": {"token": [TOKEN]},
    "a header with a line break": {"headers": {"X-Api-Key": f"{API_KEY}\n"}},
    "a header of bytes": {"headers": {"X-Api-Key": API_KEY.encode()}},
    "a header of the SDK": {"headers": {"Authorization": f"Bearer {TOKEN}"}},
    "no timeout": {"timeout": 0},
    "no policy": {"retry": 3},
    "no transport": {"transport": object()},
    "no facts": {"capabilities": "no-such-file"},
}
USUAL = {"base_url": "https://platform.example", "token": TOKEN, "headers": CLIENT_HEADERS}


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("name", GIVEN)
def test_a_client_that_cannot_be_created_shows_no_argument(kind, name):
    """The frame of the constructor is in the traceback, and its arguments are not."""
    with pytest.raises(UsageError) as raised:
        kind(**{**USUAL, **GIVEN[name]})

    assert shows_no_secret(raised.value)
    assert raised.traceback[-1].name == "__init__"


WRONG = {"X-Api-Key": f"{API_KEY}\n"}


def test_options_that_cannot_be_used_show_no_header(client_of):
    project = client_of("status-403").project(PROJECT)

    with pytest.raises(UsageError, match="X-Api-Key") as raised:
        project.posts.list(options=Options(headers=WRONG))

    assert shows_no_secret(raised.value)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_view_that_cannot_be_created_shows_no_header(kind):
    with pytest.raises(UsageError, match="X-Api-Key") as raised:
        kind(**USUAL).with_options(headers=WRONG)

    assert shows_no_secret(raised.value)


def _fails():
    raise PermissionError("the vault is sealed")


SOURCES = {"bytes": TOKEN.encode, "a line break": lambda: f"{TOKEN}\n", "a failure": _fails}


@pytest.mark.parametrize("name", SOURCES)
def test_a_token_source_that_fails_shows_no_token(client_of, name):
    client = client_of("status-403", token=SOURCES[name])

    with pytest.raises((UsageError, PermissionError)) as raised:
        client.project(PROJECT).posts.list()

    assert all(secrets_in(shown) == [] for shown in reports(raised.value))
