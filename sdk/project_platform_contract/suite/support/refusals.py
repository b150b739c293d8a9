"""Requests that a service must refuse, because of their token, or that most services refuse, because of a defect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.rules.kinds import of_a_project_and_reads
from project_platform_contract.run.api import Api
from project_platform_contract.run.conclusive import is_from_gateway
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import Exchange

from .fixtures import RestoreAfter
from .forged_tokens import continued, cut, other_claims, other_signature, parts_of, unsigned, without_signature
from .valid_requests import ValidRequests

Credential = str | Callable[[str], str] | None
"""An identity, a function that returns the `Authorization` header for the owner's token, or None for no token."""

READS_OF_A_PROJECT = frozenset(operation.id for operation in operations() if of_a_project_and_reads(operation))
"""Operations that read something of a project."""

NO_UUID: Final = "contract"
"""A malformed identifier of a project."""

THINGS = {
    operation.id: name
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
}
"""The path parameter that names what an operation changes: of something that does not exist it is refused."""


# Operations that change nothing without a body.
_EMPTY_IS_NOTHING = frozenset({"records_update", "memory_update"})


def _bearer(forge: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that returns the `Authorization` header with a forged token."""
    return lambda token: f"Bearer {forge(token)}"


def _signed(signature: str, token: str) -> str:
    """Return a token with another signature."""
    return f"{token.rpartition('.')[0]}.{signature}"


CREDENTIALS: Final[Mapping[str, tuple[Credential, ...]]] = {
    "auth.bearer-required": (None,),
    "auth.expired-refused": ("expired",),
    "auth.session-refused": ("session",),
    "auth.signature-verified": (_bearer(other_claims), _bearer(unsigned)),
    "auth.token.published-key": ("wrong_key",),
    "auth.token.user-identifier": ("no_user", "unknown_user"),
    "scope.outsider-refused": ("outsider",),
}
"""By rule: credentials that the service must refuse."""

# Further ones: each operation is sent one, and those that write all signatures; "{}" is a token without a scheme.
_MORE: Final[Mapping[str, tuple[Credential, ...]]] = {
    "auth.bearer-required": ("Bearer".format, "Bearer a.b.c".format, "Basic {}".format, "{}".format),
    "auth.signature-verified": tuple(map(_bearer, (other_signature, without_signature, cut, continued))),
}
_PLAIN: Final = frozenset(
    {"auth.session-refused", "scope.outsider-refused"}
)  # Rules whose requests have no other bodies.
_OTHERS: Final = "of other callers and with other defects"
# As browsers send it, and as programs do; a program that exports labels asks for a PDF.
_PAGES: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_ACCEPTED: Final = ("*/*", "application/json", _PAGES, "application/pdf")


class _Sent(NamedTuple):
    """Requests that were sent, and their responses.

    Attributes:
        exchanges: All exchanges, also those that prove nothing and were repeated.
        responses: The responses that prove something.
    """

    exchanges: list[Exchange]
    responses: list[httpx.Response]


class Refusals:
    """The refused requests of an operation, which the tests of a process share.

    Args:
        api: The `Api` of the owner, whose test gets the exchanges.
        run: The run that the tests belong to.
        requests: A valid request of each operation.
        restore_after: Restores what a request changes that is not refused.
    """

    def __init__(self, api: Api, run: Run, requests: ValidRequests, restore_after: RestoreAfter) -> None:
        self._api = api
        self._run = run
        self._requests = requests
        self._restore_after = restore_after
        self._known: dict[tuple[str, str], _Sent | MissingError] = run.learned.setdefault("refusals", {})

    def of_credentials(self, operation: str, rule: str) -> list[httpx.Response]:
        """Return the responses to requests whose token must be refused, with a body of each kind, or whose user is an outsider.

        Args:
            operation: The operationId.
            rule: A key of `CREDENTIALS`.

        Raises:
            MissingError: The data file has no such token.
        """
        if (operation, rule) not in self._known:
            self._restore_after(operation)
            for each in CREDENTIALS:
                self._send(operation, each, partial(self._with_credentials, rule=each))
        sent = self._known[operation, rule]
        if isinstance(sent, MissingError):
            raise sent
        self._api.exchanges.extend(sent.exchanges)
        return sent.responses

    def of_all(self, operation: str) -> list[httpx.Response]:
        """Return the responses to all of these requests, and to those of other callers and with other defects.

        Raises:
            MissingError: The data file lacks what a request needs.
        """
        self.of_credentials(operation, "auth.bearer-required")
        if (operation, _OTHERS) not in self._known:
            self._restore_after(operation)
            self._send(operation, _OTHERS, self._with_defects)
        found = [self._known.get((operation, each)) for each in (_OTHERS, *CREDENTIALS)]
        known = [sent for sent in found if isinstance(sent, _Sent)]
        self._api.exchanges.extend(chain.from_iterable(sent.exchanges for sent in known))
        return list(chain.from_iterable(sent.responses for sent in known))

    @staticmethod
    def know(run: Run, operation: str, exchanges: list[Exchange]) -> None:
        """Take requests of other callers and with other defects that a sequence of the run has sent."""
        responses = [exchange.response for exchange in exchanges if not is_from_gateway(exchange.response)]
        run.learned.setdefault("refusals", {})[operation, _OTHERS] = _Sent(exchanges, responses)

    def forget(self, operation: str) -> None:
        """Send the requests of an operation again when they are needed the next time."""
        for key in [key for key in self._known if key[0] == operation]:
            del self._known[key]

    def _send(self, operation: str, rule: str, send: Callable[[list[Exchange], str], list[httpx.Response]]) -> None:
        exchanges: list[Exchange] = []
        try:
            self._known[operation, rule] = _Sent(exchanges, send(exchanges, operation))
        except MissingError as error:
            self._known[operation, rule] = error

    def _with_credentials(self, exchanges: list[Exchange], operation: str, rule: str) -> list[httpx.Response]:
        arguments = self._requests(operation)
        tokens = self._run.data.tokens
        known = [each for each in CREDENTIALS[rule] if not isinstance(each, str) or each in tokens]
        credentials = known or list(CREDENTIALS[rule])
        if others := _MORE.get(rule):
            number = _place(operation) % len(others)
            writes = rule == "auth.signature-verified" and operation_by_id(operation).effect in {"write", "notify"}
            credentials += others + self._exchanged(operation) if writes else others[number : number + 1]
        callers = [self._caller(credential, exchanges) for credential in credentials]
        bodies: list[dict[str, Any]] = []
        if rule not in _PLAIN:
            with suppress(MissingError):  # for a field of which the data file has no value
                bodies = _bodies(self._requests, operation)
        responses: list[httpx.Response] = []
        # Half of the bodies are sent without a token, and the other rules have them in turns.
        first = list(CREDENTIALS).index(rule)
        for number in range(first, first + max(len(callers), 0 if first else (len(bodies) + 1) // 2)):
            body = {"json": bodies[number % len(bodies)]} if bodies else {}
            headers = {"Accept": _ACCEPTED[number % len(_ACCEPTED)]}
            caller = callers[number % len(callers)]
            responses.append(caller(operation, **{**arguments, **body}, headers=headers))
        return responses

    def _with_defects(self, exchanges: list[Exchange], operation: str) -> list[httpx.Response]:
        arguments = self._requests(operation)
        others = ("viewer",) if operation_by_id(operation).effect != "read" else ()
        callers = [self._caller(each, exchanges) for each in others if each in self._run.data.tokens]
        responses = [caller(operation, **arguments) for caller in callers]
        return [*responses, *defective(self._caller("owner", exchanges), self._requests, operation, "nowhere")]

    def _caller(self, credential: Credential, exchanges: list[Exchange]) -> Api:
        """Return an `Api` with a credential.

        Raises:
            MissingError: The data file has no such token.
        """
        data, nonconformities = self._run.data, self._api.nonconformities
        if callable(credential):
            api = self._run.api(None, exchanges, nonconformities)
            api.client.headers["Authorization"] = credential(data.token("owner"))
            return api
        if credential == "session" and parts_of(data.token("session")):
            raise MissingError("the session credential is a JWT, so it may be an access token, too")
        return self._run.api(credential, exchanges, nonconformities)

    def _exchanged(self, operation: str) -> tuple[Credential, ...]:
        """Return a credential with the signature of another token, which is valid and was sent before; none without one."""
        for identity in ("viewer", "outsider"):
            if identity in self._run.data.tokens:
                if self._run.learned.setdefault("exchanged", operation) == operation:
                    self._caller(identity, [])("agents_list")
                return (_bearer(partial(_signed, self._run.data.token(identity).rpartition(".")[2])),)
        return ()


def _place(operation: str) -> int:
    """Return the place of an operation among all, by which operations take turns with what is not sent for each."""
    return [each.id for each in operations()].index(operation)


def defective(api: Api, valid_requests: ValidRequests, operation: str, name: str) -> Iterator[httpx.Response]:
    """Yield the responses to calls of the owner, each with one defect.

    Args:
        api: The `Api` of the owner.
        valid_requests: A valid request of each operation.
        operation: The operationId.
        name: Text after the tag in the values that are sent. No irreversible request of a run is sent twice.
    """
    arguments = valid_requests(operation)
    if "json" in arguments:
        text = f"{valid_requests.tag}-{name}"
        body = text if _place(operation) % 2 == 0 else [text]
        yield api(operation, **{**arguments, "json": body})
    if operation in THINGS:
        yield api(operation, **{**arguments, THINGS[operation]: f"{valid_requests.tag}-{name}"})
    if operation in _EMPTY_IS_NOTHING:
        yield api(operation, **{name: value for name, value in arguments.items() if name != "json"})
    if operation in READS_OF_A_PROJECT:
        yield api(operation, **{**arguments, "projectId": valid_requests.unknown_id})
        yield api(operation, **{**arguments, "projectId": NO_UUID})
    match operation:
        case "auth_check_permission":
            yield api(operation, query=valid_requests.permission("contract:read"))
        case "agents_list":
            yield api(operation, query={"limit": 0})
        case "records_update":
            yield api(operation, **{**arguments, "json": {"expectedData": {"title": f"{valid_requests.tag} stale"}}})
        case "calendar_book":
            valid_requests.event()  # takes the slot
            yield api(operation, json={**valid_requests.booking(), "conflictCheck": True})
        case _:
            pass


def _bodies(requests: ValidRequests, operation: str) -> list[dict[str, Any]]:
    """Return a valid body of some operations, others with each kind of field, and one with all: none makes up for a token."""
    tag = requests.tag
    match operation:
        case "workflows_create":
            valid = requests.workflow()
            optional = {"description": tag, "tags": [tag], "triggerCondition": {"a": None}, "actions": [{"type": tag}]}
            others: tuple[dict[str, Any], ...] = (optional, {"isActive": True}, {"triggerCondition": None})
            return [{**valid, **other} for other in ({}, *others)]
        case "records_create":
            linked = {"typeSlug": requests.data("linked_object_type"), "data": {"email": f"{tag}@example.com"}}
            plain = {"typeSlug": requests.data("object_type")}
            whole = {**linked, "externalId": f"{tag}-refused", "relations": {}}
            return [{**plain, "data": {"title": tag}}, whole, linked, {**plain, "relations": {}}, plain]
        case "records_update":
            holds, stale = {"expectedData": {"title": tag}}, {"expectedStatus": tag}
            whole = {"data": {"late": True}, "externalId": f"{tag}-refused", "relations": {}, **holds, **stale}
            fields: tuple[dict[str, Any], ...] = (
                {"data": {"title": None}, **holds},
                {"externalId": f"{tag}-refused"},
                {"relations": {}},
                stale,
            )
            return [{"data": {"title": tag}}, *fields, {}, whole]
        case "memory_update":
            texts = {"title": f"late {tag}", "description": "", "content": f"late {tag}"}
            return [{}, {**texts, "metadata": {"late": tag}}, {"metadata": {}}, {"content": ""}, texts]
        case "templates_apply":
            name = {"name": f"{tag} refused"}
            values = requests.data("template_variables")
            return [{**name, "variableValues": values}, name, {**name, "variableValues": {}}]
        case _:
            return []
