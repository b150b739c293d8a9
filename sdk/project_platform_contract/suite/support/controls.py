"""Positive controls: an operation, or a token, that is refused whatever is sent proves nothing by refusing a request.

An operation that accepts no plain request of the owner is down: no other request of it is sent.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.rules.kinds import with_a_body
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.conclusive import InconclusiveError
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.credentials import ACCEPTED
from project_platform_contract.run.exchange import DownError, Exchange, Nonconformity, Plain

from .calendar import busy, is_listed, moment
from .preconditions import INVALID
from .valid_requests import ValidRequests

# Statuses with which a service refuses the body of a request, or has no room for it. A plain request has no long URI.
_CONTENT: Final = INVALID - {HTTPStatus.REQUEST_URI_TOO_LONG} | {HTTPStatus.CONFLICT, HTTPStatus.INSUFFICIENT_STORAGE}
# Operations of which the specification says when they return 409.
_CONFLICTS: Final = frozenset({"records_update", "calendar_book", "calendar_reschedule"})

_ATTEMPTS: Final = (
    5  # Plain requests of an operation that is down; one of two may fail, and fewer than 4 % do so each time.
)
_FIRST_DELAY: Final = 0.1  # Seconds to wait after a failure; doubled with each attempt.

PlainResponse = Callable[[str], httpx.Response]
"""Returns the response to the plain request of an operation."""

CONTROLS = pytest.StashKey["Controls"]()
"""Of a test: its positive controls."""


class Controls:
    """Proves that what a test saw refused is accepted otherwise. A control is sent once per process, if no test sent it.

    Args:
        run: The run that the tests belong to.
        sign_in: Returns an `Api` for an identity.
        prepared: Identifiers of resources that were already created for valid requests, by kind.
    """

    def __init__(self, run: Run, sign_in: SignIn, prepared: dict[str, str]) -> None:
        self.run = run
        self._sign_in = sign_in
        self._prepared = prepared

    def require_up(self, operation: str) -> None:
        """Send the plain request of an operation, if this process has not sent it, and require that it is accepted.

        Nothing is sent if its effect is not allowed, or the data file lacks what it needs.

        Raises:
            DownError: It was refused, or failed, each time; or an operation that it needs is down.
            InconclusiveError: There is no response that proves something.
        """
        plain = self.run.plain
        if operation not in plain and self.run.allows(operation_by_id(operation).effect):
            plain[operation] = None  # The requests that prepare it pass.
            try:
                plain[operation] = self._accepted(operation)
            except DownError as error:
                plain[operation] = error
            except (InconclusiveError, httpx.TransportError):
                del plain[operation]  # The next test tries again.
                raise
            except MissingError:
                pass
        if isinstance(down := plain.get(operation), DownError):
            raise DownError(
                down.operation, down.problem, down.exchange
            )  # a new one, without the traceback of the first

    def plain(self, operation: str, api: Api) -> httpx.Response:
        """Return the response to the plain request of an operation, which the tests of a process share.

        Args:
            operation: The operationId.
            api: The `Api` of the owner, which gets the exchange.

        Raises:
            MissingError: The data file lacks what it needs, or the page already likes the post.
        """
        self.require_up(operation)
        known = self.run.plain.get(operation)
        if not isinstance(known, Plain):
            return self._send("owner", operation)
        if _is_liked(operation, known.exchange.response):
            raise MissingError("the page already likes 'published_page_post', and a like cannot be undone")
        api.exchanges.append(known.exchange)
        api.nonconformities.extend(known.nonconformities)
        return known.exchange.response

    def _accepted(self, operation: str) -> Plain:
        """Send plain requests until one is accepted, or as many got another response as make an operation down."""
        exchanges: list[Exchange] = []
        nonconformities: list[Nonconformity] = []
        api = self.run.api("owner", exchanges, nonconformities)
        with api.client:
            for attempt in range(_ATTEMPTS):
                try:
                    api(operation, **self._numbered(operation, api))
                except InconclusiveError as error:
                    if error.status is None or error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                        raise
                except MissingError:
                    # The name of the permission parameter is looked for with requests of the operation.
                    if not exchanges or not _is_absent(exchanges[-1].response):
                        raise
                own = [exchange for exchange in exchanges if exchange.operation == operation]
                if not own or own[-1] is not exchanges[-1]:
                    raise InconclusiveError(f"a request that {operation} needs failed")
                last = own[-1]
                if is_confirmed(last.response):
                    if operation == "calendar_book":
                        self.run.calendar_lag.learn(partial(self._is_listed, api, last.response))
                    self.run.accepted |= {operation, "owner"}
                    return Plain(last, [each for each in nonconformities if each.exchange is last])
                if _is_liked(operation, last.response):
                    return Plain(last, [])
                if last.response.is_server_error:
                    time.sleep(_FIRST_DELAY * 2**attempt)
                    if not self.run.control(operation):
                        raise InconclusiveError(
                            f"{operation} failed, but so did a request that has nothing to do with it"
                        )
                if len(own) >= _ATTEMPTS:  # A request that may be repeated was.
                    break
                self.run.forget_reads()
        if operation == "memory_update" and last.response.status_code in _CONTENT:
            self._require_fields(last.response)
        raise DownError(operation, _problem(own), last)

    def _require_fields(self, response: httpx.Response) -> None:
        """Raise `MissingError` if only an update without fields is refused: then one of an entry that does not exist is refused otherwise."""
        tag = self.run.tag
        other = self._sign_in("owner")("memory_update", slug=f"{tag}-nothing", json={"title": tag})
        if other.status_code not in _CONTENT:
            raise MissingError(
                f"an update without fields is refused ({response.status_code}), and nothing else reads an entry"
            )

    def _is_listed(self, api: Api, response: httpx.Response) -> bool:
        self.run.forget_reads()
        return is_listed(api, response)

    def _numbered(self, operation: str, api: Api) -> dict[str, Any]:
        """Return a valid request; another sub-project each time, because an application must not be sent twice, and another label."""
        arguments = ValidRequests(api, self.run, self._prepared)(operation)
        number = self.run.learned[f"plain {operation}"] = self.run.learned.get(f"plain {operation}", 0) + 1
        if operation == "templates_apply":
            arguments["json"]["name"] += f" {number}"
        if operation == "labels_export":  # The first item may be the only one that is refused.
            items = self.run.data["menu_items"]
            arguments["json"]["itemIds"] = [items[(number - 1) % len(items)]]
        if operation == "calendar_book":  # A service that keeps lists for a while then shows how long.
            start = moment(arguments["json"]["start"])
            busy(api, start, start + timedelta(minutes=arguments["json"]["durationMinutes"]))
        return arguments

    def require(self, exchanges: Iterable[Exchange]) -> None:
        """Require a control for each operation and each identity that got nothing but errors.

        Raises:
            MissingError: A control is refused, too.
        """
        operations: set[str | None] = set()
        identities: set[str | None] = set()
        for exchange in exchanges:
            if is_confirmed(exchange.response):
                self.run.accepted |= {exchange.operation, exchange.identity}
            else:
                operations |= {exchange.operation}
                identities |= {exchange.identity}
        for operation in sorted(filter(None, operations - self.run.accepted)):
            self._control("owner", operation, f"{operation} refuses a valid request, too")
        for identity in sorted(filter(None, (identities & ACCEPTED) - self.run.accepted)):
            self._control(identity, "auth_check_permission", f"the token of {identity!r} is refused everywhere")

    def require_plain(self, exchanges: Iterable[Exchange]) -> None:
        """Require that a failed test did not fail because an operation refuses even its plain request.

        A service may accept no more things. Irreversible requests are not sent for this, and count as accepted if one ever was.

        Raises:
            MissingError: An operation that refused what a request contains refuses its plain request, too.
        """
        refusing = {
            exchange.operation
            for exchange in exchanges
            if exchange.operation is not None and rejects_content(exchange.operation, exchange.response)
        }
        for operation in sorted(refusing):
            called = operation_by_id(operation)
            if not with_a_body(called) or (called.effect == "irreversible" and operation in self.run.accepted):
                continue
            response = self._send("owner", operation)
            if rejects_content(operation, response):
                raise MissingError(f"{operation} refuses the plain request, too ({response.status_code})")

    def _control(self, identity: str, operation: str, problem: str) -> None:
        response = self._send(identity, operation)
        if not is_confirmed(response):
            raise MissingError(f"{problem} ({response.status_code}), so its refusals prove nothing")
        self.run.accepted |= {operation, identity}

    def _send(self, identity: str, operation: str) -> httpx.Response:
        """Send the valid request of an operation."""
        valid = ValidRequests(self._sign_in("owner"), self.run, self._prepared)
        return self._sign_in(identity)(operation, **valid(operation))


def rejects_content(operation: str, response: httpx.Response) -> bool:
    """Return whether a service refused what a request contains, for a reason that the specification does not give."""
    conflict = response.status_code == HTTPStatus.CONFLICT and operation in _CONFLICTS
    return response.status_code in _CONTENT and not conflict and not _is_liked(operation, response)


def is_confirmed(response: httpx.Response) -> bool:
    """Return whether a response is a success with a content, also by its member `success` if it has one."""
    if not response.is_success or not response.content:
        return False
    try:
        body = json.loads(response.content)
    except ValueError:
        return True
    return bool(body) and (not isinstance(body, dict) or body.get("success") is not False)


def _is_liked(operation: str, response: httpx.Response) -> bool:
    """Return whether a response is the conflict of a second like, of which the specification does not say what it does."""
    return operation == "engagement_like" and response.status_code == HTTPStatus.CONFLICT


def _problem(exchanges: Sequence[Exchange]) -> str:
    """Return the number of responses in words, with the status of the last one."""
    response = exchanges[-1].response
    problem = f"{len(exchanges)} plain requests got {response.status_code} {response.reason_phrase}".strip()
    if not response.is_success:
        return problem
    return f"{problem} with success: false" if b"success" in response.content else f"{problem} without content"


def _is_absent(response: httpx.Response) -> bool:
    """Return whether a service fails, or does not have an operation, whatever the request contains."""
    return response.is_server_error or response.status_code in {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}
