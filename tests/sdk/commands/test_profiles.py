"""Profiles on the command line: precedence, and what is said about it."""

from __future__ import annotations

import json


def test_arguments_precede_the_environment_and_that_precedes_the_profile(run, stub, config):
    config('[staging]\nbase_url = "http://127.0.0.1:1"\nproject = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"\n')

    by_environment = run("whoami", "--offline", "--profile", "staging")
    by_argument = run("whoami", "--offline", "--profile", "staging", "--base-url", "http://127.0.0.1:2")

    assert json.loads(by_environment.out)["project"] == stub.project.id
    assert (
        "project_id: environment variable PROJECT_PLATFORM_PROJECT takes precedence over profile" in by_environment.err
    )
    assert json.loads(by_argument.out)["base_url"] == "http://127.0.0.1:2"
    assert json.loads(by_argument.out)["sources"]["base_url"] == "argument"


def test_a_token_for_another_service_is_reported(run, stub, config, monkeypatch):
    """If the profile has both, and one of them is overridden; also for the profile that is not named."""
    config('[default]\nbase_url = "http://127.0.0.1:1"\ntoken_file = "token"\n')
    assert "takes precedence" not in run("call", "agents.list").err

    monkeypatch.delenv("PROJECT_PLATFORM_BASE_URL")
    done = run("call", "agents.list", "--dry-run")
    assert "token: environment variable PROJECT_PLATFORM_TOKEN takes precedence over profile 'default'" in done.err

    monkeypatch.delenv("PROJECT_PLATFORM_TOKEN")
    for url, is_named in (("http://127.0.0.1:2", True), ("http://127.0.0.1:1", False)):
        done = run("call", "agents.list", "--dry-run", "--base-url", url)
        assert (f"goes to {url}, as --base-url says" in done.err) == is_named


def test_http_is_refused_unless_allowed(run, stub, config):
    remote = ("call", "agents.list", "--dry-run", "--base-url", "http://platform.example")
    config("[open]\nallow_insecure = true\n")

    refused = run(*remote)
    assert (refused.status, "give --allow-insecure" in refused.err) == (2, True)
    assert run(*remote, "--allow-insecure").status == 0
    assert run(*remote, "--profile", "open").status == 0


def test_bulk_runs_take_the_same_options(run, stub, config, workplace, monkeypatch):
    base_url = json.loads(run("whoami", "--offline").out)["base_url"]
    monkeypatch.delenv("PROJECT_PLATFORM_BASE_URL")
    config(f'[staging]\nbase_url = "{base_url}"\n')
    (workplace / "deals.csv").write_text("title\nRoof\n")

    done = run("bulk", "run", "deals.csv", "--type", "deal", "--profile", "staging")

    assert done.out.startswith("1 rows: 1 yes")
