"""A difference that a test sees once is asked again, where that is safe; what does not come back is flaky, and not violated."""

from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import latency, status

WRONG = status(200, body={"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": True}})
REQUESTS = 4  # The first read of the run, the plain request, that of the test, and its first repetition.


def test_a_failure_that_does_not_recur_is_flaky(prove_on, served):
    """The report shows how the test failed and its requests, and the rule counts as not run."""
    served.stub.world.faults.plan("agents_list", [WRONG] * REQUESTS)

    run = prove_on("-k", "page_beyond_the_end", "--min-proven", "0")

    assert run.code not in {ExitCode.VIOLATED, ExitCode.WRONG_USE}, run.out
    (flaky,) = run.report["flaky"]
    assert flaky["rules"] == ["agents.list.page-size"]
    assert "flaky: the test failed, and did not fail again: assert True is False" in flaky["why"]
    assert [exchange["request"].partition("?")[2] for exchange in flaky["exchanges"]] == ["offset=100000"]
    assert run.verdicts["agents.list.page-size"] == "not run"
    assert "flaky     agents.list.page-size: flaky: " in run.out


def test_a_difference_of_a_sequence_that_does_not_recur_is_flaky(prove_on, served):
    """Such a sequence is sent once more."""
    served.stub.world.faults.plan("auth_check_permission", [status(200, body={"allowed": False})] * 20)

    run = prove_on("-k", "test_model and permissions.check", "--min-proven", "0")

    assert run.code not in {ExitCode.VIOLATED, ExitCode.WRONG_USE}, run.out
    assert "permissions.check.owner" in {rule for flaky in run.report["flaky"] for rule in flaky["rules"]}


def test_a_short_outage_says_nothing_of_the_permissions_of_a_caller(prove_on, served):
    """Those that were checked before it may be none that the viewer holds."""
    served.stub.world.faults.plan("auth_check_permission", [latency(0)] * 40 + [status(503)] * 5)

    run = prove_on("-k", "test_model and permissions.check", "--min-proven", "0")

    assert (run.report["flaky"], run.verdicts["permissions.check.owner"]) == ([], "proven")
