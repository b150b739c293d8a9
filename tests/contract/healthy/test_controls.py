"""A refusal, a failure or a difference is reported only if it proves something about the service."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from project_platform_contract.run.exit_code import ExitCode

from ..conftest import Prove, RunResult, ServedStub
from ..second.service.app import Request
from .faulty_proxy import FaultyProxy


def run_with(
    prove_at: Prove, served: ServedStub, disturb: Callable[[Request], str | None], *arguments: str, **options: dict
) -> RunResult:
    with FaultyProxy(served.base_url, lambda request, dice: disturb(request), 0) as proxy:
        return prove_at(proxy.url, *arguments, **options)


def test_an_operation_that_refuses_everything_is_down(prove_at: Prove, served: ServedStub) -> None:
    """A deployment without memory entries answers 404 to any update of one, which proves no refusal."""
    run = run_with(
        prove_at,
        served,
        lambda request: "404" if "/memory-entries/" in request.target and request.method == "PATCH" else None,
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
        assert run.rules[id]["why"].removesuffix("; not selected") == "memory.update is down"  # it may have other tests


def test_a_permission_check_that_is_not_deployed_is_down(prove_at: Prove, served: ServedStub) -> None:
    """Although its parameter may have any name: with none of them there is such an operation."""
    refused = run_with(
        prove_at,
        served,
        lambda request: "404" if request.target.startswith("/auth/check-permission") else None,
        *("-k", "permission or auth-check"),
    )

    assert refused.code == ExitCode.DOWN, refused.out
    assert refused.wrong == []


def test_a_violation_that_the_data_file_may_have_caused_names_its_member(prove_at: Prove, served: ServedStub) -> None:
    """The service has no such calendar, so a booking on it is refused with 404."""
    run = prove_at(served.base_url, "-k", "calendar and conflict", members={"calendar": "no-calendar@stub.example"})

    assert run.code == ExitCode.VIOLATED
    assert "check calendar in the data file, for a 404" in run.out


def test_a_token_that_is_refused_everywhere_proves_no_refusal(prove_at: Prove, served: ServedStub) -> None:
    token = served.stub.tokens.valid("outsider")
    run = run_with(
        prove_at,
        served,
        lambda request: "404" if request.headers.get("authorization") == f"Bearer {token}" else None,
        *("-k", "outsider and agents"),
        tokens={"outsider": token},
    )

    reason = "no positive control: the token of 'outsider' is refused everywhere (404), so its refusals prove nothing"
    assert run.rules["scope.outsider-refused.agents-list"]["why"] == reason


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
        "limit=0": lambda request: "limit=0" in request.target,
        "description": lambda request: (
            request.target.endswith("/workflows") and len(json.loads(request.body).get("description", "")) > 1000
        ),
    }
    run = run_with(prove_at, served, lambda request: "500" if crashes[part](request) else None, "-k", test)

    assert run.verdicts[rule] == "violated"


def test_an_agent_that_others_edit_during_a_write_violates_no_rule(prove_at: Prove, served: ServedStub) -> None:
    """A difference must recur, and a request that cannot be undone is not repeated."""
    agents = served.stub.project.agents
    edits = {f"/projects/{served.stub.project.id}/{part}" for part in ("object-records", "workflows", "templates")}

    def edited(request: Request) -> None:
        path = next((path for path in edits if request.target.startswith(path)), None)
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
        paths.append(request.target)
        return "400" if "check-permission" in request.target and "grant=" not in request.target else None

    with FaultyProxy(served.base_url, lambda request, dice: renamed(request), 0) as proxy:
        prove_at(proxy.url, "-k", "test_model and permissions", members={"permission_parameter": "grant"})

    assert {"grant=" in path for path in paths if "check-permission" in path} == {True}


def test_a_post_that_was_published_since_the_data_file_was_written_is_not_liked(
    prove_on: Prove, served: ServedStub
) -> None:
    """As a scheduled one is; a like cannot be undone."""
    data, posts = served.data(), served.stub.project.posts
    id = data["unpublished_page_post"]
    posts[id] = {**posts[id], "status": "published", "publishedAt": posts[id]["createdAt"]}

    run = prove_on("-k", "test_engagement", "--allow", "irreversible", "--i-own", "127.0.0.1")

    assert run.wrong == [], run.out
    assert run.verdicts["engagement.like.unpublished"] == "not run"
    assert run.verdicts["engagement.like.published"] == "proven"
    assert {like["postId"] for like in served.stub.project.likes.values()} == {data["published_page_post"]}
