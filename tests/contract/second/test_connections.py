"""A service that keeps the first caller of a connection serves later callers wrongly, and is noticed."""

import pytest

from .service import new_world


@pytest.mark.parametrize("stays", [False, True], ids=["each request has its caller", "the first caller stays"])
def test_the_caller_of_each_request_of_a_connection_counts(prove_second, stays):
    """Requests of several callers follow each other on one connection."""
    tests = ("-k", "test_permissions_held or outsider", "--min-proven", "0")

    run = prove_second(new_world(), *tests, first_caller_stays=stays)

    assert ("violated" in run.verdicts.values()) is stays, run.out
