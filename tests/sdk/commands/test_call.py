"""`project-platform call`, against a stub server on a socket."""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from project_platform import RetryPolicy, operations
from project_platform._generated.commands import COMMANDS
from project_platform_stub import Stub

UPDATE = ("call", "records.update")


@pytest.fixture
def record(stub: Stub) -> str:
    return next(iter(stub.project.records))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_arguments_of_its_operation(name):
    """Names and which are required, as in the SDK; the project is an option of every command."""
    parameters = dict(inspect.signature(getattr(operations, COMMANDS[name].operation_id)).parameters)
    parameters.pop("project_id", None)

    required = {p.name for p in parameters.values() if p.default is inspect.Parameter.empty}
    assert {argument.name for argument in COMMANDS[name].arguments} == set(parameters)
    assert {argument.name for argument in COMMANDS[name].arguments if argument.required} == required


def test_every_operation_of_the_sdk_is_a_command():
    assert {command.operation_id for command in COMMANDS.values()} == set(operations.__all__)


def test_the_defaults_in_help_are_those_of_the_sdk(run):
    repetitions = RetryPolicy().max_attempts - 1
    assert f"default: {repetitions}" in run("call", "agents.list", "--help").out.partition("--retry N")[2]


def test_a_record_is_created(run, stub):
    """The record goes to standard output, the verdict to standard error; numbers keep their digits."""
    done = run("call", "records.create", "--type-slug", "deal", "--data", '{"title": "Roof", "price": 1.50}')

    assert done.status == 0
    created = json.loads(done.out)
    assert stub.project.records[created["id"]]["data"]["title"] == "Roof"
    assert '"price": 1.50\n' in done.out
    assert done.err == "records.create: applied: yes (status 201, 1 attempt)\n"


def test_arguments_are_read_from_standard_input(run, record, stub):
    """As a JSON object with the names of requests or of Python; options take precedence."""
    fields = {"data": {"title": "New"}, "externalId": None, "expected_status": "no such status"}
    status = stub.project.records[record]["status"]

    done = run(*UPDATE, record, "--from", "-", "--expected-status", status, stdin=json.dumps(fields))

    assert done.status == 0, done.err
    assert stub.project.records[record]["data"]["title"] == "New"


@pytest.mark.parametrize(("place", "stdin"), [("@data.json", ""), ("-", '{"title": "Größe"}')])
def test_json_is_read_from_a_file_or_standard_input(run, record, stub, tmp_path, *, place, stdin):
    (tmp_path / "data.json").write_text('\ufeff{"title": "Größe"}', "utf-8")

    assert run(*UPDATE, record, "--data", place, stdin=stdin).status == 0
    assert stub.project.records[record]["data"]["title"] == "Größe"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--data", "{title: 1}"), "--data is not JSON"),
        (("--data", "@missing.json"), "missing.json cannot be read"),
        (("--data", "-", "--relations", "-"), "both read standard input"),
        (("--from", "[]"), "--from is not a JSON object"),
        (("--from", '{"titel": 1}'), "--from has titel"),
        (("--from", '{"typeSlug": "deal", "type_slug": "dael"}'), "--from has typeSlug in two spellings"),
        (("--from", '{"data": {}, "externalId": "a", "external_id": "b"}'), "--from has externalId in two spellings"),
        (("--data", '{"a": {"b": 1, "b": 2}}'), "--data is not JSON: an object has 'b' more than once"),
        (("--data", "[]"), "--data: "),
        ((), "records.create needs --type-slug"),
        (("--retry", "-1", "--type-slug", "deal"), "--retry is -1"),
        (("--timeout", "0", "--type-slug", "deal"), "timeout is 0"),
        (("--project", "acme", "--type-slug", "deal"), "'acme', which is not a UUID"),
        (("--base-url", "platform.example", "--type-slug", "deal"), "is not a URL"),
    ],
)
def test_wrong_usage_is_explained(run, stub, arguments, message):
    arguments = arguments if arguments[:1] != ("--data",) else ("--type-slug", "deal", *arguments)
    done = run("call", "records.create", *arguments, stdin="{}")

    assert done.status == 2
    assert message in done.err
    assert done.out == ""
    assert list(stub.world.journal) == []


def test_messages_name_the_options(run, stub):
    assert "--limit is 200; give 1 to 100" in run("call", "agents.list", "--limit", "200").err
    busy = run("call", "calendar.busy", "--time-min", "2026-01-01", "--time-max", "2026-01-02")
    assert "--time-min has no offset" in busy.err


def test_a_missing_setting_names_its_option_and_variable(run, workplace, monkeypatch):
    assert "give --base-url, or set PROJECT_PLATFORM_BASE_URL" in run("call", "posts.list", "--dry-run").err
    monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", "http://127.0.0.1:1")
    assert "give --project, or set PROJECT_PLATFORM_PROJECT" in run("call", "posts.list", "--dry-run").err
    assert "token_file or token_command in a profile, or set PROJECT_PLATFORM_TOKEN" in run("call", "posts.list").err


def test_a_value_is_suggested(run, stub):
    done = run("call", "auth.check_permission", "billing:mange")
    assert (done.status, "did you mean billing:manage" in done.err) == (2, True)


def test_all_pages_are_fetched(run, stub):
    """Without `--all` it is one page, and standard error says that there are more."""
    first = run("call", "agents.list", "--limit", "3")
    every = run("call", "agents.list", "--limit", "3", "--all")

    assert len(json.loads(first.out)) == 3
    assert "--all fetches them" in first.err
    assert [agent["id"] for agent in json.loads(every.out)] == list(stub.project.agents)
    assert every.err == ""


def test_fields_are_chosen(run, stub):
    """In each format, also nested ones; a field that no result has is refused before anything is sent."""
    posts = [
        {"status": post["status"], "account.username": post["account"]["username"]}
        for post in stub.project.posts.values()
    ]
    done = run("call", "posts.list", "--fields", "status,account.username", "-o", "jsonl")
    table = run("call", "posts.list", "--fields", "status,media", "-o", "table")
    sent = len(list(stub.world.journal))
    wrong = run("call", "posts.list", "--fields", "id,sttus")

    assert [json.loads(line) for line in done.out.splitlines()] == posts
    assert table.out.splitlines()[0].split() == ["status", "media"]
    assert (wrong.status, "did you mean status?" in wrong.err) == (2, True)
    assert len(list(stub.world.journal)) == sent


def test_attempts_are_shown(stub):
    command = [sys.executable, "-m", "project_platform", "call", "auth.check_permission", "billing:manage", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "true\n"
    assert "attempt 1: 200" in done.stderr


def test_a_template_that_was_applied_in_part_has_a_status(run, stub):
    """Standard error has the parts that failed."""
    template = next(t for t in stub.project.templates.values() if t.parts)
    part = template.parts[0]
    failing = replace(part, fails={"error": "The quota is exhausted.", "code": "quota"})
    stub.project.templates[template.id] = replace(template, parts=(failing, *template.parts[1:]))

    done = run("call", "templates.apply", template.id, "--name", "Part")

    assert done.status == 7
    assert "templates.apply: applied: yes" in done.err
    assert f"templates.apply: {part.entity} {part.body['name']} was not applied: The quota is exhausted." in done.err

    Path("rows.jsonl").write_text(json.dumps({"template_id": template.id, "name": "New"}))
    ran = run("bulk", "run", "rows.jsonl", "--operation", "templates.apply")
    assert f"1 yes, but: {part.entity} {part.body['name']} was not applied: The quota is exhausted." in ran.err
    assert json.loads(done.out)["templateApply"]["status"] == "partial"


def test_a_list_is_printed_as_csv(run, stub):
    rows = list(csv.DictReader(io.StringIO(run("call", "posts.list", "--output", "csv").out)))

    assert [row["id"] for row in rows] == list(stub.project.posts)
    assert json.loads(rows[0]["media"])[0]["mediaType"] == "IMAGE"

    stub.project.posts.clear()
    empty = run("call", "posts.list", "--output", "csv").out
    assert set(rows[0]) <= set(empty.strip().split(","))
    assert run("call", "posts.list", "--output", "csv", "--fields", "id,status").out == "id,status\n"


def test_what_a_stale_update_says_to_do_works(run, stub):
    """Executed literally."""
    deal = json.loads(run("call", "records.create", "--type-slug", "deal", "--data", '{"stage": "won"}').out)["id"]
    update = ("call", "records.update", deal, "--data", '{"stage": "lost"}', "--external-id", "crm-7")
    stale = run(*update, "--expected-data", '{"stage": "open"}', "--project", stub.project.id)
    assert stale.status == 3
    (printing,) = re.findall("`project-platform (.*?)`", stale.err)
    now = json.loads(run(*shlex.split(printing)).out)
    assert (now["data"], now.get("externalId")) == ({"stage": "won"}, None)
    assert run(*update, "--expected-data", json.dumps(now["data"])).status == 0


def test_csv_is_in_utf_8_where_standard_output_is_not(stub):
    """As `bulk run` reads it."""
    command = [sys.executable, "-m", "project_platform", "call", "agents.list", "--output", "csv", "--fields", "name"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True, timeout=60, check=True
    )
    assert "Übersetzer" in done.stdout.decode().splitlines()


def test_filters_are_pairs(run, stub):
    done = run("call", "posts.list", "--filters", "status=failed")
    assert {post["status"] for post in json.loads(done.out)} == {"failed"}
    twice = run("call", "posts.list", "--filters", "status=failed", "--filters", "status=draft")
    assert "--filters has a name twice" in twice.err
    assert "is 'failed', which is not NAME=VALUE" in run("call", "posts.list", "--filters", "failed").err


def test_booleans_have_two_options(run, record, stub):
    for options, sent in ((), {}), (("--conflict-check",), {"x": True}), (("--no-conflict-check",), {"x": False}):
        done = run("call", "calendar.reschedule", "evt", "--summary", "s", *options, "--dry-run")
        body = json.loads(shlex.split(done.out)[shlex.split(done.out).index("--data-binary") + 1])
        assert {**({"x": body["conflictCheck"]} if "conflictCheck" in body else {})} == sent


def test_texts_are_repeated(run, stub):
    required = shlex.split("--name w --trigger-type-slug t --trigger-event-type e")
    done = run("call", "workflows.create", *required, "--tags", "a", "--tags", "b,c")
    assert json.loads(done.out)["tags"] == ["a", "b,c"]


def test_labels_are_written_to_a_file(run, stub, tmp_path):
    done = run("call", "labels.export", "--to", "labels.pdf")

    assert done.status == 0
    assert (tmp_path / "labels.pdf").read_bytes().startswith(b"%PDF")
    assert json.loads(done.out)["file"] == "labels.pdf"
    assert json.loads(done.out)["summary"]["labelCount"] > 0
    assert run("call", "labels.export").status == 2
    assert run("call", "labels.export", "--to", "no/folder/labels.pdf").status == 1


def test_labels_are_written_to_standard_output(stub):
    command = [sys.executable, "-m", "project_platform", "call", "labels.export", "--to", "-"]
    content = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    assert (content[:5], content.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")


def test_a_dry_run_is_a_curl_command_without_the_token(run, record, stub, monkeypatch):
    """The shell takes the token from the environment; the command does what the call would do."""
    done = run(*UPDATE, record, "--data", '{"title": "it\'s $HOME"}', "--dry-run")

    assert done.status == 0
    assert done.out.endswith('--header "Authorization: Bearer $PROJECT_PLATFORM_TOKEN"\n')
    assert list(stub.world.journal) == []
    response = subprocess.run(done.out, shell=True, capture_output=True, text=True, check=True, timeout=20).stdout
    assert json.loads(response)["record"]["data"]["title"] == "it's $HOME"


def test_a_value_that_is_no_object_is_printed(run, stub):
    assert run("call", "auth.check_permission", "billing:manage").out == "true\n"
    assert run("call", "auth.check_permission", "billing:manage", "--output", "csv").out == "value\ntrue\n"


def test_a_setting_is_read_from_a_file_of_variables(run, stub, tmp_path, monkeypatch):
    """Only with `--env-file`, and only where the environment has none. Other variables are ignored."""
    token = stub.token()
    monkeypatch.delenv("PROJECT_PLATFORM_TOKEN")
    lines = ["# secrets", "DATABASE_URL=postgres://x y z", f"export PROJECT_PLATFORM_TOKEN='{token}' # of staging"]
    (tmp_path / ".env").write_text("\n".join([*lines, "PROJECT_PLATFORM_PROJECT=other", ""]))

    assert run("call", "agents.list").status == 2
    assert run("call", "agents.list", "--env-file", ".env").status == 0
    assert "missing.env cannot be read" in run("call", "agents.list", "--env-file", "missing.env").err
    for line, problem in [
        (f"PROJECT_PLATFORM_TOKEN={token} trailing", "line 1: the value of PROJECT_PLATFORM_TOKEN needs quotes"),
        (f"PROJECT_PLATFORM_TOKEN: {token}", "line 1: it is not NAME=VALUE"),
    ]:
        (tmp_path / ".env").write_text(line)
        ended = run("call", "agents.list", "--env-file", ".env")
        assert problem in ended.err
        assert token not in ended.err
