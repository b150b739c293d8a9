"""`project-platform whoami`, against a stub server on a socket. The fixture `run` looks for tokens in what is printed."""

from __future__ import annotations

import base64
import json
import sys


def test_the_claims_and_the_permissions_are_shown(run, stub, monkeypatch):
    """A viewer may read."""
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", stub.token("viewer"))
    done = run("whoami")

    assert done.status == 0
    shown = json.loads(done.out)
    assert shown["claims"]["sub"] == "user_viewer"
    assert shown["project"] == stub.project.id
    assert shown["sources"]["token"] == "environment variable PROJECT_PLATFORM_TOKEN"
    assert 0 < shown["expires_in"] <= 86400
    assert "crm_objects:read" in shown["permissions"]
    assert "crm_objects:write" not in shown["permissions"]


def test_chosen_permissions_are_checked(run, stub):
    done = run("whoami", "--permission", "billing:read", "--permission", "billing:write", "--output", "table")

    assert '["billing:read", "billing:write"]' in done.out
    assert len(stub.world.journal) == 2


def test_nothing_is_sent_offline(run, stub):
    assert "permissions" not in json.loads(run("whoami", "--offline").out)
    assert len(stub.world.journal) == 0


def test_a_token_that_is_no_jwt_has_no_claims(run, stub, monkeypatch):
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", "s3cret-token-of-mine")
    done = run("whoami", "--offline")

    shown = json.loads(done.out)
    assert (shown["claims"], shown["problem"].partition(",")[0]) == (None, "the token is not a JWT")
    assert "s3cret" not in done.out + done.err


def test_a_token_inside_of_the_claims_is_not_shown(run, stub, monkeypatch):
    claims = {"sub": "me", "inner": stub.token(), "exp": 1e99}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", f"eyJ.{payload}.s")
    done = run("whoami", "--offline")

    assert json.loads(done.out)["claims"] == {"sub": "me", "inner": "[redacted]", "exp": 1e99}
    assert "expires" not in json.loads(done.out)


def test_the_claims_of_a_token_command_are_shown(run, stub, config, tmp_path, monkeypatch):
    monkeypatch.delenv("PROJECT_PLATFORM_TOKEN")
    (tmp_path / "token").write_text(stub.token("viewer"))
    command = [sys.executable, "-c", f"print(open({str(tmp_path / 'token')!r}).read())"]
    config(f"[default]\ntoken_command = {json.dumps(command)}\n")

    shown = json.loads(run("whoami", "--offline").out)

    assert shown["claims"]["sub"] == "user_viewer"
    assert shown["sources"]["token"].startswith("profile 'default' in ")
