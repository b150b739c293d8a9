"""A refusal, a failure or a difference is reported only if it proves something about the service."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable

import pytest

from project_platform_contract.run.exit_code import ExitCode

from ..conftest import Prove, RunResult, ServedStub
from .faulty_proxy import FaultyProxy, Request


def run_with(
    prove_at: Prove, served: ServedStub, disturb: Callable[[Request], str | None], *arguments: str, **options: dict
) -> RunResult:
    with FaultyProxy(served.base_url, lambda request, dice: disturb(request), 0) as proxy:
        return prove_at(proxy.url, *arguments, **options)


def why(run: RunResult, id: str) -> str:
    """Return the verdict on a rule and the reason."""
    rule = next(rule for rule in (*run.report["rules"], *run.report["inferred"]) if rule["id"] == id)
    return f"{rule['verdict']}: {rule['why']}"


def test_an_operation_that_refuses_everything_is_down(prove_at: Prove, served: ServedStub) -> None:
    """A deployment without memory entries answers 404 to any update of one, which proves no refusal."""
    run = run_with(
        prove_at,
        served,
        lambda request: "404" if "/memory-entries/" in request.path and request.method == "PATCH" else None,
        "-k",
        "unknown-slug or (outsider and memory) or (expired and memory)",
    )

    assert run.code == ExitCode.DOWN
    assert (
        "DOWN      memory.update: 5 plain requests got 404 Not Found (check memory_slug in the data file); the last was PATCH "
        in run.out
    )
    for id in (
        "memory.update.unknown-slug",
        "scope.outsider-refused.memory-update",
        "auth.expired-refused.memory-update",
    ):
        assert (
            why(run, id).removesuffix("; not selected") == "not run: memory.update is down"
        )  # it may have other tests


def test_a_token_that_is_refused_everywhere_proves_no_refusal(prove_at: Prove, served: ServedStub) -> None:
    token = served.stub.tokens.valid("outsider")
    run = run_with(
        prove_at,
        served,
        lambda request: "404" if request.token == f"Bearer {token}" else None,
        *("-k", "outsider and agents"),
        tokens={"outsider": token},
    )

    reason = "no positive control: the token of 'outsider' is refused everywhere (404), so its refusals prove nothing"
    assert why(run, "scope.outsider-refused.agents-list") == f"not run: {reason}"


@pytest.mark.parametrize(
    ("part", "rule", "test"),
    [
        ("limit=0", "agents.list.limit-range", "limit-0"),
        ("description", "workflows.limits.description", "workflows-workflows.limits"),
    ],
)
def test_a_service_that_crashes_on_an_input_violates_the_rule(
    prove_at: Prove, served: ServedStub, part: str, rule: str, test: str
) -> None:
    """Other requests succeed before and after, and the same request fails again."""
    crashes = {
        "limit=0": lambda request: "limit=0" in request.path,
        "description": lambda request: (
            request.path.endswith("/workflows") and len(json.loads(request.body).get("description", "")) > 1000
        ),
    }
    run = run_with(prove_at, served, lambda request: "500" if crashes[part](request) else None, "-k", test)

    assert why(run, rule) == "violated: None"


def test_a_service_that_fails_now_and_then_violates_no_rule(prove_at: Prove, served: ServedStub) -> None:
    """Even if the failures are its own."""
    dice = random.Random(1)
    run = run_with(
        prove_at, served, lambda request: "500" if dice.random() < 0.1 else None, "-k", "records or agents or memory"
    )

    assert "violated" not in run.verdicts.values()
    assert run.report["counts"]["proven"] > 5


def test_data_that_changes_during_a_test_violates_no_rule(prove_at: Prove, served: ServedStub) -> None:
    """Somebody creates an agent between two pages: the test is repeated."""
    numbers = itertools.count()
    agents = served.stub.project.agents

    def created(request: Request) -> None:
        if "/agents" in request.path and next(numbers) in {12, 31, 57}:
            last = agents[next(reversed(list(agents)))]
            agents[f"agent-{len(agents)}"] = {**last, "id": f"agent-{len(agents)}"}

    run = run_with(prove_at, served, created, "-k", "test_agents")

    assert "violated" not in run.verdicts.values(), run.out


def test_an_agent_that_others_edit_during_a_write_violates_no_rule(prove_at: Prove, served: ServedStub) -> None:
    """A difference must recur, and a request that cannot be undone is not repeated."""
    agents = served.stub.project.agents
    edits = {f"/projects/{served.stub.project.id}/{part}" for part in ("object-records", "workflows", "templates")}

    def edited(request: Request) -> None:
        path = next((path for path in edits if request.path.startswith(path)), None)
        if path is not None and b"reserved" in request.body:  # between two observations
            edits.discard(path)
            last = next(reversed(list(agents)))
            agents[last] = {**agents[last], "description": f"edited before {path}"}

    run = run_with(prove_at, served, edited, "-k", "unaffected")

    assert edits == set()
    assert "violated" not in run.verdicts.values(), run.out
    assert run.verdicts["scope.unaffected.templates-apply"] == "not run"
    for operation in ("workflows-create", "records-create", "memory-update"):
        assert run.verdicts[f"scope.unaffected.{operation}"] == "proven", operation


def test_the_name_of_the_permission_parameter_can_be_stated(prove_at: Prove, served: ServedStub) -> None:
    """A name that is in no document; the first permission check of the run already uses it."""
    paths: list[str] = []

    def renamed(request: Request) -> str | None:
        paths.append(request.path)
        return "400" if "check-permission" in request.path and "grant=" not in request.path else None

    with FaultyProxy(served.base_url, lambda request, dice: renamed(request), 0) as proxy:
        prove_at(proxy.url, "-k", "test_model and permissions", members={"permission_parameter": "grant"})

    assert {"grant=" in path for path in paths if "check-permission" in path} == {True}
