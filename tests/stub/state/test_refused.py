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


def _not_sqlite(path: Path) -> None:
    path.write_text("id,name\n" * 100)


def _of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE things (id)")


def _of_another_program_in_use(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path.with_name("other.db"))) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE things (id)")
        shutil.copy(path.with_name("other.db"), path)
        shutil.copy(path.with_name("other.db-wal"), path.with_name(path.name + "-wal"))


def _of_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")


def _overwritten(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = bytes(4096)
    path.write_bytes(content)


def _cut(path: Path, length: Callable[[int], int]) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: length(len(content))])


def _free_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[36:40] = (7).to_bytes(4, "big")  # the number of free pages in the header
    path.write_bytes(content)


def _other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE rows")


def _read_only(path: Path) -> None:
    path.chmod(0o444)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _moved_without_its_log(path: Path) -> None:
    path.rename(path.with_name(path.name + "-wal"))


def _emptied_without_its_log(path: Path) -> None:
    _moved_without_its_log(path)
    path.touch()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            _not_sqlite,
            "is not an SQLite file, or its header is damaged; name another file; this file is unchanged",
        ),
        (_of_another_program, "is the SQLite file of another program"),
        (_of_another_program_in_use, "is the SQLite file of another program"),
        (
            _of_another_version,
            "was written by another version of project-platform (format 3; this version reads 2); use that version",
        ),
        (_overwritten, "is damaged ("),
        (lambda path: _cut(path, lambda length: 10), "is not an SQLite file, or its header is damaged"),
        (lambda path: _cut(path, lambda length: 50), "is the SQLite file of another program, or its header is damaged"),
        (lambda path: _cut(path, lambda length: 4096), "is damaged ("),
        (lambda path: _cut(path, lambda length: length // 2), "is damaged ("),
        (lambda path: _cut(path, lambda length: length - 1), "is damaged (it is truncated)"),
        (_free_pages, "is damaged ("),
        (_other_tables, "is damaged (its tables are not those of a state file)"),
        (_read_only, "no permission to write the file; change its mode"),
        (_folder, "is not a file"),
        (_moved_without_its_log, "does not exist, but world #1.db-wal does; restore the file, or delete its log"),
        (_emptied_without_its_log, "is damaged (it is empty, but world #1.db-wal exists)"),
    ],
    ids=lambda value: value.__name__ if callable(value) else value[:40],
)
def test_a_file_that_cannot_be_used_is_unchanged(restart, state_path, damage, message):
    """The error names the file, the problem and the way out; no file is changed or created."""
    restart().close()
    damage(state_path)
    before = files(state_path.parent)

    with pytest.raises(StateFileError) as raised:
        StateFile(state_path)

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
    for file in (state_path, state_path.with_name(state_path.name + "-wal")):
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
    log = crashed.with_name(crashed.name + "-wal")
    log.write_bytes(log.read_bytes()[:-3000])

    with Stub(state=crashed) as stub:
        assert len([slug for slug in stub.project.memory if slug.startswith("notes/")]) == 19


def test_a_damaged_file_with_a_log_is_unchanged(crashed):
    """The log of a crash is not written into a file that is refused."""
    content = bytearray(crashed.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = bytes(4096)
    crashed.write_bytes(content)
    before = files(crashed.parent)

    with pytest.raises(StateFileError, match=r"is damaged \("):
        StateFile(crashed)

    assert files(crashed.parent) == before


def test_a_row_that_cannot_be_read_is_refused(restart, state_path):
    """A row may be valid for SQLite, but not a value of a world."""
    restart().close()
    with closing(sqlite3.connect(state_path)) as connection, connection:
        connection.execute("UPDATE origin_rows SET value = '{' WHERE tbl = 'memory'")
    before = files(state_path.parent)

    with pytest.raises(StateFileError, match=r"is damaged \(JSONDecodeError: "):
        Stub(state=state_path)

    assert files(state_path.parent) == before


def test_an_empty_file_becomes_a_state_file(restart, state_path):
    """Tools for temporary files create an empty file first."""
    state_path.touch()
    restart().project.memory["new"] = {"slug": "new"}

    assert "new" in restart().project.memory
