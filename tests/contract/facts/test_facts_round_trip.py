"""What the suite sees of a stub with a profile of its own makes a stub of which it sees the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from project_platform_contract.data.stub_data import stub_data
from project_platform_contract.facts.cli import main
from project_platform_stub import Profile, Stub, load_profile
from project_platform_stub.contract import load_contract

PROFILE = Profile.from_mapping(
    {
        "createdStatus": 200,
        "successStatus": {"records_update": 202, "calendar_book": 202},
        "invalidStatus": 422,
        "unknownProjectStatus": 404,
        "permissionParameter": "p",
        "merge": "deep",
        "nestedNulls": "strip",
        "defaultLimit": 100,
        "duplicateExternalId": "conflict",
        "noOpUpdate": "ignore",
        "encodedSlash": "separator",
        "unknownFields": "refuse",
    }
)
# That nobody can see without provoking it, or waiting for it.
UNSEEN = {"permissions", "publishDuePosts", "rateLimit", "retryAfter"}
MODULES = ("agents", "answers", "memory", "permissions", "records_create", "records_update", "scope")


@pytest.fixture
def facts_of(tmp_path):
    """Return a function that runs the suite against a stub on a socket, by its address, and returns its facts."""

    def facts_of(profile: Profile, name: str) -> Path:
        stub = Stub(profile=profile)
        data = stub_data(stub)
        tokens = {identity: f"CONTRACT_{identity.upper()}" for identity in data.tokens}
        environment = os.environ | {variable: data.tokens[identity] for identity, variable in tokens.items()}
        members = {**data.values, "token_variables": {i: v for i, v in tokens.items() if i != "owner"}}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(members))
        suite = [f"project_platform_contract.suite.test_{module}" for module in MODULES]
        with stub.serve() as server:
            options = {
                "url": server.base_url,
                "token-env": tokens["owner"],
                "data": tmp_path / f"{name}.yaml",
                "allow": "irreversible",
                "i-own": "127.0.0.1",
                "report": tmp_path / name,
            }
            given = [f"--contract-{option}={value}" for option, value in options.items()]
            pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            done = subprocess.run(
                [*pytest_, "-p", "project_platform_contract.run.plugin", *given, "--pyargs", *suite],
                capture_output=True,
                text=True,
                cwd=tmp_path,
                env=environment,
                check=False,
            )
        facts = tmp_path / name / "facts.json"
        assert facts.is_file(), done.stdout + done.stderr
        return facts

    return facts_of


def test_a_stub_made_of_facts_has_the_same_facts(facts_of, capsys):
    """Every switch that can be seen comes back from the facts, and a second run sees no difference."""
    taken = facts_of(PROFILE, "first")

    again = load_profile(taken)
    operations = load_contract().operations
    assert [again.status_of(operation) for operation in operations] == [
        PROFILE.status_of(operation) for operation in operations
    ]
    switches, expected = again.as_mapping(), PROFILE.as_mapping()
    told = switches.keys() - UNSEEN - {"createdStatus", "successStatus"}
    assert {name: switches[name] for name in told} == {name: expected[name] for name in told}

    status = main(["diff", str(taken), str(facts_of(again, "second"))])
    assert (status, capsys.readouterr().out.splitlines()[-1].partition(",")[0]) == (0, "0 added")
