"""The requests to the servers. Each connection updates its own record, guarded by the value that it wrote last."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from .server import AGENT
from .stub_load import CONNECTIONS, Address, Exchange, NextExchange, once, request

LIST, UPDATE, CHECK = "agents.list", "guarded records.update", "check_permission"
OPERATIONS = (LIST, UPDATE, CHECK)


class GuardedUpdates:
    """Updates that count up: each update expects the number that the previous one wrote."""

    def __init__(self) -> None:
        self._numbers = [itertools.count() for _ in range(CONNECTIONS)]

    def __call__(self, connection: int) -> Exchange:
        expected = next(self._numbers[connection])
        return self.update(connection, expected, expected + 1)

    def update(self, connection: int, expected: int, new: int) -> Exchange:
        """Return the exchange for a connection's record."""
        raise NotImplementedError


class PlatformUpdates(GuardedUpdates):
    """`PATCH` of a record with `expectedData`.

    Args:
        description: The stub's description.
        records: A record for each connection.
        stateful: Whether the server stores updates, so that the response must contain the new value.
    """

    def __init__(self, description: Mapping[str, Any], records: list[str], *, stateful: bool) -> None:
        super().__init__()
        self._headers = {**_headers(description), "content-type": "application/json"}
        self._paths = [f"/projects/{description['project_id']}/object-records/{record}" for record in records]
        self._stateful = stateful

    def update(self, connection: int, expected: int, new: int) -> Exchange:
        """Return the exchange for a connection's record."""
        body = json.dumps({"data": {"n": new}, "expectedData": {"n": expected}}).encode()
        contained = f'"n":{new}' if self._stateful else '"record":{'
        return Exchange(request("PATCH", self._paths[connection], self._headers, body), contained.encode())


class MotoUpdates(GuardedUpdates):
    """`UpdateItem` of DynamoDB with a `ConditionExpression`."""

    def update(self, connection: int, expected: int, new: int) -> Exchange:
        """Return the exchange for a connection's item."""
        values = {":new": {"N": str(new)}, ":expected": {"N": str(expected)}}
        parameters = {
            "TableName": "records",
            "Key": {"id": {"S": f"r{connection}"}},
            "UpdateExpression": "SET n = :new",
            "ConditionExpression": "n = :expected",
            "ExpressionAttributeValues": values,
            "ReturnValues": "ALL_NEW",
        }
        return _dynamo("UpdateItem", parameters, f'"n": {{"N": "{new}"}}')


def for_stub(address: Address, description: Mapping[str, Any]) -> dict[str, NextExchange]:
    """Return the requests to the stub. Creates the records, and checks that stale guards and forged tokens are refused."""
    with httpx.Client(base_url=f"http://{address[0]}:{address[1]}", headers=_headers(description)) as client:
        path = f"/projects/{description['project_id']}/object-records"
        body = {"typeSlug": "deal", "data": {"title": "New roof", "stage": "open", "n": 0}}
        created = [client.post(path, json=body).raise_for_status().json() for _ in range(CONNECTIONS)]
    records = [response["record"]["id"] for response in created]
    updates = PlatformUpdates(description, records, stateful=True)
    once(address, Exchange(updates.update(0, 7, 8).request, b'"code":"stale_precondition"', 409))

    forged = {**description, "tokens": {"owner": f"{description['tokens']['owner'][:-8]}AAAAAAAA"}}
    for exchanges in (_list(forged), PlatformUpdates(forged, records, stateful=True), _check(forged)):
        once(address, Exchange(exchanges(0).request, b'"message":', 401))
    return {LIST: _list(description), UPDATE: updates, CHECK: _check(description)}


def for_prism(description: Mapping[str, Any]) -> dict[str, NextExchange]:
    """Return the requests to Prism: those to the stub, although Prism has no state and ignores guards."""
    updates = PlatformUpdates(description, [description["records"][0]] * CONNECTIONS, stateful=False)
    return {LIST: _list(description), UPDATE: updates, CHECK: _check(description)}


def for_moto() -> dict[str, NextExchange]:
    """Return the requests to moto: the most similar operations of DynamoDB and STS."""
    scan = _dynamo("Scan", {"TableName": "agents", "Limit": 1}, '"Count": 1')
    headers = {**_signed("sts"), "content-type": "application/x-www-form-urlencoded"}
    body = b"Action=GetCallerIdentity&Version=2011-06-15"
    caller = Exchange(request("POST", "/", headers, body), b"<Arn>")
    return {LIST: lambda _: scan, UPDATE: MotoUpdates(), CHECK: lambda _: caller}


def moto_tables() -> Iterator[Exchange]:
    """Yield the exchanges that create an agent and the records, and that check that a stale condition is refused."""
    for table in ("agents", "records"):
        key = {"AttributeName": "id", "AttributeType": "S"}
        parameters = {
            "TableName": table,
            "AttributeDefinitions": [key],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        yield _dynamo("CreateTable", parameters, '"TableStatus"')
    yield _dynamo("PutItem", {"TableName": "agents", "Item": _attribute(AGENT)["M"]}, "{}")
    for connection in range(CONNECTIONS):
        item = _attribute({"id": f"r{connection}", "title": "New roof", "stage": "open", "n": 0})["M"]
        yield _dynamo("PutItem", {"TableName": "records", "Item": item}, "{}")
    yield Exchange(MotoUpdates().update(0, 7, 8).request, b"ConditionalCheckFailedException", 400)


def _headers(description: Mapping[str, Any]) -> dict[str, str]:
    token = description["tokens"]["owner"]
    return {"host": "127.0.0.1", "accept": "application/json", "authorization": f"Bearer {token}"}


def _list(description: Mapping[str, Any]) -> NextExchange:
    # A page of one agent, because Prism always responds with one.
    target = f"/projects/{description['project_id']}/agents?limit=1"
    exchange = Exchange(request("GET", target, _headers(description)), b'{"agents":[{"id":')
    return lambda _: exchange


def _check(description: Mapping[str, Any]) -> NextExchange:
    target = "/auth/check-permission?permission=agents%3Aread"
    exchange = Exchange(request("GET", target, _headers(description)), b'{"allowed":true}')
    return lambda _: exchange


def _signed(service: str) -> dict[str, str]:
    # moto reads the name of the service here; by default it does not check the signature.
    scope = f"AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/{service}/aws4_request"
    return {"host": "127.0.0.1", "authorization": f"{scope}, SignedHeaders=host, Signature=none"}


def _dynamo(action: str, parameters: Mapping[str, Any], expected: str) -> Exchange:
    headers = {
        **_signed("dynamodb"),
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": f"DynamoDB_20120810.{action}",
    }
    return Exchange(request("POST", "/", headers, json.dumps(parameters).encode()), expected.encode())


def _attribute(value: Any) -> dict[str, Any]:
    """Return a value in DynamoDB's JSON format."""
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [_attribute(item) for item in value]}
        case _:
            return {"M": {key: _attribute(member) for key, member in value.items()}}
