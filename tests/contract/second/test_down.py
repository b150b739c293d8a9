"""An operation that accepts no valid request is down: a verdict of its own, with an exit code of its own."""

import pytest

from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.run.exit_code import ExitCode

from . import down
from .judge import results_of
from .mutant import DOWN

NAMED = [id for id, mutant in DOWN.items() if mutant.kind == "down"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the runs, each with the rules of one operation."""
    return results_of(DOWN, tmp_path_factory.mktemp("down"))


@pytest.mark.parametrize("id", NAMED)
def test_an_operation_that_accepts_no_valid_request_is_down(results, id):
    """None of its rules is proven or violated."""
    result, operation = results[id], DOWN[id].operation

    assert result["error"] is None
    assert result["down"] == [operation]
    assert result["code"] == ExitCode.DOWN
    assert set(result["verdicts"].values()) == {"not run"}


@pytest.mark.parametrize("id", NAMED)
def test_the_first_line_of_the_report_names_the_operation_that_is_down(results, id):
    """With its name in the SDK; that is the reason of its rules, too."""
    name = operation_by_id(DOWN[id].operation).name

    assert results[id]["first_line"] == f"# Down: {name}"
    assert f"{name} is down" in results[id]["reasons"]


def test_each_operation_is_down_in_each_way():
    assert len(NAMED) == len(operations()) * len(down.REPLIES) + len(down.MORE) == 64 + 4


def test_an_operation_that_only_refuses_an_update_without_fields_is_not_down(tmp_path):
    """The plain request of a memory entry is such an update, since no operation reads one."""
    (result,) = results_of(["empty-updates-are-refused-at-memory_update"], tmp_path).values()

    assert (result["down"], result["stated"], result["error"]) == ([], [], None)


@pytest.mark.parametrize(("reply", "is_down"), [("500", True), ("empty-200", True), ("400", False), ("403", False)])
def test_a_permission_check_that_refuses_every_usual_name_is_down_only_if_the_data_file_names_the_parameter(
    results, reply, is_down
):
    """A service whose parameter has another name, which is not shown, refuses the usual ones in the same way."""
    result = results[f"auth_check_permission-{reply}-without-a-name"]

    assert result["error"] is None
    assert result["down"] == (["auth_check_permission"] if is_down else [])
    assert set(result["verdicts"].values()) == {"not run"}
    assert (
        any("no name of the permission parameter was accepted" in reason for reason in result["reasons"]) is not is_down
    )
