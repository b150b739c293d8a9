"""No public object shows a secret: each class of the package, each model, and what is inside of a client."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import os
import pickle
import tempfile
import traceback
import typing
from pathlib import Path

import anyio
import pytest
import yaml

import project_platform as sdk
from project_platform._generated.operations import posts_list
from project_platform.calls.headers import Secret
from project_platform.calls.model import Model, RequestModel
from project_platform.masking import SECRET
from project_platform.models import Agent, McpServer, ObjectRecord

from .showing import CLIENT_HEADERS, SESSION, TOKEN, representations, secrets_in

DOCUMENT = Path(__file__).parents[3] / "openapi.yaml"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
SENT = {"authorization": f"Bearer {TOKEN}", **CLIENT_HEADERS}
URL = "https://platform.example"
RESPONSE = sdk.Response(200, sdk.Headers(SENT), TOKEN.encode(), complete=False)
AGENT = Agent.model_validate(
    {
        "id": "a1",
        "mcpServers": [{"name": "tools", "url": "https://tools.example", "headers": SENT}],
        "headers": SENT,  # the contract does not know these two
        "steps": [{"call": {"headers": SENT}}, {"headers": [f"Authorization: Bearer {TOKEN}"]}, {"headers": TOKEN}],
    }
)
RECORD = ObjectRecord(id="rec_1", data={"stage": "open", "headers": SENT})
CHANGE = sdk.Change.between(RECORD, {"stage": "won", "token": TOKEN})


def client(kind):
    """Return a client with a secret in each argument that may have one."""
    return kind(URL, token=TOKEN, headers=CLIENT_HEADERS)


class Agents:
    """A transport whose page has one agent. The representation of a pager in a notebook fetches it."""

    def send(self, request):
        page = {"agents": [AGENT.model_dump(mode="json", by_alias=True)], "pagination": {"hasMore": False}}
        return sdk.Response(200, body=json.dumps(page).encode())

    def close(self):
        """Do nothing: there is no connection."""


def pager(kind):
    options = {"transport": Agents()} if kind is sdk.Client else {}
    return kind(URL, token=TOKEN, headers=CLIENT_HEADERS, **options).project(PROJECT).agents.list()


# How an instance of each public class is created, with a secret wherever it may have one.
def bulk_report():
    with tempfile.TemporaryDirectory() as folder:
        with client(sdk.Client).project(PROJECT).bulk(f"{folder}/journal"):
            pass
        return sdk.BulkReport(f"{folder}/journal")


def bulk_stream():
    async def stream():
        with tempfile.TemporaryDirectory() as folder:
            async with client(sdk.AsyncClient).project(PROJECT).bulk(f"{folder}/journal") as job:
                with contextlib.suppress(StopAsyncIteration):
                    await anext(outcomes := job.stream([]))
                return outcomes

    return anyio.run(stream)


EVENT_CALL = sdk.CallContext(1, "records_update", "write", "PATCH", "/projects/{project_id}")
INSTANCES = {
    "TypedResponse": lambda: sdk.TypedResponse(AGENT, 200, sdk.Headers(SENT), (), "yes", RESPONSE),
    "AsyncClient": lambda: client(sdk.AsyncClient),
    "AsyncLabelStream": lambda: sdk.AsyncLabelStream.read(RESPONSE),
    "AsyncPager": lambda: pager(sdk.AsyncClient),
    "AsyncProject": lambda: client(sdk.AsyncClient).project(PROJECT),
    "AsyncTypedRecords": lambda: client(sdk.AsyncClient).project(PROJECT).records.of("deal"),
    "AttemptEnded": lambda: sdk.AttemptEnded(EVENT_CALL, 1, "lost", 0.1, 503, "request-1"),
    "AttemptStarted": lambda: sdk.AttemptStarted(EVENT_CALL, 1, "first", URL, {"traceparent": TOKEN}),
    "AttemptRecord": lambda: sdk.AttemptRecord(1.0, "lost", 503),
    "Call": lambda: sdk.Call(posts_list.OPERATION, f"/x?token={TOKEN}", TOKEN.encode()),
    "AsyncBulk": lambda: client(sdk.AsyncClient).project(PROJECT).bulk(os.devnull),
    "AsyncBulkStream": bulk_stream,
    "Bulk": lambda: client(sdk.Client).project(PROJECT).bulk(os.devnull),
    "BulkOutcome": lambda: sdk.BulkOutcome(0, "crm-1", "yes", RECORD),
    "BulkReport": bulk_report,
    "BulkRow": lambda: sdk.BulkRow(0, "crm-1", "no", "BadRequestError: 400", None),
    "CallContext": lambda: EVENT_CALL,
    "CallEnded": lambda: sdk.CallEnded(EVENT_CALL, "yes", 1, 0.1),
    "CallStarted": lambda: sdk.CallStarted(EVENT_CALL),
    "Capabilities": sdk.Capabilities,
    "Change": lambda: CHANGE,
    "ChangeOptions": lambda: sdk.ChangeOptions(tokens=sdk.OperationTokens("token", "ring")),
    "ChangeResult": lambda: sdk.ChangeResult("yes", RECORD, False, (), CHANGE),
    "Client": lambda: client(sdk.Client),
    "Conflict": lambda: sdk.Conflict(RECORD.data, RECORD.data, RECORD.data, ()),
    "ConflictReport": lambda: sdk.ConflictReport.of(CHANGE, {"token": SESSION}),
    "Delete": lambda: sdk.DELETE,
    "Headers": lambda: sdk.Headers(SENT),
    "KeyConflict": lambda: sdk.KeyConflict("token", None, TOKEN, SESSION, "conflict"),
    "Listing": lambda: sdk.Listing([AGENT], Agent),
    "LabelReview": lambda: sdk.LabelReview({"labels": [], "token": TOKEN}),
    "LabelSheet": lambda: sdk.LabelSheet(TOKEN.encode(), sdk.LabelSummary({"labelCount": 1})),
    "LabelStream": lambda: sdk.LabelStream.read(RESPONSE),
    "LabelSummary": lambda: sdk.LabelSummary({"labelCount": 1}),
    "Operation": lambda: posts_list.OPERATION,
    "OperationTokens": lambda: sdk.OperationTokens("token", "ring"),
    "Options": lambda: sdk.Options(headers=CLIENT_HEADERS),
    "Page": lambda: sdk.Page(sdk.Listing([AGENT], Agent), 1, 0, False),
    "PagePicture": lambda: sdk.PagePicture(b"png", 1, 1),
    "Pager": lambda: pager(sdk.Client),
    "Project": lambda: client(sdk.Client).project(PROJECT),
    "Record": lambda: client(sdk.Client).project(PROJECT).records.of("deal").wrap(RECORD),
    "Request": lambda: sdk.Request("POST", f"{URL}/x?token={TOKEN}", sdk.Headers(SENT), TOKEN.encode()),
    "Response": lambda: RESPONSE,
    "RetryPolicy": sdk.RetryPolicy,
    "RowEnded": lambda: sdk.RowEnded(0, "unknown", "TimeoutError"),
    "Settled": lambda: sdk.Settled(EVENT_CALL, "yes", 2),
    "SettledWrite": lambda: sdk.SettledWrite("yes", False, (), RECORD),
    "Timeout": sdk.Timeout,
    "TokenEndpoint": lambda: sdk.TokenEndpoint(SESSION),
    "TokenFetched": lambda: sdk.TokenFetched(EVENT_CALL, 0.1, True),
    "TypedRecords": lambda: client(sdk.Client).project(PROJECT).records.of("deal"),
    "Unset": lambda: sdk.UNSET,
    "Waiting": lambda: sdk.Waiting(EVENT_CALL, 1.0, 2, 429, None),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_a_public_object_shows_no_secret(name):
    """Neither a representation, nor that of its attributes, nor that of a copy."""
    value = INSTANCES[name]()
    assert type(value).__name__ == name

    for shown in representations(value):
        assert secrets_in(shown) == []


def test_every_public_class_is_tried():
    """Errors are tried against a server, and a protocol has no instances."""
    public = {
        type(value).__name__ if not inspect.isclass(value) else value.__name__
        for value in (getattr(sdk, name) for name in dir(sdk))
        if not inspect.ismodule(value)
        and not inspect.isfunction(value)
        and not isinstance(value, str)
        and typing.get_origin(value) is None
        if not (inspect.isclass(value) and (issubclass(value, Exception) or getattr(value, "_is_protocol", False)))
    }

    assert public == set(INSTANCES)


@pytest.mark.parametrize("kind", [sdk.Client, sdk.AsyncClient])
def test_the_inside_of_a_client_shows_no_secret(kind):
    """Debuggers show the attributes of an object, and those of its attributes."""
    outer = client(kind)
    inside = [outer, outer.with_options(headers=CLIENT_HEADERS)]

    for value in inside:
        inside += [part for part in getattr(value, "__dict__", {}).values() if part not in inside]
        for shown in representations(value):
            assert secrets_in(shown) == []

    assert len(inside) > 5


MODELS = [name for name in dir(sdk.models) if inspect.isclass(getattr(sdk.models, name)) and name[0].isupper()]
MODELS = [name for name in MODELS if issubclass(getattr(sdk.models, name), Model)]


# A model of a request refuses what the contract does not know, such as a field `headers`.
OPEN_MODELS = [name for name in MODELS if not issubclass(getattr(sdk.models, name), RequestModel)]


@pytest.mark.parametrize("name", OPEN_MODELS)
def test_a_model_shows_members_named_headers_by_their_keys(name):
    """Whether the contract knows the field or not, and at any depth of free-form JSON."""
    kind = getattr(sdk.models, name)
    value = kind.model_construct(headers=dict(SENT), steps=[{"headers": dict(SENT)}])

    shown = [*representations(value)]

    assert all(secrets_in(text) == [] for text in shown)
    assert "X-Api-Key" in repr(value)
    assert value.model_dump()["headers"] == SENT


def test_a_model_shows_the_rest_of_its_values():
    server = McpServer(name="tools", headers={"A": "s3cret"}, limit=3, tags=["a", {"b": None}])

    assert repr(server) == ("McpServer(name='tools', headers={'A': '[redacted]'}, limit=3, tags=['a', {'b': None}])")
    assert repr(McpServer(headers=None)) == "McpServer(headers=None)"


def test_the_fields_that_the_contract_marks_are_secret():
    schemas = yaml.safe_load(DOCUMENT.read_text("utf-8"))["components"]["schemas"]
    in_contract = {
        (name, field)
        for name, schema in schemas.items()
        for field, node in schema.get("properties", {}).items()
        if node.get("x-secret")
    }
    in_models = {
        (name, field.alias)
        for name in MODELS
        for field in getattr(sdk.models, name).model_fields.values()
        if SECRET in field.metadata
    }

    assert in_models == in_contract == {("McpServer", "headers")}


def test_a_secret_is_not_a_string():
    """A slice, a part or a join of a string is plain text."""
    secret = Secret(TOKEN)

    for attempt in (lambda: secret[:5], lambda: secret + "", lambda: bytes(secret, "ascii"), lambda: len(secret)):
        with pytest.raises(TypeError):
            attempt()
    assert not isinstance(secret, str)
    assert f"{secret} {secret!s} {secret!r}" == "[redacted] [redacted] [redacted]"
    assert (secret.reveal(), secret.authorization()) == (TOKEN, f"Bearer {TOKEN}")


def test_a_secret_copies_and_does_not_pickle():
    """A pickle is stored or sent, and has plain text."""
    secret = Secret(TOKEN)

    assert copy.copy(secret) is copy.deepcopy(secret) is secret
    with pytest.raises(TypeError, match="does not pickle") as raised:
        pickle.dumps([secret])
    assert secrets_in("".join(traceback.format_exception(raised.value))) == []
