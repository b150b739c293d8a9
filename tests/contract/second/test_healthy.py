"""The second implementation keeps the specification, and differs from the stub server wherever that is silent."""

import pytest
import yaml

from . import choices
from .runs import DIFFERENT
from .service import Service, data_members, new_world
from .service.rims import on_a_socket
from .service.world import tokens_of

PROVEN = 383  # The number of rules that are proven at least; the others need values that only a stub server shows.


@pytest.fixture
def healthy(prove, tmp_path, request, monkeypatch):
    """The result of the command on the second implementation, on a socket and with all effects."""
    if request.param[0] == "the other choices":
        choices.differ(monkeypatch.setattr)
    world = new_world()
    tokens = tokens_of(world)
    variables = {identity: f"SECOND_{identity.upper()}" for identity in tokens}
    named = {identity: name for identity, name in variables.items() if identity != "owner"}
    (tmp_path / "data.yaml").write_text(yaml.safe_dump({**data_members(), "token_variables": named}), "utf-8")
    with on_a_socket(Service(world)) as url:
        yield prove(
            *(url, "--token-env", variables["owner"], "--data", "data.yaml"),
            *("--allow", "irreversible", "--i-own", "127.0.0.1", *request.param[1:]),
            environment={variables[identity]: token for identity, token in tokens.items()},
        )


@pytest.mark.parametrize(
    ("healthy", "different"),
    [(("its choices",), DIFFERENT), (("the other choices", "--fuzz", "0"), DIFFERENT | choices.INFERRED)],
    ids=lambda value: value[0].replace(" ", "-") if isinstance(value, tuple) else "",
    indirect=["healthy"],
)
def test_a_service_that_keeps_the_specification_violates_no_rule(healthy, different):
    """It has other identifiers, statuses, defaults, orders and members than the stub server, and then others than those.

    The generated requests of the first run take half of its time, and their rules do not depend on the choices.
    """
    verdicts = healthy.verdicts

    assert {id for id, verdict in verdicts.items() if verdict == "violated"} == different, healthy.out
    assert healthy.code == 0
    assert sum(verdict == "proven" for verdict in verdicts.values()) >= PROVEN
