"""`project-platform settle`: the command that `call` prints, run literally after a write whose response was lost."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import stat

import pytest

from project_platform import Client, PlatformError, operations
from project_platform.commands import doubt
from project_platform_stub import Stub, faults

LOST = {
    "before": faults.reset(),
    "after": faults.drop_after_apply(),
    "late": faults.apply_late(3600),
    "twice": faults.drop_after_apply(),
}
GUARDED = {"data": {"stage": "won"}, "expected_data": {"stage": "open"}}


@pytest.fixture(autouse=True)
def state(workplace, monkeypatch):
    """The state directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(workplace / "state"))
    return workplace / "state/project-platform"


@pytest.fixture
def deal(stub):
    """Return the identifier of a deal."""
    with Client() as client:
        return client.project().records.create(type_slug="deal", data={"stage": "open"}).id


def command(*arguments):
    """Return a command line that sends once."""
    return ("call", *arguments, "--retry", "0")


def won(stub, deal):
    """Return whether the deal is won."""
    return stub.project.records[deal]["data"]["stage"] == "won"


def printed(run):
    """Return the command that the output of a command says to run."""
    return shlex.split(re.search(r"^what to do: (.*)$", run.err, re.MULTILINE)[1])


WRITES = {
    "guarded": (
        "records_update",
        lambda deal: command(
            "records.update", deal, "--data", '{"stage": "won"}', "--expected-data", '{"stage": "open"}'
        ),
        won,
        {"before": 0, "after": 0, "late": 0, "twice": 0},
    ),
    "without a guard": (
        "records_update",
        lambda deal: command("records.update", deal, "--data", '{"stage": "won"}'),
        won,
        {"before": 4, "after": 0, "late": 4, "twice": 0},
    ),
    "memory": (
        "memory_update",
        lambda deal: command("memory.update", "brand/voice", "--title", "Ours"),
        lambda stub, deal: stub.project.memory["brand/voice"]["title"] == "Ours",
        {"before": 4, "after": 0, "late": 4, "twice": 0},
    ),
}


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("name", WRITES)
def test_the_printed_command_settles_a_lost_write(run, stub, deal, state, *, name, lost):
    """Its exit status is that of the verdict; after 4 it can be run again, and what is left on the way lands once."""
    operation, arguments, effect, statuses = WRITES[name]
    stub.world.faults.plan(operation, LOST[lost])
    ended = run(*arguments(deal))
    assert (ended.status, ended.out) == (4, "")
    if lost == "twice":  # an intermediary sent it again
        (file,) = state.iterdir()
        with Client() as client, contextlib.suppress(PlatformError):
            client.send(doubt.read(file).call)

    program, *settle = printed(ended)
    settled = run(*settle)
    assert (program, settled.status) == ("project-platform", statuses[lost])
    if settled.status == 0:
        assert effect(stub, deal)
        assert f"applied: {'yes' if lost in {'before', 'late'} else 'in effect'}" in settled.err
        assert list(state.iterdir()) == []
    else:
        assert json.loads(settled.out)  # the state as it is now
        assert run(*settle).status == 4
        (file,) = state.iterdir()
        assert len(doubt.read(file).attempts) == 3
    sent = [entry for entry in stub.world.journal if entry.operation == operation and b"won" in (entry.body or b"")]
    assert len(sent) <= (1 if name == "without a guard" else 2) + (lost == "twice")
    stub.world.faults.land()
    assert effect(stub, deal) or (lost == "before" and settled.status == 4)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("records_create", ("records.create", "--type-slug", "deal", "--external-id", "crm-1")),
        (
            "calendar_book",
            ("calendar.book", "--start", "2031-07-01T09:00:00Z", "--duration-minutes", "30", "--summary", "V"),
        ),
        ("sidebar_replace", ("sidebar.replace", "--sections", "[]")),
    ],
)
def test_where_nothing_can_be_looked_at_the_advice_is_for_a_person(run, stub, state, workplace, *, operation, arguments):
    """A file is written if one was asked for, since what is known of the deployment may change."""
    stub.world.faults.plan(operation, [faults.drop_after_apply()] * 2)
    ended = run(*command(*arguments))
    assert (ended.status, state.exists()) == (4, False)
    assert f"what to do: {_look(operation)}" in ended.err
    assert ended.err.count(_look(operation)) == 1

    ended = run(*command(*arguments), "--save-doubt", "doubt.json")
    sent = len(stub.world.journal)
    settled = run(*printed(ended)[1:])
    assert (settled.status, len(stub.world.journal)) == (4, sent)
    assert _look(operation) in settled.err
    assert (workplace / "doubt.json").exists()


def _look(operation):
    from importlib import import_module

    return import_module(f"project_platform._generated.operations.{operation}").OPERATION.look


@pytest.fixture
def file(run, stub, deal, workplace):
    """The file of a guarded update that was lost before it was applied."""
    stub.world.faults.plan("records_update", faults.reset())
    path = workplace / "doubt.json"
    assert run(*WRITES["guarded"][1](deal), "--save-doubt", str(path)).status == 4
    return path


def test_a_file_is_for_its_owner_and_has_no_token(stub, file):
    """It has the body, which may be personal."""
    content = file.read_text("utf-8")

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stub.token()[:30] not in content
    assert json.loads(content)["body"] == '{"data":{"stage":"won"},"expectedData":{"stage":"open"}}'


def test_a_file_that_exists_is_not_replaced(run, stub, deal, file):
    """Nothing is sent."""
    sent = len(stub.world.journal)
    ended = run(*WRITES["guarded"][1](deal), "--save-doubt", str(file))

    assert (ended.status, len(stub.world.journal)) == (2, sent)
    assert "which exists" in ended.err


def test_a_file_is_settled_only_at_its_deployment(run, file, monkeypatch):
    """The base URL is part of it."""
    with Stub().serve() as other:
        monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", other.base_url)
        ended = run("settle", str(file))
    assert ended.status == 2
    assert "the error is of a call to" in ended.err


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("operation", "records_delete", "'records_delete', which this version does not have"),
        ("path", 7, "path"),
        ("body", "{", "body"),
        ("attempts", [{"at": 1}], "attempts.0"),
        ("version", 2, "version"),
    ],
)
def test_a_damaged_file_is_refused_with_the_member(run, stub, file, *, member, value, message):
    """Nothing is sent."""
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), member: value}), "utf-8")
    sent = len(stub.world.journal)
    ended = run("settle", str(file))

    assert (ended.status, len(stub.world.journal)) == (2, sent)
    assert message in ended.err
    assert run("settle", "missing.json").status == 2


def test_a_guard_that_was_removed_from_a_file_does_not_fence(run, stub, deal, file):
    """Whether the guard fences is computed, so an edited file is looked at and not sent."""
    content = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**content, "body": '{"data":{"stage":"won"}}'}), "utf-8")

    assert run("settle", str(file)).status == 4
    assert not won(stub, deal)


def test_a_state_directory_that_cannot_be_written_leaves_the_advice(run, stub, deal, workplace):
    """The status is still that of the verdict."""
    (workplace / "state").write_text("a file", "utf-8")
    stub.world.faults.plan("records_update", faults.reset())
    ended = run(*WRITES["guarded"][1](deal))

    assert ended.status == 4
    assert "was not written" in ended.err
    assert "what to do: compare error.seen" in ended.err


def test_ctrl_c_keeps_what_is_in_doubt(run, stub, deal, state, monkeypatch):
    """As a lost response does."""
    from project_platform.transports.pool import ConnectionTransport

    send = ConnectionTransport.send

    def interrupted(self, request):
        send(self, request)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ConnectionTransport, "send", interrupted)
        ended = run(*WRITES["guarded"][1](deal))
    assert ended.status == 130
    settle = shlex.split(re.search(r"what to do: (.*)$", ended.err, re.MULTILINE)[1])
    assert run(*settle[1:]).status == 0


def test_every_write_takes_the_option(run):
    """And no read does."""
    assert "--save-doubt" in run("call", "engagement.like", "--help").out
    assert "--save-doubt" not in run("call", "agents.list", "--help").out
    assert operations.__all__
