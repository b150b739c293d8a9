"""The order of a request: route, token, project, permission, body, operation, response."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

from . import tokens
from .world import World

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Refusal(Exception):  # noqa: N818  # a response, not a defect
    """An error response."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


@dataclass
class Request:
    """An HTTP request; the names of header fields are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class Reply:
    """An HTTP response."""

    status: int
    body: bytes
    headers: dict[str, str]


@dataclass
class Call:
    """A call of an operation."""

    operation: str
    world: World
    user: str
    path: dict[str, str]
    query: dict[str, str]
    body: Any = None

    @property
    def project(self) -> str:
        return self.path["projectId"]

    def find(self, table: str, id: str, what: str, **members: str) -> Any:
        """Return a row of the project by its identifier, and with the values of some members."""
        row = getattr(self.world, table).get((self.project, id))
        if row is None or any(row[name] != value for name, value in members.items()):
            raise Refusal(404, f"There is no such {what}.")
        return row


@dataclass
class Operation:
    """An operation: where it is, what it needs, and what it does."""

    method: str
    pattern: re.Pattern[str]
    needs: str | None
    success: int
    perform: Callable[[Call], Any]
    bad_request: int


OPERATIONS: dict[str, Operation] = {}


def operation(
    name: str, route: str, *, needs: str | None = None, success: int = 200, bad_request: int = 422
) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Register the function that performs an operation, which returns its JSON value or a `Reply`."""
    method, _, path = route.partition(" ")
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))

    def register(perform: Callable[[Call], Any]) -> Callable[[Call], Any]:
        OPERATIONS[name] = Operation(method, pattern, needs, success, perform, bad_request)
        return perform

    return register


@dataclass
class Service:
    """The service over one world."""

    world: World
    _one_at_a_time: threading.RLock = field(default_factory=threading.RLock)

    def __call__(self, request: Request) -> Reply:
        """Return the response to a request."""
        path, _, query = request.target.partition("?")
        if path in {"/api/auth/token", "/.well-known/jwks.json"}:
            return self._auth(request, path)
        try:
            name, parameters = find(request.method, path)
        except Refusal as refusal:
            return error(refusal)
        try:
            user = tokens.user_of(self.world, request.headers.get("authorization"))
            call = Call(name, self.world, user, parameters, dict(parse_qsl(query, keep_blank_values=True)))
            enter(call)
            call.body = read_body(call, request)
            with self._one_at_a_time:
                return success(call, OPERATIONS[name].perform(call))
        except Refusal as refusal:
            return error(refusal)

    def _auth(self, request: Request, path: str) -> Reply:
        if path.endswith("jwks.json"):
            return json_reply(200, tokens.key_set(self.world))
        try:
            return json_reply(
                200, {"access": {"jwt": tokens.exchange(self.world, request.headers), "scheme": "Bearer"}}
            )
        except Refusal as refusal:
            return error(refusal)


def find(method: str, path: str) -> tuple[str, dict[str, str]]:
    """Return the operation of a request, and the parameters of its path."""
    known = [
        (name, operation, match)
        for name, operation in OPERATIONS.items()
        if (match := operation.pattern.fullmatch(path)) is not None
    ]
    for name, operation, match in known:
        if operation.method == method:
            return name, {key: unquote(value) for key, value in match.groupdict().items()}
    raise Refusal(405, "This path has other methods.") if known else Refusal(404, "There is nothing here.")


def enter(call: Call) -> None:
    """Refuse a caller who may not perform the operation in the project."""
    operation = OPERATIONS[call.operation]
    if "projectId" not in call.path:
        return
    labels = call.operation == "labels_export"
    if not _UUID.fullmatch(call.project):
        raise Refusal(operation.bad_request, "The project identifier is not a UUID.", "bad_project")
    call.path["projectId"] = call.project.lower()
    role = call.world.members.get((call.project, call.user))
    if role is None:
        raise Refusal(403 if labels else 404, "There is no such project for you.")
    if operation.needs is not None and not allows(role, operation.needs):
        raise Refusal(403, f"You need {operation.needs}.", "permission_denied")


def allows(role: str, permission: str) -> bool:
    action = permission.partition(":")[2]
    return {"owner": True, "robot": action in {"read", "write"}, "reader": action == "read"}[role]


def read_body(call: Call, request: Request) -> Any:
    """Return the JSON value of a body; None for an operation without one."""
    operation = OPERATIONS[call.operation]
    if operation.method == "GET":
        return None
    try:
        value = json.loads(request.body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "The body is not JSON.", "not_json") from None
    if not isinstance(value, dict):
        raise Refusal(operation.bad_request, "The body is not an object.", "not_an_object")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(name)


def success(call: Call, value: Any) -> Reply:
    if isinstance(value, Reply):
        return value
    return json_reply(OPERATIONS[call.operation].success, {**value, **noise("etag")})


def noise(name: str) -> dict[str, str]:
    """Return a member that the specification does not have, with another value in each response."""
    return {name: uuid4().hex}


def error(refusal: Refusal) -> Reply:
    """Return an error response; only some errors have a code."""
    value = {"status": refusal.status, "message": refusal.message, **noise("trace")}
    return json_reply(refusal.status, value if refusal.code is None else {**value, "code": refusal.code})


def json_reply(status: int, value: Any) -> Reply:
    """Return a JSON response, with the members of objects in alphabetical order."""
    body = json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Reply(status, body.encode("utf-8", "surrogatepass"), {"content-type": "application/json; charset=utf-8"})


def plain(value: Any) -> Any:
    """Return a JSON value whose whole numbers have no decimal point."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
