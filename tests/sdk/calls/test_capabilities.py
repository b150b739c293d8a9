"""The capabilities of a deployment: their source, their effects, and that they never widen a retry."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from project_platform import (
    Capabilities,
    Change,
    ChangeOptions,
    ConnectionLostError,
    NotSentError,
    PlatformError,
    Response,
    RetryPolicy,
    TimeoutError,
    UsageError,
    operations,
)
from project_platform.calls.capabilities import NOTHING_KNOWN
from project_platform.calls.flow import call
from project_platform.models import ObjectRecord
from project_platform.records.settle import apply
from project_platform.settling import settled

ALL = Capabilities(
    permission_parameter="p", merge="deep", nested_nulls="strip", no_op_update="ignore", encoded_slash="separator"
)
SHALLOW = Capabilities(merge="shallow", nested_nulls="keep", no_op_update="touch", encoded_slash="data")
RECORD = ObjectRecord(id="rec_1", data={"stage": "open", "site": {"city": "Köln", "storeys": 3}})


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes a file of facts; a list means several values."""

    def file_of(target: str = "https://platform.example/prefix", **values: Any) -> Path:
        facts = {
            key: [{"value": each} for each in value] if isinstance(value, list) else {"value": value}
            for key, value in values.items()
        }
        path = tmp_path / "facts.json"
        path.write_text(json.dumps({"target": target, "taken_at": "", "suite": "1", "facts": facts}))
        return path

    return file_of


# --- where they come from


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_of_facts_is_read(connect, file_of, kind):
    """The facts that the SDK uses are read; others are ignored."""
    path = file_of(
        permissionParameter="p",
        merge="deep",
        nestedNulls="strip",
        noOpUpdate="ignore",
        encodedSlash="separator",
        defaultLimit=50,
    )

    known = connect(capabilities=kind(path)).capabilities

    assert known == dataclasses.replace(ALL, target="https://platform.example/prefix")


def test_a_fact_with_several_values_is_unknown(file_of):
    known = Capabilities.load(
        file_of(merge=["deep", "shallow"], encodedSlash="refused", noOpUpdate=True, permissionParameter=["a", "b"])
    )

    assert dataclasses.replace(known, target=None) == NOTHING_KNOWN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON: "),
        ("[]", "is not a file of facts, which has `target` and `facts`"),
        ('{"merge": "deep"}', "a profile configures the stub server and cannot be used here"),
        ('{"facts": {}}', "is not a file of facts"),
        ('{"facts": [], "target": "t"}', "is not a file of facts"),
        ('{"facts": {"merge": "deep"}, "target": "t"}', "merge is no object such as"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_file_that_is_not_a_facts_file_is_refused(connect, tmp_path, text, message):
    """The error is raised when the client is created, and names the file."""
    path = tmp_path / "facts.json"
    if text is not None:
        path.write_text(text)

    with pytest.raises(UsageError) as raised:
        connect(capabilities=path)

    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"merge": "any"}, r"capabilities.merge is 'any'; give one of shallow, deep, or None if it is not known"),
        ({"no_op_update": False}, r"capabilities.no_op_update is False; give one of touch, ignore"),
        ({"permission_parameter": ""}, r"capabilities.permission_parameter is ''; give the name of a query parameter"),
        ({"permission_parameter": "\ud800"}, r"give the name of a query parameter"),
    ],
)
def test_an_undefined_capability_value_is_refused(values, message):
    """A misspelt value would otherwise have no effect."""
    with pytest.raises(UsageError, match=message):
        Capabilities(**values)


@pytest.mark.parametrize(
    ("target", "base_url"),
    [
        ("https://staging.example", "https://platform.example"),
        ("https://platform.example/a", "https://platform.example/b"),
        ("https://platform.example:8443", "https://platform.example"),
        ("http://localhost:8080", "https://platform.example"),
    ],
)
def test_facts_of_another_deployment_are_refused(connect, file_of, target, base_url):
    """Facts about one deployment are not used for another, unless `target` is None."""
    path = file_of(target, merge="deep")

    with pytest.raises(
        UsageError, match=r"capabilities are facts about .*, and base_url is .*; give facts about the deployment"
    ):
        connect(base_url, capabilities=path)

    known = dataclasses.replace(Capabilities.load(path), target=None)
    path.write_text(json.dumps({**json.loads(path.read_text()), "target": None}))
    assert Capabilities.load(path) == known
    assert connect(base_url, capabilities=known).capabilities.merge == "deep"


@pytest.mark.parametrize(
    ("target", "base_url"),
    [
        ("https://Platform.example/prefix/", "https://platform.example/prefix"),
        ("http://127.0.0.1:40001", "http://localhost:40002"),
        ("http://stub.localhost", "http://127.0.0.1:8080"),
    ],
)
def test_facts_of_the_same_deployment_are_accepted(connect, file_of, target, base_url):
    """Spelling does not matter, nor does the port on this machine."""
    assert connect(base_url, capabilities=file_of(target, merge="deep")).capabilities.merge == "deep"


# --- what they change


@pytest.mark.parametrize(("name", "query"), [(None, "permission=a"), ("p", "p=a"), ("with[&]=", "with%5B%26%5D%3D=a")])
def test_a_permission_check_uses_the_known_parameter_name(connect, service, name, query):
    """The specification does not show the parameter's name; its value is still encoded."""
    service.will(httpx.Response(200, json={"allowed": True}))

    connect(capabilities=Capabilities(permission_parameter=name)).auth.check_permission("agents:read")

    assert str(service.requests[-1].url).partition("?")[2] == query.replace("=a", "=agents%3Aread")


def test_an_identifier_with_a_slash_is_refused_where_it_would_be_truncated(connect, service, project_id):
    """It is refused before anything is sent, since the path would have another identifier."""
    project = connect(capabilities=Capabilities(encoded_slash="separator")).project(project_id)

    with pytest.raises(UsageError, match=r"^memory_update: an identifier has a slash, .*%2F for a separator") as raised:
        project.memory.update("brand/voice", title="t")
    with pytest.raises(UsageError):
        project.records.update("a/b", data={})

    assert (raised.value.applied, raised.value.operation_id) == ("no", "memory_update")
    assert service.requests == []


def test_a_slash_that_is_not_read_as_a_separator_is_accepted(connect, service, project_id):
    """A slash in a query is accepted, and so is one in a path if the service takes it for data."""
    service.will(
        httpx.Response(200, json={"entry": {"slug": "brand/voice"}}), httpx.Response(200, json={"data": {"posts": []}})
    )

    connect(capabilities=SHALLOW).project(project_id).memory.update("brand/voice", title="t")
    separating = connect(capabilities=Capabilities(encoded_slash="separator")).project(project_id)
    separating.posts.list(filters={"caption": "a/b"})

    assert [request.url.raw_path.endswith(b"%2Fvoice") for request in service.requests] == [True, False]


@pytest.mark.parametrize(
    ("merge", "nested_nulls", "made_for"),
    [
        ("shallow", "keep", "shallow"),
        ("deep", "strip", "deep"),
        ("shallow", "strip", "any"),
        ("deep", "keep", "any"),
        ("shallow", None, "any"),
        ("deep", None, "any"),
        (None, "keep", "any"),
        (None, None, "any"),
    ],
)
def test_a_change_is_computed_for_a_fully_known_merge(connect, project_id, merge, nested_nulls, made_for):
    """If only half of the merge is known, the patch is made for any merge."""
    records = connect(capabilities=Capabilities(merge=merge, nested_nulls=nested_nulls)).project(project_id).records
    deals = records.of("deal")

    typed = deals.change(deals.wrap(RECORD), {**RECORD.data, "stage": "won"})

    assert records.change(RECORD, {"stage": "won"}).merge == typed.merge == made_for
    assert Change.of_edits(RECORD, {"stage": "won"}, change_options=ChangeOptions(merge="any")).merge == "any"


# --- what they do not change: how often anything is sent


OUTCOMES = {
    "not sent": NotSentError("no connection"),
    "lost": ConnectionLostError("the connection broke"),
    "timeout": TimeoutError("no response"),
    "cut off": Response(200, body=b"{", complete=False),
    **{str(status): Response(status, body=b"{}") for status in (302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 503)},
}
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
CALLS = {
    "read": operations.auth_check_permission("agents:read"),
    "replace": operations.memory_update(PROJECT, "welcome", title="t"),
    "create": operations.records_create(PROJECT, type_slug="deal"),
    "notify": operations.calendar_book(PROJECT, start="2026-11-20T09:00Z", summary="s"),
    "no guard": operations.records_update(PROJECT, "rec_1", data={"stage": "won"}),
    "fences": operations.records_update(PROJECT, "rec_1", data={"stage": "won"}, expected_data={"stage": "open"}),
    "does not fence": operations.records_update(PROJECT, "rec_1", data={"a": 1}, expected_data={"b": 1}),
}


def sent(steps: Any, outcomes: tuple[Any, ...]) -> list[tuple[str, bytes]]:
    """Return what a flow sends if it meets these outcomes, as method and body; the last goes on for ever."""
    requests = []
    try:
        order = next(steps)
        for outcome in itertools.chain(outcomes, itertools.repeat(outcomes[-1])):
            requests.append((order.request.method, order.request.body))
            order = steps.send(outcome)
    except (PlatformError, StopIteration):
        return requests
    raise AssertionError


@pytest.mark.parametrize("known", [ALL, SHALLOW], ids=["all", "shallow"])
@pytest.mark.parametrize("name", CALLS)
def test_capabilities_do_not_alter_the_retry_table(settings, name, known):
    """Every operation, after every two outcomes: what is sent again does not depend on what was observed."""
    plain = dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0))
    knowing = dataclasses.replace(plain, capabilities=known)

    for outcomes in itertools.product(OUTCOMES.values(), repeat=2):
        assert sent(call(CALLS[name], knowing), outcomes) == sent(call(CALLS[name], plain), outcomes)


@pytest.mark.parametrize("known", [ALL, SHALLOW, Capabilities(no_op_update="ignore")], ids=["all", "shallow", "ignore"])
@pytest.mark.parametrize("guard", ["touched", None])
def test_capabilities_do_not_alter_how_often_a_change_is_sent(settings, guard, known):
    plain = dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0))
    knowing = dataclasses.replace(plain, capabilities=known)
    change, same = (
        Change.between(
            RECORD,
            {**RECORD.data, "stage": "won"},
            change_options=ChangeOptions(guard=guard, merge=merge),
            project_id=PROJECT,
        )
        for merge in (known.merges, "any")
    )

    for outcomes in itertools.product(OUTCOMES.values(), repeat=2):
        assert sent(apply(change, PROJECT, knowing), outcomes) == sent(apply(same, PROJECT, plain), outcomes)
        assert sent(settled(change, knowing), outcomes) == sent(settled(same, plain), outcomes)
