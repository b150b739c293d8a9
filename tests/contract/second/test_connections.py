"""A service that keeps the first caller of a connection answers later callers wrongly, and is noticed."""

from __future__ import annotations

import pytest
import yaml

from .service import Service, data_members, new_world
from .service.rims import on_a_socket
from .service.world import tokens_of


@pytest.mark.parametrize("stays", [False, True], ids=["each request has its caller", "the first caller stays"])
def test_the_caller_of_each_request_of_a_connection_counts(prove, tmp_path, stays):
    """Requests of several callers follow each other on one connection."""
    world = new_world()
    tokens = tokens_of(world)
    variables = {identity: f"SECOND_{identity.upper()}" for identity in tokens}
    named = {identity: name for identity, name in variables.items() if identity != "owner"}
    (tmp_path / "data.yaml").write_text(yaml.safe_dump({**data_members(), "token_variables": named}), "utf-8")
    with on_a_socket(Service(world), first_caller_stays=stays) as url:
        run = prove(
            *(url, "--token-env", variables["owner"], "--data", "data.yaml", "--min-proven", "0"),
            *("-k", "test_permissions_held or outsider"),
            environment={variables[identity]: token for identity, token in tokens.items()},
        )

    assert ("violated" in run.verdicts.values()) is stays, run.out
