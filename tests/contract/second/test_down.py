"""An operation that accepts no valid request is down: a verdict of its own, with an exit code of its own."""

import pytest

from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.run.exit_code import ExitCode

from . import down
from .judge import results_of
from .mutant import DOWN

pytestmark = pytest.mark.one_python


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the runs, each with the rules of one operation."""
    return results_of(DOWN, tmp_path_factory.mktemp("down"))


@pytest.mark.parametrize("id", DOWN)
def test_an_operation_that_accepts_no_valid_request_is_down(results, id):
    """None of its rules is proven or violated."""
    result, operation = results[id], DOWN[id].operation

    assert result["error"] is None
    assert result["down"] == [operation]
    assert result["code"] == ExitCode.DOWN
    assert set(result["verdicts"].values()) == {"not run"}


@pytest.mark.parametrize("id", DOWN)
def test_the_first_line_of_the_report_names_the_operation_that_is_down(results, id):
    """With its name in the SDK; that is the reason of its rules, too."""
    name = operation_by_id(DOWN[id].operation).name

    assert results[id]["first_line"] == f"# Down: {name}"
    assert f"{name} is down" in results[id]["reasons"]


def test_each_operation_is_down_in_each_way():
    assert len(DOWN) == len(operations()) * len(down.REPLIES) + len(down.MORE) == 64 + 4
