"""Tests of rules that hold for operation after operation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from project_platform_contract.operations import Operation, operations
from project_platform_contract.rules.per_operation import dashed


def parametrize_operations(
    prefix: str, where: Callable[[Operation], bool] = lambda operation: True
) -> pytest.MarkDecorator:
    """Return a mark that runs a test for every operation, as a test of the operation's own rule.

    Args:
        prefix: What the identifiers of the rules begin with.
        where: Which operations it is about.
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
