"""One SDK against a faulty server: how often it sends a write, and what it raises. Prints the cells of its column as JSON.

    python -m benchmarks.peer_trials NAME

It runs in the interpreter that has the SDK: see `compare.py`. Every SDK writes with its default settings, except that the
conditional write of project-platform is settled where its outcome is not known. The server answers the look, and does not count it among the
writes. The column includes the cells of `list_trials.py`.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from . import list_trials, peer_clients
from .json_server import JsonHandler, serve

LIMIT = 20.0  # Seconds after which a trial is cut off and its requests are counted.
RETRY_AFTER = 1


class Sdk(NamedTuple):
    """An SDK: its package, a function that returns a write, and one that returns a conditional write, if it has any.

    `done` is the body of a successful answer, `refusal` status and body of a precondition that does not hold.
    """

    package: str
    write: Callable[[str], Callable[[], Any]]
    done: Any
    conditional: Callable[[str], Callable[[], Any]] | None = None
    refusal: tuple[int, Any] = (412, None)


class FaultyServer:
    """Answers writes as a trial says, and counts them."""

    def __init__(self, trial: str, sdk: Sdk) -> None:
        self.times: list[float] = []
        server = self

        class Handler(JsonHandler):
            def handle_write(self) -> None:
                body = self.read_body()
                look = body.startswith(b'{"data":{}')  # An update that changes nothing.
                if not look:
                    server.times.append(time.monotonic())
                first = len(server.times) == 1 and not look
                if trial == "lost" or (trial == "conditional" and first):
                    self.close_connection = True
                elif trial == "conflict":
                    self.answer(409, {"message": "conflict"})
                elif trial == "failed":
                    self.answer(500, {"message": "applied, then failed"})
                elif trial == "limited" and first:
                    self.answer(429, {"message": "slow down"}, {"Retry-After": str(RETRY_AFTER)})
                elif trial == "conditional" and not look:
                    self.answer(*sdk.refusal)
                else:
                    self.answer(200, sdk.done)

            do_POST = do_PUT = do_PATCH = handle_write  # noqa: N815  # the names of http.server

        self.url = serve(Handler)


def run(trial: str, sdk: Sdk) -> dict[str, Any]:
    """Run a trial, and return the number of writes, the seconds between the first two, and what the call ended with."""
    server = FaultyServer(trial, sdk)
    prepare = sdk.conditional if trial == "conditional" else sdk.write
    assert prepare is not None
    call = prepare(server.url)
    end: list[str] = []

    def caller() -> None:
        try:
            result = call()
        except Exception as error:  # noqa: BLE001  # the name of the exception is the finding
            applied = getattr(error, "applied", None)
            end.append(type(error).__name__ + (f", applied {applied}" if applied else ""))
        else:
            applied = getattr(result, "applied", None)
            end.append(f"result, applied {applied}" if applied else "result")

    thread = threading.Thread(target=caller, daemon=True)
    thread.start()
    thread.join(LIMIT)
    waited = server.times[1] - server.times[0] if len(server.times) > 1 else None
    return {
        "requests": len(server.times),
        "waited": waited and round(waited, 1),
        "end": end[0] if end else f"cut off after {LIMIT:.0f} s",
    }


def _our_write(url: str) -> Callable[[], Any]:
    records = peer_clients.project_platform(url).records
    return lambda: records.create(type_slug="deal", data={})


def _our_change(url: str) -> Callable[[], Any]:
    platform: Any = importlib.import_module("project_platform")
    models: Any = importlib.import_module("project_platform.models")
    client = platform.Client(url, token="t", project_id=peer_clients.UUID)
    project = client.project()
    change = project.records.change(models.ObjectRecord(id="rec_1", data={"stage": "open"}), {"stage": "won"})

    def change_and_settle() -> Any:
        try:
            return project.records.apply(change)
        except platform.OutcomeUnknownError as error:
            return client.settle(error)

    return change_and_settle


def _openai(url: str) -> Callable[[], Any]:
    client = peer_clients.openai(url)
    return lambda: client.embeddings.create(model="m", input="x")


def _anthropic(url: str) -> Callable[[], Any]:
    client = peer_clients.anthropic(url)
    return lambda: client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])


def _stripe(url: str) -> Callable[[], Any]:
    client = peer_clients.stripe(url)
    return lambda: client.v1.customers.create({"name": "x"})


def _githubkit(url: str) -> Callable[[], Any]:
    github = peer_clients.githubkit(url)
    return lambda: github.rest.issues.create("o", "r", title="x")


def _azure(url: str, headers: dict[str, str] | None = None) -> Callable[[], Any]:
    client = peer_clients.azure_core(url)
    method = "PUT" if headers else "POST"

    def call() -> Any:
        request = peer_clients.azure_request(method, f"{url}/things", json={}, headers=headers)
        response = client.send_request(request)
        response.raise_for_status()
        return response

    return call


def _google_write(url: str) -> Callable[[], Any]:
    client = peer_clients.google_cloud_storage(url)
    return lambda: client.create_bucket("b")


def _google_change(url: str) -> Callable[[], Any]:
    blob = peer_clients.google_cloud_storage(url).bucket("b").blob("x")
    return lambda: blob.upload_from_string("x", if_generation_match=1)


def _boto3_write(url: str) -> Callable[[], Any]:
    client = peer_clients.boto3(url)
    return lambda: client.put_item(TableName="t", Item=_ITEM)


def _boto3_change(url: str) -> Callable[[], Any]:
    client = peer_clients.boto3(url)
    condition = "attribute_not_exists(id)"
    return lambda: client.put_item(TableName="t", Item=_ITEM, ConditionExpression=condition)


_ITEM = {"id": {"S": "1"}}
_REFUSED = {"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message": "refused"}
SDKS = {
    "project-platform": Sdk(
        "project-platform",
        _our_write,
        {"record": {"id": "rec_1", "data": {"stage": "won"}}},
        _our_change,
        (409, {"message": "stale"}),
    ),
    "openai": Sdk(
        "openai",
        _openai,
        {
            "object": "list",
            "data": [{"object": "embedding", "index": 0, "embedding": [0.0]}],
            "model": "m",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        },
    ),
    "anthropic": Sdk("anthropic", _anthropic, {"id": "m", "type": "message", "role": "assistant", "content": []}),
    "stripe": Sdk("stripe", _stripe, {"id": "cus_1", "object": "customer"}),
    "githubkit": Sdk("githubkit", _githubkit, {}),
    "azure-core": Sdk("azure-core", _azure, {}, lambda url: _azure(url, {"If-Match": '"1"'})),
    "google-cloud-storage": Sdk(
        "google-cloud-storage",
        _google_write,
        {"name": "b"},
        _google_change,
        (412, {"error": {"code": 412, "message": "stale"}}),
    ),
    "boto3": Sdk(
        "boto3",
        _boto3_write,
        {},
        _boto3_change,
        (400, _REFUSED),
    ),
}


def main() -> None:
    """Run all trials of one SDK."""
    name = sys.argv[1]
    sdk = SDKS[name]
    trials = ["lost", "conflict", "limited", "failed", *(["conditional"] if sdk.conditional else [])]
    cells = {trial: run(trial, sdk) for trial in trials} | list_trials.cells(name)
    print(json.dumps({"version": importlib.metadata.version(sdk.package), "cells": cells}))


if __name__ == "__main__":
    main()
