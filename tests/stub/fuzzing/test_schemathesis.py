"""`schemathesis run`, as users start it, finds nothing in the stub server and its document but the exceptions listed here."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from project_platform_stub import Profile, Stub
from project_platform_stub.contract import load_contract

from ..conftest import OTHERWISE
from .values import as_configuration

pytestmark = pytest.mark.one_python

DOCUMENT = Path(__file__).parents[3] / "openapi.yaml"
# Fewer cases than by default, and always the same ones, so that a run takes seconds.
FEW = ["--max-examples", "3", "--seed", "1", "--generation-database", "none"]

# Operation and message of each request that is valid by the schemas and that the stub server refuses, with the reason.
EXCEPTIONS = {
    (
        "GET /projects/{projectId}/calendar/provider/busy",
        "query.timeMax: must be after query.timeMin",
    ): "no schema compares two parameters",
    (
        "GET /socials/analytics/photonet/{projectId}/{accountId}/media",
        "query.x-schemathesis-additional: is not a field to filter by",
    ): "the specification does not name the filters",
    (
        "GET /socials/posts/{projectId}",
        "query.x-schemathesis-additional: is not a field to filter by",
    ): "the specification does not name the filters",
    (
        "PATCH /projects/{projectId}/calendar/provider/events/{eventId}",
        "body.timeZone: is not an IANA time zone",
    ): "the zone is typed as a plain string",
    (
        "POST /projects/{projectId}/calendar/provider/events",
        "body.timeZone: is not an IANA time zone",
    ): "the zone is typed as a plain string",
    (
        "POST /projects/{projectId}/menu-items/label-export",
        "body.itemIds[0]: is not a menu item of the project",
    ): "the specification has no 404 for the label export",
    (
        "Stateful tests",
        "body.typeSlug: is not an object type of the project",
    ): "the specification has no 404 for creating a record",
    (
        "Stateful tests",
        "path.projectId: is not a valid uuid",
    ): "the identifier of another object was sent as that of a project",
}


@pytest.fixture
def run(tmp_path):
    """Return a function that runs schemathesis with a token against a new stub server.

    It returns the failures as (check, operation, message of the stub server), and what was printed.
    """

    def run(
        stub: Stub, configuration: str, *arguments: str, document: Path = DOCUMENT
    ) -> tuple[set[tuple[str, ...]], str]:
        (tmp_path / "schemathesis.toml").write_text(configuration)
        with stub.serve() as server:
            target = [str(document), "--url", server.base_url, "-H", f"Authorization: Bearer {stub.token()}"]
            ended = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", *target, *FEW, *arguments],
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONHASHSEED": "0"},
            )
        failures = set[tuple[str, ...]]()
        for section in re.split("^_{3,} ", ended.stdout, flags=re.MULTILINE)[1:]:
            operation, _, reports = section.partition(" __")
            for report in re.split(r"^\d+\. Test Case", reports, flags=re.MULTILINE)[1:]:
                message = re.search('"message":"(.*?)","', report)
                checks = re.findall("^- (.+)", report, re.MULTILINE)
                failures |= {(check, operation, message[1] if message else report) for check in checks}
        assert ended.returncode == (1 if failures else 0), ended.stdout
        return failures, ended.stdout

    return run


def test_a_run_with_only_a_token_ends_clean(run, tmp_path):
    """All checks: statuses and bodies are documented, valid requests are accepted, invalid ones and no token refused.

    Without the examples of the document, whose identifiers are those of the demo world.
    """
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(without_examples(yaml.safe_load(DOCUMENT.read_text("utf-8")))))

    failures, printed = run(Stub(), "", document=document)

    assert not failures
    assert re.search(r"Tested: +16", printed)


def without_examples(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: without_examples(member) for name, member in node.items() if name != "example"}
    return [without_examples(member) for member in node] if isinstance(node, list) else node


def problems(stub: Stub, caplog: Any) -> list[str]:
    logged = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    # Schemathesis sends requests that are not valid HTTP, too.
    lines = [line for line in logged if line != "Invalid HTTP request received."]
    entries = [*stub.world.journal, *stub.unmatched_requests]
    return [*lines, *(f"{entry}" for entry in entries if entry.status == 500)]


def test_a_run_with_values_that_exist_finds_the_exceptions_and_nothing_else(run, caplog):
    """With them, requests reach every operation. An exception that no longer occurs has to leave the list."""
    stub = Stub(now=lambda: datetime(2026, 11, 2, 8, tzinfo=UTC))
    accepted = set[str]()
    stub.world.journal.add = lambda entry: accepted.update([entry.operation] if entry.status < 300 else [])

    failures, _ = run(stub, as_configuration(stub.world), "--continue-on-failure")

    assert failures == {("ST202 Schema-valid request rejected", *exception) for exception in EXCEPTIONS}
    assert accepted - {"options", "auth_token", "auth_key_set"} == load_contract().operations.keys()
    assert problems(stub, caplog) == []


def test_another_profile_does_not_break_the_contract(run, caplog):
    """A response that breaks the contract is a 500: the statuses that a profile chooses are not those of the document."""
    stub = Stub(profile=Profile.from_mapping(OTHERWISE))

    failures, printed = run(stub, as_configuration(stub.world), "--checks", "not_a_server_error")

    assert not failures
    assert re.search(r"Tested: +16", printed)
    assert problems(stub, caplog) == []
