"""A state file that cannot be used is refused with a helpful message, and is unchanged."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from project_platform_stub import Stub
from project_platform_stub.state.file import StateFile, StateFileError


def files(folder: Path) -> dict[str, str]:
    """Return the digest of each file in a folder; that of a folder is empty."""
    return {path.name: sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in folder.iterdir()}


def test_other_programs_cannot_write_to_a_file_in_use(restart, state_path):
    """The lock of the stub keeps memory and file equal."""
    stub = restart()

    with closing(sqlite3.connect(state_path, timeout=0)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            connection.execute("UPDATE worlds SET drawn = 0")

    stub.project.memory["later"] = {"slug": "later"}
    assert "later" in restart().project.memory


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def run_sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def overwrite(path: Path, at: Callable[[int], int], written: bytes) -> None:
    """Write bytes at a place that is computed from the length of the file."""
    content = bytearray(path.read_bytes())
    place = at(len(content))
    content[place : place + len(written)] = written
    path.write_bytes(content)


def cut(path: Path, length: Callable[[int], int]) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: length(len(content))])


def of_another_program_in_use(path: Path) -> None:
    """Write a file of another program, whose table is only in its log."""
    path.unlink()
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE things (id)")
        shutil.copy(other, path)
        shutil.copy(log_of(other), log_of(path))


NO_HEADER, DAMAGED = "is not an SQLite file, or its header is damaged", "is damaged ("
OF_ANOTHER = "is the SQLite file of another program"
USELESS: dict[str, tuple[Callable[[Path], object], str]] = {
    "not SQLite": (
        lambda path: path.write_text("id,name\n" * 100),
        f"{NO_HEADER}; name another file; this file is unchanged",
    ),
    "of another program": (lambda path: (path.unlink(), run_sql(path, "CREATE TABLE things (id)")), OF_ANOTHER),
    "of another program in use": (of_another_program_in_use, OF_ANOTHER),
    "of another version": (
        lambda path: run_sql(path, "PRAGMA user_version = 3"),
        "was written by another version of project-platform (format 3; this version reads 2); use that version",
    ),
    "overwritten": (lambda path: overwrite(path, lambda length: length // 2, bytes(4096)), DAMAGED),
    "10 bytes": (lambda path: cut(path, lambda length: 10), NO_HEADER),
    "50 bytes": (lambda path: cut(path, lambda length: 50), f"{OF_ANOTHER}, or its header is damaged"),
    "a page": (lambda path: cut(path, lambda length: 4096), DAMAGED),
    "a half": (lambda path: cut(path, lambda length: length // 2), DAMAGED),
    "all but a byte": (lambda path: cut(path, lambda length: length - 1), "is damaged (it is truncated)"),
    "another number of free pages": (
        lambda path: overwrite(path, lambda length: 36, (7).to_bytes(4, "big")),
        DAMAGED,
    ),
    "other tables": (
        lambda path: run_sql(path, "DROP TABLE rows"),
        "is damaged (its tables are not those of a state file)",
    ),
    "a row that is no value of a world": (
        lambda path: run_sql(path, "UPDATE origin_rows SET value = '{' WHERE tbl = 'memory'"),
        "is damaged (JSONDecodeError: ",
    ),
    "read only": (lambda path: path.chmod(0o444), "no permission to write the file; change its mode"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "is not a file"),
    "moved without its log": (
        lambda path: path.rename(log_of(path)),
        "does not exist, but world #1.db-wal does; restore the file, or delete its log",
    ),
    "emptied without its log": (
        lambda path: (path.rename(log_of(path)), path.touch()),
        "is damaged (it is empty, but world #1.db-wal exists)",
    ),
}


@pytest.mark.parametrize(("damage", "message"), USELESS.values(), ids=USELESS)
def test_a_file_that_cannot_be_used_is_unchanged(restart, state_path, damage, message):
    """The error names the file, the problem and the way out; no file is changed or created."""
    restart().close()
    damage(state_path)
    before = files(state_path.parent)

    with pytest.raises(StateFileError) as raised:
        Stub(state=state_path)

    assert str(raised.value).startswith(f"{state_path}: {message}")
    assert files(state_path.parent) == before


def test_a_missing_folder_is_refused(tmp_path):
    """Folders are not created, so a typo in the path does not start a new world."""
    with pytest.raises(StateFileError, match=r"nowhere: there is no folder .*missing; create it first$"):
        StateFile(tmp_path / "missing" / "nowhere")

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def crashed(restart, state_path: Path, tmp_path: Path):
    """A state file after a crash, with its last writes in the log."""
    stub = restart()
    for number in range(20):
        stub.project.memory[f"notes/{number}"] = {"text": f"note {number}", "filler": "x" * 1000}
    (tmp_path / "crashed").mkdir()
    for file in (state_path, log_of(state_path)):
        shutil.copy(file, tmp_path / "crashed" / file.name)
    return tmp_path / "crashed" / state_path.name


def test_the_log_of_a_crash_is_recovered(crashed):
    """Writes that are only in the log are in the world, and the log is deleted afterwards."""
    with Stub(state=crashed) as stub:
        assert [stub.project.memory[f"notes/{number}"]["text"] for number in range(20)] == [
            f"note {number}" for number in range(20)
        ]

    assert [file.name for file in crashed.parent.iterdir()] == [crashed.name]


def test_an_incomplete_last_write_is_dropped(crashed):
    """A process may be killed while it writes to the log; the incomplete write was not answered."""
    cut(log_of(crashed), lambda length: length - 3000)

    with Stub(state=crashed) as stub:
        assert len([slug for slug in stub.project.memory if slug.startswith("notes/")]) == 19


def test_a_damaged_file_with_a_log_is_unchanged(crashed):
    """The log of a crash is not written into a file that is refused."""
    overwrite(crashed, lambda length: length // 2, bytes(4096))
    before = files(crashed.parent)

    with pytest.raises(StateFileError, match=r"is damaged \("):
        StateFile(crashed)

    assert files(crashed.parent) == before


def test_an_empty_file_becomes_a_state_file(restart, state_path):
    """Tools for temporary files create an empty file first."""
    state_path.touch()
    restart().project.memory["new"] = {"slug": "new"}

    assert "new" in restart().project.memory
