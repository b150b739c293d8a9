"""The verdict on an operation that accepts no valid request: it is down, and the rules that need it are not run."""

from __future__ import annotations

from typing import NamedTuple

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id

from .exchange import Exchange, Nonconformity


class Plain(NamedTuple):
    """The plain request of an operation, which the service accepted.

    Attributes:
        exchange: The request and its response.
        nonconformities: How the response violates the contract.
    """

    exchange: Exchange
    nonconformities: list[Nonconformity]


class DownError(MissingError):
    """An operation is down: the service accepts no plain request of it.

    Attributes:
        operation: The operationId.
        problem: How the plain requests were answered.
        exchange: The last of them.
    """

    def __init__(self, operation: str, problem: str, exchange: Exchange) -> None:
        super().__init__(f"{operation_by_id(operation).name} is down")
        self.operation = operation
        self.problem = problem
        self.exchange = exchange
