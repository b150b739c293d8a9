"""`project-platform settle`: what `call` prints after a lost response is executed literally."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from project_platform import Client, operations
from project_platform.cli import main
from project_platform.commands.verdict import reported
from project_platform.transports.pool import ConnectionTransport
from project_platform_stub import Profile, Stub, faults

BOOK = ("--start", "2031-07-01T09:00:00Z", "--duration-minutes", "30", "--summary", "Visit")
BOOK_ATTENDEE = (*BOOK, "--attendee", '{"email": "a@example.com"}')
WIN = ("--data", '{"stage": "won", "price": 1.50}')
GUARD = ("--expected-data", '{"stage": "open"}')


class Write(NamedTuple):
    """A write: the command, its arguments and the number of its effects, both given what `prepare` returns.

    `settled` is whether the command `settle` is printed for it, and `unique` whether the profile has facts which say that
    external identifiers are unique.
    """

    command: str
    arguments: Callable[[Any], tuple[str, ...]]
    effects: Callable[[Stub, Any], int]
    prepare: Callable[[Any, Stub], Any] = lambda project, stub: None
    settled: bool = True
    unique: bool = False

    @property
    def operation(self) -> str:
        return self.command.replace(".", "_")


def a_deal(project, stub):
    return project.records.create(type_slug="deal", data={"stage": "open"}).id


def a_post(project, stub):
    """Return a published post of a page, and its account."""
    posts = stub.project.posts.values()
    post = next(post for post in posts if post["status"] == "published" and post["platform"] == "pagenet")
    return post["id"], post["socialAccountId"]


def times_won(stub, deal):
    """Return how often the deal was won, also late."""
    return sum(
        b"won" in (entry.body or b"") and entry.status == 200 for entry in stub.world.journal.of("records_update")
    )


def create(*options, **marks):
    return Write(
        "records.create",
        lambda _: ("--type-slug", "deal", "--data", '{"title": "Roof 7"}', *options),
        lambda stub, _: sum(record["data"].get("title") == "Roof 7" for record in stub.project.records.values()),
        **marks,
    )


WRITES = {
    "guarded update": Write("records.update", lambda deal: (deal, *WIN, *GUARD), times_won, a_deal),
    "update": Write(
        "records.update",
        lambda deal: (deal, *WIN),
        lambda stub, deal: stub.project.records[deal]["data"]["stage"] == "won",
        a_deal,
    ),
    "memory entry": Write(
        "memory.update",
        lambda _: ("brand/voice", "--title", "Ours"),
        lambda stub, _: stub.project.memory["brand/voice"]["title"] == "Ours",
    ),
    "like": Write(
        "engagement.like",
        lambda post: (post[0], "--account-id", post[1]),
        lambda stub, _: len(stub.project.likes),
        a_post,
    ),
    "create, unique": create("--external-id", "crm-7", unique=True),
    "create": create(settled=False),
    "relations": Write(
        "records.update",
        lambda deal: (deal, "--relations", '{"owner": ["rec_1"]}'),
        lambda stub, deal: stub.project.relations.get(deal) == {"owner": ["rec_1"]},
        a_deal,
        settled=False,
    ),
    "booking": Write("calendar.book", lambda _: BOOK_ATTENDEE, lambda stub, _: len(stub.outbox), settled=False),
}
LOST = {
    "before": faults.reset(),
    "after": faults.drop_after_apply(),
    "late": faults.apply_late(3600),
    "twice": faults.drop_after_apply(),
}


@pytest.fixture
def profile():
    """The stub keeps external identifiers unique."""
    return Profile(external_id="unique")


@pytest.fixture
def state(workplace):
    return workplace / ".local/state/project-platform"


@pytest.fixture
def prepared(stub):
    """Return a function that returns what a write needs, the same each time."""
    known = {}

    def prepared(name):
        if name not in known:
            with Client() as client:
                known[name] = WRITES[name].prepare(client.project(), stub)
        return known[name]

    return prepared


@pytest.fixture
def deal(prepared):
    return prepared("update")


@pytest.fixture
def lost(run, stub, prepared):
    """Return a function that runs the command of a write, which meets a fault, if there is one."""

    def lost(name, fault=None, *options):
        write = WRITES[name]
        if fault is not None:
            stub.world.faults.plan(write.operation, fault)
        ended = run("call", write.command, *write.arguments(prepared(name)), "--retry", "0", *options)
        stub.world.faults.check()
        return ended

    return lost


def to_do(ended):
    (text,) = re.findall(r"^ *what to do: (.*)$", ended.err, re.MULTILINE)
    return text


def words(ended):
    """Return the arguments of the command that a command says to run."""
    program, *arguments = shlex.split(to_do(ended).rpartition("; then ")[2])
    assert program == "project-platform"
    return arguments


def know_that_identifiers_are_unique(config, workplace):
    config('[default]\ncapabilities = "facts.json"\n')
    facts = {"target": os.environ["PROJECT_PLATFORM_BASE_URL"], "facts": {"externalId": {"value": "unique"}}}
    (workplace / ".config/project-platform/facts.json").write_text(json.dumps(facts))


def repeated_by_an_intermediary(stub):
    """Send the last request once more."""
    entry = stub.world.journal[-1]
    headers = {"Authorization": f"Bearer {stub.token()}", "Content-Type": "application/json"}
    url = os.environ["PROJECT_PLATFORM_BASE_URL"] + entry.path
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(urllib.request.Request(url, entry.body, headers, method=entry.method)).close()


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("how", LOST)
def test_what_is_printed_after_a_lost_write_is_right(run, stub, workplace, state, prepared, *, config, name, how):
    """Executed literally, it ends with the effect of the write, once, and no verdict on the way is wrong."""
    write = WRITES[name]
    if write.unique:
        know_that_identifiers_are_unique(config, workplace)
    given = prepared(name)
    call = ("call", write.command, *write.arguments(given), "--retry", "0")
    stub.world.faults.plan(write.operation, LOST[how])
    ended = run(*call)
    assert (ended.status, ended.out) == (4, "")
    assert "client.settle" not in ended.err
    assert ended.err.count(to_do(ended)) == 1
    assert (to_do(ended).startswith("project-platform settle "), state.exists()) == (write.settled, write.settled)
    assert "error.seen" not in ended.err
    if how == "twice":
        repeated_by_an_intermediary(stub)
    before = write.effects(stub, given)

    for _ in range(3):  # settle, look, and send it again
        if ended.status == 4:
            ended = followed(run, stub, ended, call, lambda: write.effects(stub, given))
    stub.world.faults.land()

    assert ended.status == 0
    assert write.effects(stub, given) == max(before, 1)


def followed(run, stub, ended, call, effects):
    """Do what a command says; return the end of the last command that this runs."""
    advice, before = to_do(ended), effects()
    if advice.startswith("project-platform"):
        settled = run(*words(ended))
        if settled.status == 0:
            verdict = "yes" if effects() > before or "engagement" in call[1] else "in effect"
            assert f"applied: {verdict}" in settled.err
            assert effects()
        return settled
    if advice.startswith("wait a minute"):
        stub.world.faults.land()
    return ended._replace(status=0) if effects() else run(*call)


def test_the_file_is_readable_for_its_owner_alone(stub, lost, state):
    """It has what was sent, letter for letter, and the attempt, and no token and no header."""
    lost("guarded update", faults.status(503))
    (file,) = state.iterdir()
    content = json.loads(file.read_text("utf-8"))

    assert re.fullmatch(r"records_update-\d{8}T\d{6}Z-[0-9a-f]{8}\.json", file.name)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert content["body"] == '{"data":{"stage":"won","price":1.50},"expectedData":{"stage":"open"}}'
    assert content["base_url"] == os.environ["PROJECT_PLATFORM_BASE_URL"]
    assert (content["version"], content["operation"], content["fences"]) == (1, "records_update", True)
    (attempt,) = content["attempts"]
    assert (attempt["delivery"], attempt["status"], attempt["request_id"][:4]) == ("lost", 503, "req_")
    assert abs(attempt["started"] - time.time()) < 60
    assert not {part for part in stub.token().split(".") if part in file.read_text("utf-8")}


def test_the_state_directory_is_that_of_the_environment(run, lost, workplace, state, monkeypatch):
    """A path that is not absolute is ignored (XDG Base Directory Specification)."""
    monkeypatch.setenv("XDG_STATE_HOME", str(workplace / "my state"))
    assert run(*words(lost("guarded update", faults.reset()))).status == 0
    assert (workplace / "my state/project-platform").is_dir()
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    lost("guarded update", faults.reset())
    assert len(list(state.iterdir())) == 1


def test_the_file_is_removed_once_the_outcome_is_known(run, lost, workplace):
    """Also a file that was chosen; standard output has the record."""
    settled = run(*words(lost("guarded update", faults.reset(), "--save-doubt", "lost.json")))
    assert json.loads(settled.out)["data"]["stage"] == "won"
    assert settled.err.splitlines() == [
        "records.update: applied: yes (status 200, 2 attempts)",
        f"{workplace / 'lost.json'} is removed",
    ]
    assert not (workplace / "lost.json").exists()


def test_the_file_is_removed_after_a_response_that_cannot_be_read(run, stub, lost, state):
    """The write is applied."""
    ended = lost("like", faults.reset())
    stub.world.faults.plan("engagement_like", faults.garbage_json())
    assert run(*words(ended)).status == 6
    assert list(state.iterdir()) == []


def test_what_is_refused_again_is_for_a_person(run, stub, lost):
    """The same command would end the same."""
    ended = lost("like", faults.drop_after_apply())
    stub.world.faults.plan("engagement_like", faults.status(404))

    assert to_do(run(*words(ended))) == "look in the platform whether it was applied"


def test_a_write_that_is_still_unknown_can_be_settled_again(run, stub, lost, state):
    """The file has the further attempts, and the same command settles it."""
    ended = lost("guarded update", faults.reset())
    stub.world.faults.plan("records_update", faults.drop_after_apply())
    again = run(*words(ended), "--retry", "0")
    (file,) = state.iterdir()

    assert (again.status, words(again)) == (4, words(ended))
    assert len(json.loads(file.read_text("utf-8"))["attempts"]) == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "applied: in effect" in run(*words(again)).err


def test_the_state_that_was_seen_is_printed(run, stub, lost):
    """A person compares it with the update; it is no record of a write that was applied."""
    settled = run(*words(lost("update", faults.reset())))

    assert settled.status == 4
    assert json.loads(settled.out)["data"] == {"stage": "open"}
    assert to_do(settled).startswith("compare the output, or the record in the platform if there is none, with")


def test_a_write_that_may_have_been_applied_twice_says_so(run, stub, prepared, lost):
    """The guard holds after the update, since the service stores other values than it is sent."""
    record = {**stub.project.records[prepared("guarded update")]}
    ended = lost("guarded update", faults.drop_after_apply())
    stub.world.faults.plan("records_update", faults.status(200, body={"record": record}))
    settled = run(*words(ended))

    assert (settled.status, "may have been applied more than once" in settled.err) == (0, True)


class BrokenPipe(io.StringIO):
    """A standard output whose reader has ended."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_the_status_of_an_unknown_write_does_not_depend_on_the_output(run, stub, lost, monkeypatch):
    """A command whose reader has ended has status 0 otherwise, which would say that the write is applied."""
    arguments = words(lost("update", faults.reset()))
    monkeypatch.setattr("sys.stdout", BrokenPipe())
    assert main(arguments) == 4


def test_a_file_is_kept_until_the_result_is_printed(run, lost, state, monkeypatch):
    """The same command then prints it."""
    arguments = words(lost("guarded update", faults.reset()))
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", BrokenPipe())
        main(arguments)
    assert "applied: in effect" in run(*arguments).err


def test_a_chosen_file_is_written_where_nothing_can_be_looked_at(run, stub, lost, workplace):
    """What to do is for a person, also when the file is settled, which sends nothing."""
    ended = lost("booking", faults.drop_after_apply(), "--save-doubt", "lost.json")
    sent = len(stub.world.journal)
    settled = run("settle", "lost.json")

    assert f"what was sent is in {workplace / 'lost.json'}" in ended.err
    assert (settled.status, to_do(settled)) == (4, to_do(ended))
    assert to_do(ended).startswith("wait a minute")
    assert len(stub.world.journal) == sent
    assert (workplace / "lost.json").exists()


@pytest.mark.parametrize(
    ("chosen", "message"), [("exists.json", "which exists"), ("no/folder.json", "folder does not exist")]
)
def test_a_file_that_cannot_be_new_is_refused_before_anything_is_sent(run, stub, workplace, chosen, message):
    (workplace / "exists.json").write_text("mine")
    done = run("call", "calendar.book", *BOOK, "--save-doubt", chosen)

    assert (done.status, message in done.err) == (2, True)
    assert list(stub.world.journal) == []
    assert (workplace / "exists.json").read_text() == "mine"


def test_a_file_that_exists_since_the_call_began_is_not_overwritten(run, prepared, lost, workplace, monkeypatch):
    """Two commands may have been given the same file: the other one is in the state directory."""
    prepared("guarded update")
    send = Client.send

    def sent(self, call, **options):
        (workplace / "lost.json").write_text("of the other command")
        return send(self, call, **options)

    monkeypatch.setattr(Client, "send", sent)
    ended = lost("guarded update", faults.reset(), "--save-doubt", "lost.json")

    assert "File exists" in ended.err
    assert (workplace / "lost.json").read_text() == "of the other command"
    assert run(*words(ended)).status == 0


@pytest.mark.parametrize("name", ["guarded update", "like", "booking"])
@pytest.mark.parametrize("missing", ["state directory", "home"])
def test_without_a_place_for_the_file_it_is_said_what_to_do(run, stub, lost, state, monkeypatch, *, name, missing):
    """The status is that of the verdict, and the advice is right when it is executed literally."""
    if missing == "home":
        monkeypatch.delenv("HOME")
        monkeypatch.setattr("pwd.getpwuid", lambda _: {}["no such user"])
    else:
        state.parent.mkdir(parents=True)
        state.write_text("a file")
    ended = lost(name, faults.drop_after_apply())

    assert ended.status == 4
    assert ("what was sent could not be saved" in ended.err) == WRITES[name].settled
    if not WRITES[name].settled:
        assert to_do(ended).startswith("wait a minute")
        return
    advice, operation = re.match(
        r"in Python, call (.*), where call is that of this exception, or operations\.(\w+)\(project_id, \.\.\.\) with the same arguments",
        to_do(ended),
    ).groups()
    entry = stub.world.journal[-1]
    assert operation == entry.operation
    call = {
        "records_update": lambda: operations.records_update(
            stub.project.id,
            entry.path.rpartition("/")[2],
            data={"stage": "won", "price": 1.5},
            expected_data={"stage": "open"},
        ),
        "engagement_like": lambda: operations.engagement_like(
            stub.project.id, entry.path.split("/")[-2], account_id=json.loads(entry.body)["accountId"]
        ),
    }[operation]()
    with Client() as client:
        assert eval(advice, {"client": client, "call": call}).applied in {"yes", "in effect"}


def test_another_project_is_refused(run, stub, lost):
    ended = lost("guarded update", faults.drop_after_apply())
    other = run(*words(ended), "--project", "11111111-1111-4111-8111-111111111111")
    assert (other.status, "the file is of a call in another project" in other.err) == (4, True)
    assert run(*words(ended), "--project", stub.project.id.upper()).status == 0


def test_another_deployment_is_refused(run, stub, lost, monkeypatch):
    """Nothing is sent to it, and the message names both. The write stays unknown, as without a token."""
    ended = lost("guarded update", faults.reset())
    another = Stub()
    with another.serve() as other:
        done = run(*words(ended), "--base-url", other.base_url)

    assert list(another.world.journal) == []
    assert done.status == 4
    assert (
        f"of a call to {os.environ['PROJECT_PLATFORM_BASE_URL']}, and the connection is to {other.base_url}" in done.err
    )
    with monkeypatch.context() as patched:
        patched.delenv("PROJECT_PLATFORM_TOKEN")
        assert run(*words(ended)).status == 4
    assert run(*words(ended)).status == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"version": 2}, "version: Input should be 1"),
        ({"operation": "records_delete"}, "does not have the operation 'records_delete'"),
        ({"operation": "agents_list"}, "digest"),
        ({"base_url": None}, "base_url: Input should be a valid string"),
        ({"base_url": "https://other.example"}, "base_url"),
        ({"path": "/projects/other"}, "path"),
        ({"body": 7}, "body: "),
        ({"body": "7"}, "body"),
        ({"fences": None}, "fences: Input should be a valid boolean"),
        ({"attempts": [{}]}, "attempts.0.started: "),
        ({"digest": "0"}, "digest"),
    ],
)
def test_a_damaged_file_is_refused(run, stub, lost, state, *, changed, message):
    """The message names the member, nothing is sent, and the body is not shown."""
    ended = lost("guarded update", faults.reset())
    (file,) = state.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changed}))
    sent = len(stub.world.journal)
    done = run(*words(ended))

    assert (done.status, message in done.err) == (2, True), done.err
    assert "won" not in done.err
    assert len(stub.world.journal) == sent


def test_a_file_that_is_cut_off_or_missing_is_refused(run, lost, state):
    ended = lost("guarded update", faults.reset())
    (file,) = state.iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert (run(*words(ended)).status, "Invalid JSON" in run(*words(ended)).err) == (2, True)
    file.unlink()
    assert (run(*words(ended)).status, "cannot be read: No such file" in run(*words(ended)).err) == (2, True)


def test_whether_a_guard_fences_is_not_taken_from_the_file(run, stub, lost, state):
    """An update without a guard is looked at, whatever the file says."""
    ended = lost("update", faults.reset())
    (file,) = state.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "fences": True}))

    assert run(*words(ended)).status == 4
    assert times_won(stub, None) == 0


def test_the_command_has_the_connection_options(run, stub, prepared, lost, *, config, workplace, monkeypatch):
    """It can be executed as it is printed, and the token is not in it."""
    token, url = stub.token(), os.environ["PROJECT_PLATFORM_BASE_URL"]
    (workplace / "my.env").write_text(f"PROJECT_PLATFORM_TOKEN={token}\n")
    config(f'[staging]\nbase_url = "{url}"\n')
    prepared("guarded update")
    for name in ("BASE_URL", "TOKEN"):
        monkeypatch.delenv(f"PROJECT_PLATFORM_{name}")
    for options in ("--profile", "staging"), ("--base-url", url, "--allow-insecure"):
        ended = lost("guarded update", faults.reset(), "--env-file", "my.env", *options)
        assert {"--env-file", *options} <= set(words(ended))
        stub.world.faults.plan("agents_list", faults.status(401))
        refused = run("call", "agents.list", "--env-file", "my.env", *options)
        assert run(*shlex.split(re.search("`project-platform (.*?)`", refused.err)[1])).status == 0
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir(workplace / ".config")
            assert run(*words(ended)).status == 0


def test_a_second_signal_does_not_end_the_saving_of_a_write():
    """`timeout -s INT` sends the signal twice."""

    def interrupted() -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            for number in handlers:
                signal.raise_signal(number)
            saved.append("file")
            raise
        return 0

    saved: list[str] = []
    handlers: dict[Any, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        assert (reported("call", interrupted, argparse.Namespace()), saved) == (130, ["file"])
        assert {number: signal.getsignal(number) for number in handlers} == handlers
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent to processes on POSIX only")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_saves_a_write_in_doubt(run, stub, deal, number):
    """With status 130, and what to do."""
    stub.world.faults.plan("records_update", faults.hang(120, applied=True))
    command = [sys.executable, "-m", "project_platform", "call", "records.update", deal, *WIN, *GUARD]
    # A program in the background ignores some signals, and so do its children.
    before = signal.signal(getattr(signal, number), signal.default_int_handler)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        signal.signal(getattr(signal, number), before)
        until = time.monotonic() + 60
        while stub.project.records[deal]["data"]["stage"] == "open" and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(getattr(signal, number))
        out, err = process.communicate(timeout=60)
    stub.world.faults.clear()

    assert (process.returncode, out) == (130, "")
    assert "it is not known whether it was applied\n" in err
    assert run(*shlex.split(re.search("what to do: project-platform (.*)", err)[1])).status == 0
    assert times_won(stub, deal) == 1


@pytest.fixture
def interrupt(monkeypatch):
    """Return a function that lets a method be interrupted."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    return lambda kind: monkeypatch.setattr(kind, "send", interrupted)


@pytest.mark.parametrize("name", ["guarded update", "memory entry"])
def test_an_interruption_says_what_to_do_as_an_error_does(run, prepared, lost, interrupt, name):
    """Of the call, and of the settling, whose request may be a look."""
    prepared(name)
    interrupt(ConnectionTransport)
    ended = lost(name)
    again = run(*words(ended))

    assert (ended.status, "client.settle" in ended.err) == (130, False)
    assert (again.status, words(again)) == (130, words(ended))


def test_an_interrupted_write_that_cannot_be_settled_is_for_a_person(lost, state, interrupt):
    interrupt(ConnectionTransport)
    ended = lost("booking")
    assert (ended.status, to_do(ended)[:13], state.exists()) == (130, "wait a minute", False)


def test_an_interruption_before_the_request_saves_nothing(prepared, lost, state, interrupt):
    prepared("guarded update")
    interrupt(Client)
    ended = lost("guarded update")
    assert (ended.status, "what to do" in ended.err, state.exists()) == (130, False, False)


def test_a_bulk_run_says_what_to_do_about_unknown_rows(run, stub, deal, workplace):
    """The same command with `--settle`; then a list of the rows that are still unknown. The status is still 1."""
    lines = [{"record_id": deal, "data": {"stage": "won"}}]
    (workplace / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)))
    command = ("bulk", "run", "rows.jsonl", "--operation", "records.update")
    stub.world.faults.plan("records_update", faults.reset())
    first = run(*command)
    assert (first.status, to_do(first)) == (1, "run the same command again with --settle")

    looked = run(*command, "--settle")
    assert looked.status == 1
    listing = re.search("`project-platform (.*)` lists what to do about each row", to_do(looked))[1]
    assert "compare the record in the platform with the update" in run(*shlex.split(listing)).out
    assert times_won(stub, deal) == 0

    stub.world.faults.plan("records_update", faults.drop_after_apply())
    assert run("call", "records.update", deal, *WIN, "--retry", "0").status == 4
    settled = run(*command, "--settle")
    assert (settled.status, "what to do" in settled.err) == (0, False)


@pytest.mark.parametrize("name", ["guarded update", "update", "memory entry"])
def test_a_refused_token_is_no_verdict(run, stub, lost, monkeypatch, name):
    """The write stays unknown, the reason is printed, and the same command settles it with another token."""
    ended = lost(name, faults.drop_after_apply())
    with monkeypatch.context() as patched:
        patched.setenv("PROJECT_PLATFORM_TOKEN", stub.world.tokens.expired())
        refused = run(*words(ended))

    assert (refused.status, words(refused)) == (4, words(ended))
    assert "AuthenticationError (The token has expired.)" in refused.err
    assert to_do(refused).startswith("get a new token; ")
    assert run(*words(refused)).status == 0
