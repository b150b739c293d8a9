"""`schemathesis run`, as users start it, finds nothing in the stub server and its document but the exceptions listed here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.generate import DOCUMENT
from project_platform_stub import Stub

# Fewer cases than by default, and always the same ones, so that a run takes seconds.
FEW = ["--max-examples", "3", "--seed", "1", "--generation-database", "none"]

# Valid by the schemas, and refused by the stub server: no schema says which timestamps, zones, types and items exist.
EXCEPTIONS = {
    (
        "GET /projects/{projectId}/calendar/provider/busy",
        "query.timeMin: is not an ISO 8601 timestamp with a date and a time",
    ),
    (
        "GET /socials/analytics/photonet/{projectId}/{accountId}/media",
        "query.x-schemathesis-additional: is not a field to filter by",
    ),
    ("GET /socials/posts/{projectId}", "query.x-schemathesis-additional: is not a field to filter by"),
    ("PATCH /projects/{projectId}/calendar/provider/events/{eventId}", "body.timeZone: is not an IANA time zone"),
    ("POST /projects/{projectId}/calendar/provider/events", "body.timeZone: is not an IANA time zone"),
    ("POST /projects/{projectId}/menu-items/label-export", "body.itemIds[0]: is not a menu item of the project"),
    ("POST /projects/{projectId}/object-records", "body.typeSlug: is not an object type of the project"),
    (
        "POST /socials/engagement/pagenet/{projectId}/{postId}/like",
        "body.accountId: is not an account of the page network",
    ),
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
                env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
            )
        failures = set[tuple[str, ...]]()
        for section in re.split("^_{3,} ", ended.stdout, flags=re.MULTILINE)[1:]:
            operation, _, reports = section.partition(" __")
            for report in re.split(r"^\d+\. Test Case", reports, flags=re.MULTILINE)[1:]:
                message = re.search('"message":"(.*?)","', report)
                checks = re.findall("^- (.+)", report, re.MULTILINE)
                failures |= {(check, operation, message[1] if message else report) for check in checks}
        assert (ended.returncode, len(failures)) in {(0, 0), (1, len(failures) or None)}, ended.stdout
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
    """Return a document without the examples of its requests and responses."""
    if isinstance(node, dict):
        return {name: without_examples(member) for name, member in node.items() if name != "example"}
    return [without_examples(member) for member in node] if isinstance(node, list) else node


def test_a_run_with_identifiers_that_exist_finds_the_exceptions_and_nothing_else(run):
    """With them, requests reach the operations. An exception that no longer occurs has to leave the list."""
    stub = Stub()
    project = stub.project
    (account,) = [account["id"] for account in project.accounts.values() if account["platform"] == "photonet"]
    configuration = "\n".join(
        [
            "[parameters]",
            f'projectId = "{project.id}"',
            f'recordId = "{next(iter(project.records))}"',
            f'eventId = "{next(iter(project.events))}"',
            f'templateId = "{next(iter(project.templates))}"',
            f'slug = "{next(iter(project.memory))}"',
            f'postId = "{next(iter(project.posts))}"',
            f'accountId = "{account}"',
        ]
    )

    failures, _ = run(stub, configuration, "--continue-on-failure", "--phases", "examples,coverage,fuzzing")

    assert failures == {("ST202 Schema-valid request rejected", *exception) for exception in EXCEPTIONS}
    accepted = {entry.operation for entry in stub.world.journal if entry.status and entry.status < 300}
    assert len(accepted) > 10
