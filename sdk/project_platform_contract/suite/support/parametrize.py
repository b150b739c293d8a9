"""Parametrization of tests whose rules apply to many operations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from project_platform_contract.operations import Operation, operations
from project_platform_contract.rules.kinds import dashed


def parametrize_operations(
    prefix: str, where: Callable[[Operation], bool] = lambda operation: True
) -> pytest.MarkDecorator:
    """Return a mark that runs a test once per operation, each time for the rule of that operation.

    Args:
        prefix: Beginning of the identifiers of the rules.
        where: Whether the test runs for an operation.
    """
    return pytest.mark.parametrize(
        "operation",
        [
            pytest.param(
                operation.id, id=dashed(operation.id), marks=pytest.mark.rule(f"{prefix}.{dashed(operation.id)}")
            )
            for operation in operations()
            if where(operation)
        ],
    )
