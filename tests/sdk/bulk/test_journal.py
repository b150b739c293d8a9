"""The journal: one process at a time, nothing sent that is not in it, and every line belongs to a row of the input."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from types import SimpleNamespace

import pytest

from project_platform import (
    BulkReport,
    InputChangedError,
    JournalError,
    JournalInUseError,
    UsageError,
    bulk,
    operations,
)
from project_platform.bulk import journal as journal_module
from project_platform.bulk.journal import ClosedJournal, End, Intent, Journal, Turn

from .ledger import PROJECT, json_response
from .rows import creates


@pytest.fixture
def journal(path):
    with contextlib.closing(Journal(path, "service")) as journal:
        journal.commit(Turn([Intent(row, b"digest", f"crm-{row}", f"crm-{row}") for row in range(6)]))
        ends = [
            (0, End("waiting")),
            (2, End("yes", ref="rec_2")),
            (3, End("in effect")),
            (4, End("no", note="400")),
            (5, End("unknown")),
        ]
        journal.commit(Turn(ends=ends))
        yield journal


def test_a_journal_knows_the_state_of_each_row(journal, path):
    """Row 1 has an intent and no end. A report of another process needs no lock, and does not disturb the run."""
    report = BulkReport(path)
    assert report.counts == {"waiting": 1, "in doubt": 1, "yes": 1, "in effect": 1, "no": 1, "unknown": 1}
    assert [row.key for row in report.failed()] == ["crm-4"]
    assert [row.row for row in report.unknown()] == [1, 5]
    assert journal.known(1, 3) == {1: ("in doubt", b"digest", "crm-1"), 2: ("yes", b"digest", "crm-2")}
    assert journal.end() == 6
    journal.commit(Turn([Intent(8, b"x")]))


@pytest.mark.parametrize(
    ("row", "applied", "message"),
    [
        (5, "yes", None),
        (1, "yes", "row 1 is not unknown"),  # in doubt: it may be in flight
        (2, "yes", "row 2 is not unknown"),
        (4, "yes", "row 4 is not unknown"),
        (10**20, "yes", "row 1\\d+ is not unknown"),
        (5, "maybe", 'give "yes", or "no"'),
    ],
)
def test_only_a_row_that_is_unknown_is_settled_while_a_run_has_the_journal(journal, path, row, applied, message):
    """Settling does not overwrite a known outcome."""
    with pytest.raises(UsageError, match=message) if message else contextlib.nullcontext():
        ClosedJournal(path).settle(row, applied, None)


def test_one_run_at_a_time_has_a_journal_whatever_its_name(run, ledger, path):
    """The second one is refused before it sends anything. With a hard link, two runs would not see each other's lock."""
    other = path.with_name("other")
    other.symlink_to(path)
    with run.open():
        for name in (path, other):
            run.path = name
            assert isinstance(run(creates(3)).error, JournalInUseError)
    other.unlink()
    other.hardlink_to(path)
    with pytest.raises(JournalError, match="as a hard link"), run.open():
        pass
    assert ledger.log == []


def test_a_run_that_was_overtaken_cannot_write_an_intent(journal, path):
    """Where the locks of a file system do not hold, the epoch does; and what is not written is not sent."""
    with sqlite3.connect(path) as other:
        other.execute("update run set epoch = epoch + 1")
    other.close()

    with pytest.raises(JournalInUseError, match="taken over"):
        journal.commit(Turn([Intent(7, b"x")]))


@pytest.mark.parametrize("reopened", [False, True], ids=["closed", "open in the next run"])
def test_a_row_in_doubt_is_settled_when_its_run_has_ended(journal, path, reopened):
    journal.close()

    with contextlib.closing(Journal(path, "service")) if reopened else contextlib.nullcontext():
        ClosedJournal(path).settle(1, "yes", "rec_1")
    assert [row.record_id for row in BulkReport(path).rows("yes")] == ["rec_1", "rec_2"]


def test_what_was_written_by_hand_can_be_corrected_until_a_run_is_open(journal, path):
    journal.close()
    settle = ClosedJournal(path).settle
    settle(1, "no", None)
    settle(1, "yes", "rec_1")
    settle(1, "no", None)
    assert [row.row for row in BulkReport(path).rows("waiting")] == [0, 1]
    with contextlib.closing(Journal(path, "service")), pytest.raises(UsageError, match="row 1 is not unknown"):
        settle(1, "yes", None)


def test_a_full_disk_sends_nothing_that_is_not_in_the_journal(run, ledger, path, monkeypatch):
    """The rows of the turn that cannot be written are not sent, and the error says what to do."""
    opened = sqlite3.connect

    def small(*arguments, **options):
        database = opened(*arguments, **options)
        database.execute("pragma max_page_count = 8")
        return database

    monkeypatch.setattr(sqlite3, "connect", small)
    ran = run(creates(5000))
    monkeypatch.undo()
    ran.report = BulkReport(path)

    assert isinstance(ran.error, JournalError)
    assert "disk is full" in str(ran.error)
    assert len(ledger.arrived) <= ran.report.total
    rest = run(creates(5000))
    assert rest.report.total == 5000
    assert set(ledger.created.values()) == {1}
    assert rest.counts["yes"] + rest.counts.get("unknown", 0) == 5000


@pytest.fixture
def statements(monkeypatch):
    """The statements of the connections that are opened from now on."""
    found, connect = [], sqlite3.connect

    def traced(*arguments, **options):
        db = connect(*arguments, **options)
        db.set_trace_callback(found.append)
        return db

    monkeypatch.setattr(sqlite3, "connect", traced)
    return found


def test_few_commits_are_synced(path, monkeypatch, statements):
    """One in each turn would halve the throughput. It is one or two in a second, and a few more in the first one."""
    with contextlib.closing(Journal(path, "service")) as journal:
        monkeypatch.setattr(journal_module, "time", SimpleNamespace(monotonic=lambda: now))
        for row in range(20_000):
            now = row / 1000
            journal.commit(Turn([Intent(row, b"x")]))

    synced, commits = True, []
    for statement in statements:
        if statement.startswith("pragma synchronous"):
            synced = statement.endswith("full")
        elif statement == "commit":
            commits.append(synced)
    assert len(commits) > 20_000
    assert 20 <= sum(commits) <= 2 * 20 + 8


@pytest.mark.parametrize("place", ["no/such/folder/run.journal", "folder"])
def test_a_journal_that_cannot_be_opened_sends_nothing(run, ledger, tmp_path, place):
    (tmp_path / "folder").mkdir()
    run.path = tmp_path / place

    with pytest.raises(JournalError, match=re.escape(str(tmp_path / place))), run.open():
        pass
    assert ledger.log == []


def test_a_journal_has_no_values_and_no_token(run, ledger, path):
    """It has identifiers and redacted errors only, so it may be kept."""
    run.client = {"token": "a-secret-token"}
    ledger.before = lambda request: (
        json_response(400, message="bad a-secret-token") if b"crm-1" in request.body else None
    )
    rows = [
        operations.records_create(PROJECT, type_slug="deal", external_id=f"crm-{i}", data={"name": "Ada Lovelace"})
        for i in range(3)
    ]

    run(rows)

    content = path.read_bytes()
    assert b"crm-1" in content
    assert b"Lovelace" not in content
    assert b"a-secret-token" not in content


def test_a_row_that_repeats_an_external_id_fails_and_names_the_earlier_row(run, ledger):
    """What the service would do with a second one is not documented. A row has the key that it is given."""
    rows = [(f"line {i}", row) for i, row in enumerate([*creates(40), *creates(2)])]
    ran = run(rows)

    assert ran.counts == {"yes": 40, "no": 2}
    assert [(row.key, row.error.partition(";")[0]) for row in ran.report.failed()] == [
        ("line 40", "it has the external_id of row 0"),
        ("line 41", "it has the external_id of row 1"),
    ]
    assert set(ledger.created.values()) == {1}
    assert run(rows).outcomes == []


@pytest.mark.parametrize("content", ["text", "another database"])
def test_a_file_that_is_no_journal_is_left_alone(run, ledger, path, content):
    """Its path was probably given by mistake."""
    if content == "text":
        path.write_text("id,Name\n" * 100)
    else:
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("create table accounts (name text)")
    before = path.read_bytes()

    with pytest.raises(JournalError, match="is not the journal of a bulk run"):
        BulkReport(path)
    with pytest.raises(JournalError, match="is not the journal of a bulk run"), run.open():
        pass

    assert path.read_bytes() == before
    assert ledger.log == []


def test_rows_that_failed_are_found_by_an_index(journal, path, statements):
    """Among a million rows, a handful. Rows in doubt have no index, which each row would pay for."""
    report = BulkReport(path)
    statements.clear()

    assert [row.row for row in report.failed()] == [4]
    with contextlib.closing(sqlite3.connect(path)) as db:
        (query,) = statements
        assert "USING INDEX open" in str(db.execute(f"explain query plan {query}").fetchall())


def test_a_journal_that_is_removed_ends_its_run(run, ledger, path):
    """SQLite notices nothing, and the next run would send every row again."""
    ran = []

    def remove(outcome):
        ran.append(outcome)
        path.unlink(missing_ok=True)

    with pytest.raises(JournalError, match="there is no journal"):
        run(creates(2000), remove)  # in vain: its report reads the journal
    assert 1 <= len(ledger.log) < 500

    opened = contextlib.ExitStack()
    opened.enter_context(run.open()).run(creates(3))
    path.unlink()
    with pytest.raises(JournalError, match="was removed or replaced"):
        opened.close()


SERVICE = f"https://platform.example {PROJECT}"
KILLED = f"""
import os, sys
from project_platform.bulk.journal import End, Intent, Journal, Turn
journal = Journal(sys.argv[1], "{SERVICE}")
journal.commit(Turn([Intent(row, b"x") for row in range(51)]))
journal.commit(Turn(ends=[(row, End("yes")) for row in range(50)]))
os._exit(1)
"""


@pytest.mark.parametrize("reader", [False, True], ids=["unread", "after it was read"])
def test_a_copy_of_a_journal_without_its_log_is_an_error(run, ledger, path, tmp_path, reader):
    """Its newest rows would be sent again. The error says what to copy, and with it the run continues."""
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    if reader:
        assert BulkReport(path).counts["yes"] == 50
    copy = tmp_path / "copy"
    shutil.copy(path, copy)

    with pytest.raises(JournalError, match="copy copy-wal beside it"):
        BulkReport(copy)
    run.path = copy
    with pytest.raises(JournalError, match="copy copy-wal beside it"), run.open():
        pass
    shutil.copy(f"{path}-wal", tmp_path / "copy-wal")
    assert BulkReport(copy).counts["yes"] == 50
    assert ledger.log == []


INTERRUPTED = f"""
import gc, itertools, linecache, shutil, sys
from project_platform import BulkReport
from project_platform.bulk import journal
from project_platform.bulk.journal import ClosedJournal, Journal

killed, path = sys.argv[1:3]
use = {{
    "run": lambda: Journal(path, "{SERVICE}").close(),
    "settle": lambda: ClosedJournal(path).settle(50, "yes", None),
}}[sys.argv[3]]

def is_interrupted(left):
    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename == journal.__file__ and event == "line":
            line = linecache.getline(journal.__file__, frame.f_lineno).strip()
            left -= not line.startswith("with ")  # which runs again at its end, where no signal arrives
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        use()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)

for line in itertools.count():
    gc.collect()  # a generator that was interrupted
    for name in ("", "-wal", "-shm"):
        shutil.copy(killed + name, path + name)
    if not is_interrupted(line):
        break
    assert BulkReport(path).counts["yes"] >= 50
    Journal(path, "{SERVICE}").close()
print(line)
"""


@pytest.mark.parametrize("use", ["run", "settle"])
def test_ctrl_c_at_any_line_leaves_the_journal_of_a_killed_run_whole(path, tmp_path, use):
    """Whether a run began and ended, or a row was settled: SQLite merges the log, so the file must say that nothing is missing."""
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "killed"], check=False)

    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path / "killed", path, use], capture_output=True, text=True, check=True
    )

    assert int(done.stdout) > 40


FULL = f"""
import contextlib, resource, signal, sys
from project_platform import JournalError
from project_platform.bulk.journal import Intent, Journal, Turn
journal = Journal(sys.argv[1], "{SERVICE}")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
row = 0
with contextlib.suppress(JournalError):
    while True:
        journal.commit(Turn([Intent(row, b"x")]))
        row += 1
with contextlib.suppress(JournalError):
    journal.close()
print(row)
"""


@pytest.mark.parametrize("size", [40_000, 100_000])
def test_a_journal_continues_when_a_full_disk_has_space_again(path, size):
    """Its log stays beside it, because the file could not say that the log is merged."""
    done = subprocess.run([sys.executable, "-c", FULL, path, str(size)], capture_output=True, text=True, check=True)

    assert BulkReport(path).total == int(done.stdout)
    Journal(path, SERVICE).close()


@pytest.mark.parametrize("name", ["run.journal", os.fsdecode(b"r\xfcn ?#%.journal")])
def test_a_journal_knows_whether_all_rows_of_the_input_were_read(tmp_path, name):
    """A run of a report leaves that as it was. Its file may have any name, and after a run has nothing beside it but its lock."""
    found = []
    for complete in (False, None, True, None, False, None):
        journal = Journal(tmp_path / name, SERVICE)
        journal.commit(Turn([Intent(0, b"x")]))
        journal.close(complete=complete)
        found.append(ClosedJournal(tmp_path / name).complete)
    del journal

    assert {file.name for file in tmp_path.iterdir()} == {name, f"{name}.lock"}
    assert found == [False, False, True, True, False, False]


def test_the_order_of_columns_has_no_meaning(run, sync_project, tmp_path):
    """A spreadsheet may have moved them."""
    path = tmp_path / "deals.csv"
    for text, counts in (("id,Name\n1,Roof\n", {"yes": 1}), ("Name,id\nRoof,1\nSolar,2\n", {"yes": 2})):
        path.write_text(text)
        calls = sync_project.records.creates(bulk.csv(path), type_slug="deal", external_id_column="id")
        assert run(calls).counts == counts


def test_a_closed_journal_is_read_where_nothing_can_be_written(path, monkeypatch):
    """As from an archive, on a medium that is read only."""
    Journal(path, SERVICE).close()
    files = {*path.parent.iterdir()}
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    opened = sqlite3.connect

    def read_only(place, **options):
        assert "mode=ro" in place
        return opened(place, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)

    assert BulkReport(path).total == 0
    assert {*path.parent.iterdir()} == files


def test_a_run_that_is_refused_leaves_the_journal_of_a_killed_one_whole(path):
    """As one on another service."""
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)

    with pytest.raises(InputChangedError, match="this one is on https://other"):
        Journal(path, "https://other")

    assert BulkReport(path).counts["yes"] == 50
    Journal(path, SERVICE).close()


@pytest.mark.parametrize(("boot", "most"), [(None, 100), ("a", 8192)])
def test_without_an_identifier_of_the_start_of_the_machine_a_block_is_small(path, monkeypatch, boot, most):
    """There, each crash looks like a power cut, and leaves the rest of a block unknown."""
    monkeypatch.setattr("project_platform.bulk.journal._boot_id", lambda: boot)
    with contextlib.closing(Journal(path, "service")) as journal:
        blocks = []
        for row in range(2000):
            journal.commit(Turn([Intent(row, b"x")]))
            blocks.append(journal._reserved - row)

    assert max(blocks) <= most
    assert max(blocks) > most / 2 or boot is not None
