"""Options apply to a client, a view or one call; views share the connections of their client."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import httpx
import pydantic
import pytest

from project_platform import (
    UNSET,
    AsyncClient,
    Client,
    Options,
    RetryPolicy,
    ServerError,
    Timeout,
    TypedResponse,
    UsageError,
)

ALLOWED = {"allowed": True}
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.fixture
def seen(connect, service):
    """Return a function that returns the timeouts and headers of a request with these settings."""

    def seen(options=None, call_options=None):
        service.will(httpx.Response(200, json=ALLOWED))
        connect(**(options or {})).auth.check_permission("agents:read", options=call_options)
        request = service.requests[-1]
        return request.extensions["timeout"], request.headers

    return seen


def test_a_timeout_is_set_for_all_steps_or_for_each_step(seen):
    assert seen({"timeout": 3})[0] == {"connect": 3, "read": 3, "write": 3, "pool": 3}
    assert seen({"timeout": Timeout(connect=1, read=2, write=3, pool=4)})[0] == {
        "connect": 1,
        "read": 2,
        "write": 3,
        "pool": 4,
    }
    assert seen()[0] == {"connect": 5, "read": 30, "write": 30, "pool": 5}


def test_options_apply_to_one_call(seen, service, project):
    timeout, headers = seen({"headers": {"X-A": "1", "X-B": "1"}}, Options(timeout=9, headers={"x-b": "2"}))
    service.will(httpx.Response(503))
    with pytest.raises(ServerError) as raised:
        project.posts.list(options=Options(retry=RetryPolicy(max_attempts=1)))

    assert timeout["read"] == 9
    assert (headers["x-a"], headers["x-b"]) == ("1", "2")
    assert len(raised.value.attempts) == 1


def test_a_view_has_other_options_and_shares_the_connections(client, service):
    """The client is not altered, and closing the view closes nothing."""
    service.will(httpx.Response(503), *[httpx.Response(200, json=ALLOWED)] * 2)

    with client.with_options(retry=RetryPolicy(max_attempts=1), headers={"X-View": "1"}, timeout=UNSET) as view:
        with pytest.raises(ServerError):
            view.auth.check_permission("agents:read")
    assert client.auth.check_permission("agents:read")
    assert view.auth.check_permission("agents:read")

    assert ["x-view" in request.headers for request in service.requests] == [True, False, True]


def test_send_returns_the_whole_response_of_a_call(client, service, a_call):
    service.will(httpx.Response(503), httpx.Response(202, content=b"done", headers={"X-Request-Id": "r1"}))

    response = client.send(a_call("safe", "write", method="PUT", body=b"{}"))

    assert isinstance(response, TypedResponse)
    assert (response.value, response.status, response.applied) == (b"done", 202, "yes")
    assert response.headers["x-request-id"] == "r1"
    assert [(a.delivery, a.status, a.request_id) for a in response.attempts] == [
        ("lost", 503, None),
        ("applied", 202, "r1"),
    ]


@pytest.mark.parametrize("client_type", [Client, AsyncClient])
@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
@pytest.mark.parametrize("part", [lambda client: client, lambda client: client.project(PROJECT)])
def test_a_client_is_neither_pickled_nor_deep_copied(client_type, copied, part, token):
    """A token source and connections belong to one process; the error says what to do instead, and shows no token."""
    client = client_type("https://platform.example", token=token)

    with pytest.raises(
        TypeError, match=rf"{client_type.__name__} cannot be pickled or deep-copied.* create one in each process"
    ) as raised:
        copied(part(client))

    assert token not in str(raised.value)


def test_a_copy_of_a_client_is_a_view(client, service):
    """It shares the connections; closing it leaves the client open."""
    view = copy.copy(client)
    service.will(httpx.Response(200, json=ALLOWED))

    view.close()

    assert client.auth.check_permission("agents:read")
    client.close()
    with pytest.raises(UsageError, match="the client is closed"):
        view.auth.check_permission("agents:read")


def test_what_is_no_call_is_not_sent(client, service):
    with pytest.raises(UsageError, match="call is of type str; give a Call, as the functions of operations return"):
        client.send("records.create")
    assert service.requests == []


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_resource_takes_no_attributes(kind, token):
    """Each access returns another object, so a method that a test replaces would be sent nevertheless."""
    project = kind("https://platform.example", token=token, project_id=PROJECT).project()
    with pytest.raises(AttributeError, match=r"RecordsResource\.create cannot be set here.* patch the class"):
        project.records.create = lambda **_: None


def test_policies_are_fields_of_the_settings_of_a_program():
    """As recipes do it: pydantic reads their annotations."""
    fields = {
        name: (kind, ...) for name, kind in {"retry": RetryPolicy, "options": Options, "timeout": Timeout}.items()
    }
    settings = pydantic.create_model("Settings", **fields)

    assert settings(retry=RetryPolicy(), options=Options(), timeout=Timeout()).retry.max_attempts == 3


FROZEN = """
import datetime

import project_platform
from project_platform import models

{first}

class Frozen(datetime.datetime):
    pass

real, datetime.datetime = datetime.datetime, Frozen
for module in (project_platform, models):
    for name in dir(module):
        getattr(module, name)
times = {{"createdAt": "2026-01-01T00:00:00Z"}}
assert type(models.ObjectRecord.model_validate(times).created_at) is real
assert datetime.datetime is Frozen
"""


@pytest.mark.parametrize("first", ["", "from project_platform import Client", "import pydantic.main"])
def test_modules_are_imported_on_first_use_while_the_time_is_frozen(first):
    """Libraries that freeze it in tests put another class in the place of `datetime`, and read each name of each module."""
    subprocess.run([sys.executable, "-c", FROZEN.format(first=first)], check=True)


INTERRUPTED = """
import sys

from project_platform import NotSentError, RetryPolicy


class Ctrl:
    def find_spec(self, name, path=None, target=None):
        if name == "tenacity.wait":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt


sys.meta_path.insert(0, Ctrl())
for seen in (KeyboardInterrupt, None):
    try:
        RetryPolicy(initial_delay=0).delay(1, NotSentError("no connection"), retry="safe", elapsed=0, now=0)
    except KeyboardInterrupt:
        assert seen is KeyboardInterrupt
"""


def test_an_import_that_was_interrupted_is_repeated():
    """Python keeps the parts of the package that were imported, and never imports the rest of it."""
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True)
