"""The second implementation keeps the specification, and differs from the stub server wherever that is silent."""

from .runs import PROVEN
from .service import new_world


def test_a_service_that_keeps_the_specification_violates_no_rule(prove_second):
    """It has other identifiers, statuses, defaults, orders and members than the stub server; it is served on a socket."""
    run = prove_second(new_world(), "--allow", "irreversible", "--i-own", "127.0.0.1")

    assert {id for id, verdict in run.verdicts.items() if verdict == "violated"} == set(), run.out
    assert run.code == 0
    assert list(run.verdicts.values()).count("proven") >= PROVEN
