"""Endpoint 1: check permission."""

from __future__ import annotations

import pytest

from project_platform_contract.run.api import Api, Fact

from .support.permission_parameter import probe


@pytest.mark.rule("permissions.check.values")
def test_the_parameter_of_a_permission_check_is_a_fact(api: Api, fact: Fact) -> None:
    name, seen = probe(api)

    fact("permissionParameter", name, seen)
    assert isinstance(seen.json()["allowed"], bool)
