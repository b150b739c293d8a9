"""What the servers are asked. Each connection updates a record of its own, always guarded by what it wrote last."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from .server import AGENT
from .stub_load import CONNECTIONS, Address, Ask, Exchange, once, request

LIST, UPDATE, CHECK = "agents.list", "guarded records.update", "check_permission"
OPERATIONS = (LIST, UPDATE, CHECK)


class GuardedUpdates:
    """Updates that count up: each expects the number that the one before it wrote."""

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
        described: The stub's description of itself.
        records: A record for each connection.
        kept: Whether the server keeps what it is sent, so that the answer can be looked at for it.
    """

    def __init__(self, described: Mapping[str, Any], records: list[str], *, kept: bool) -> None:
        super().__init__()
        self._headers = {**_headers(described), "content-type": "application/json"}
        self._paths = [f"/projects/{described['project_id']}/object-records/{record}" for record in records]
        self._kept = kept

    def update(self, connection: int, expected: int, new: int) -> Exchange:
        """Return the exchange for a connection's record."""
        body = json.dumps({"data": {"n": new}, "expectedData": {"n": expected}}).encode()
        told = f'"n":{new}' if self._kept else '"record":{'
        return Exchange(request("PATCH", self._paths[connection], self._headers, body), told.encode())


class MotoUpdates(GuardedUpdates):
    """`UpdateItem` of DynamoDB with a `ConditionExpression`."""

    def update(self, connection: int, expected: int, new: int) -> Exchange:
        """Return the exchange for a connection's item."""
        values = {":new": {"N": str(new)}, ":expected": {"N": str(expected)}}
        asked = {
            "TableName": "records",
            "Key": {"id": {"S": f"r{connection}"}},
            "UpdateExpression": "SET n = :new",
            "ConditionExpression": "n = :expected",
            "ExpressionAttributeValues": values,
            "ReturnValues": "ALL_NEW",
        }
        return _dynamo("UpdateItem", asked, f'"n": {{"N": "{new}"}}')


def of_stub(address: Address, described: Mapping[str, Any]) -> dict[str, Ask]:
    """Return what the stub is asked, and make the records; see that it refuses a stale guard and a wrong signature."""
    with httpx.Client(base_url=f"http://{address[0]}:{address[1]}", headers=_headers(described)) as client:
        path = f"/projects/{described['project_id']}/object-records"
        body = {"typeSlug": "deal", "data": {"title": "New roof", "stage": "open", "n": 0}}
        made = [client.post(path, json=body).raise_for_status().json() for _ in range(CONNECTIONS)]
    records = [answer["record"]["id"] for answer in made]
    updates = PlatformUpdates(described, records, kept=True)
    once(address, Exchange(updates.update(0, 7, 8).request, b'"code":"stale_precondition"', 409))

    forged = {**described, "tokens": {"owner": f"{described['tokens']['owner'][:-8]}AAAAAAAA"}}
    for ask in (_list(forged), PlatformUpdates(forged, records, kept=True), _check(forged)):
        once(address, Exchange(ask(0).request, b'"message":', 401))
    return {LIST: _list(described), UPDATE: updates, CHECK: _check(described)}


def of_prism(described: Mapping[str, Any]) -> dict[str, Ask]:
    """Return what Prism is asked: the same, though it keeps nothing, so that a guard means nothing to it."""
    updates = PlatformUpdates(described, [described["records"][0]] * CONNECTIONS, kept=False)
    return {LIST: _list(described), UPDATE: updates, CHECK: _check(described)}


def of_moto() -> dict[str, Ask]:
    """Return what moto is asked: the nearest that DynamoDB and STS have."""
    scan = _dynamo("Scan", {"TableName": "agents", "Limit": 1}, '"Count": 1')
    headers = {**_signed("sts"), "content-type": "application/x-www-form-urlencoded"}
    body = b"Action=GetCallerIdentity&Version=2011-06-15"
    caller = Exchange(request("POST", "/", headers, body), b"<Arn>")
    return {LIST: lambda _: scan, UPDATE: MotoUpdates(), CHECK: lambda _: caller}


def moto_tables() -> Iterator[Exchange]:
    """Yield the exchanges that make an agent and the records, and show that a stale condition is refused."""
    for table in ("agents", "records"):
        key = {"AttributeName": "id", "AttributeType": "S"}
        asked = {
            "TableName": table,
            "AttributeDefinitions": [key],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        yield _dynamo("CreateTable", asked, '"TableStatus"')
    yield _dynamo("PutItem", {"TableName": "agents", "Item": _attribute(AGENT)["M"]}, "{}")
    for connection in range(CONNECTIONS):
        item = _attribute({"id": f"r{connection}", "title": "New roof", "stage": "open", "n": 0})["M"]
        yield _dynamo("PutItem", {"TableName": "records", "Item": item}, "{}")
    yield Exchange(MotoUpdates().update(0, 7, 8).request, b"ConditionalCheckFailedException", 400)


def _headers(described: Mapping[str, Any]) -> dict[str, str]:
    token = described["tokens"]["owner"]
    return {"host": "127.0.0.1", "accept": "application/json", "authorization": f"Bearer {token}"}


def _list(described: Mapping[str, Any]) -> Ask:
    # A page of one agent, because that is what Prism always answers.
    target = f"/projects/{described['project_id']}/agents?limit=1"
    exchange = Exchange(request("GET", target, _headers(described)), b'{"agents":[{"id":')
    return lambda _: exchange


def _check(described: Mapping[str, Any]) -> Ask:
    target = "/auth/check-permission?permission=agents%3Aread"
    exchange = Exchange(request("GET", target, _headers(described)), b'{"allowed":true}')
    return lambda _: exchange


def _signed(service: str) -> dict[str, str]:
    # moto looks here for the service that is meant; it checks the signature only when it is told to.
    scope = f"AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/{service}/aws4_request"
    return {"host": "127.0.0.1", "authorization": f"{scope}, SignedHeaders=host, Signature=none"}


def _dynamo(action: str, asked: Mapping[str, Any], told: str) -> Exchange:
    headers = {
        **_signed("dynamodb"),
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": f"DynamoDB_20120810.{action}",
    }
    return Exchange(request("POST", "/", headers, json.dumps(asked).encode()), told.encode())


def _attribute(value: Any) -> dict[str, Any]:
    """Return a value as DynamoDB writes it."""
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
