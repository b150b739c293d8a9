"""Positive controls: an operation, or a token, that is refused whatever is sent proves nothing by refusing a request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id
from project_platform_contract.rules.per_operation import with_a_body
from project_platform_contract.run.api import Exchange, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.credentials import ACCEPTED

from .valid_requests import ValidRequests

# Statuses with which a service refuses what a request contains: not its caller, and not what it addresses.
_CONTENT: Final = frozenset({
    *(HTTPStatus.BAD_REQUEST, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    *(HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.PRECONDITION_REQUIRED, HTTPStatus.INSUFFICIENT_STORAGE),
})  # fmt: skip
# Operations of which the specification says when they answer with 409.
_CONFLICTS: Final = frozenset({"records_update", "calendar_book", "calendar_reschedule"})

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

    def require(self, exchanges: Iterable[Exchange]) -> None:
        """Require a control for each operation and each identity that got nothing but errors.

        Raises:
            MissingError: A control is refused, too.
        """
        operations: set[str | None] = set()
        identities: set[str | None] = set()
        for exchange in exchanges:
            if _is_confirmed(exchange.response):
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

        A service may require members that the plain request lacks, or accept no more things. Irreversible requests are not
        sent for this, and count as accepted if one ever was.

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
        if not _is_confirmed(response):
            raise MissingError(f"{problem} ({response.status_code}), so its refusals prove nothing")
        self.run.accepted |= {operation, identity}

    def _send(self, identity: str, operation: str) -> httpx.Response:
        """Send the valid request of an operation."""
        valid = ValidRequests(self._sign_in("owner"), self.run, self._prepared)
        return self._sign_in(identity)(operation, **valid(operation))


def rejects_content(operation: str, response: httpx.Response) -> bool:
    """Return whether a service refused what a request contains, for a reason that the specification does not give."""
    conflict = response.status_code == HTTPStatus.CONFLICT and operation in _CONFLICTS
    return response.status_code in _CONTENT and not conflict


def _is_confirmed(response: httpx.Response) -> bool:
    """Return whether a response is a success, also by its member `success` if it has one."""
    if not response.is_success:
        return False
    try:
        body = json.loads(response.content)
    except ValueError:
        return True
    return not isinstance(body, dict) or body.get("success") is not False
