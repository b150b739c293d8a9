"""The progress of a run, on a terminal, in a notebook and in the log."""

from __future__ import annotations

import errno
import io
import re
import sys
import types

import pytest

from project_platform import bulk
from project_platform.bulk import progress

from .rows import creates


@pytest.fixture
def run(sync_project, path):
    """Runs five creates with options."""

    def run(**options):
        with sync_project.bulk(path, **options) as job:
            return job.run(creates(5))

    return run


@pytest.mark.parametrize("with_rich", [True, False])
def test_a_terminal_shows_one_line(run, capsys, monkeypatch, with_rich):
    """A longer one would leave a line behind each time."""
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    if with_rich:
        pytest.importorskip("rich", reason="needs the extra rich")
        monkeypatch.setenv("TERM", "xterm")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)

    run()

    shown = capsys.readouterr().err
    assert "5 rows:" in shown
    assert "5 yes" in shown
    assert shown.endswith("\n")
    assert "\r" in shown
    assert all(len(line) < 30 for line in re.sub(r"\x1b\[[\d;]*m", "", shown).split("\r")[:-1])


def test_a_notebook_shows_one_line(run, monkeypatch):
    shown = []

    class Handle:
        def update(self, content, **options):
            shown.append(content["text/plain"])

    def display(content, *, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))

    run()

    assert "5 rows: 5 yes" in shown[-1]


def test_no_progress_is_shown_where_it_is_switched_off(run, capsys, caplog, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(progress=False)

    assert capsys.readouterr().err == ""
    assert not caplog.messages


def test_a_terminal_that_is_closed_does_not_end_the_run(run, monkeypatch):
    class Gone(io.StringIO):
        def isatty(self):
            return True

        def write(self, text):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys, "stderr", Gone())

    assert run().counts["yes"] == 5


@pytest.mark.parametrize("progress", [None, True])
def test_a_run_needs_no_standard_error(run, caplog, monkeypatch, progress):
    """As in a service of Windows, or after `2>&-`; the log shows the progress."""
    caplog.set_level("INFO", "project_platform.bulk")
    monkeypatch.setattr(sys, "stderr", None)

    assert run(progress=progress).counts["yes"] == 5
    assert "5 rows: 5 yes" in caplog.messages[-1]


@pytest.mark.parametrize("kind", ["list", "file", "generator"])
def test_an_input_with_a_length_has_a_share_and_a_time_left(sync_project, tmp_path, caplog, monkeypatch, kind):
    """A list and a file have one, a generator has none."""
    monkeypatch.setattr(progress, "LOG_INTERVAL", 0.0)
    caplog.set_level("INFO", "project_platform.bulk")
    file = tmp_path / "deals.csv"
    file.write_text("id\n" + "".join(f"{n}\n" for n in range(50)))
    of_file = sync_project.records.creates(bulk.csv(file), type_slug="deal", external_id_column="id")
    with sync_project.bulk(tmp_path / "journal", most=2) as job:
        job.run({"list": [*creates(50)], "file": of_file, "generator": creates(50)}[kind])

    assert any("of 50 (" in message for message in caplog.messages) == (kind != "generator")
    assert any(message.endswith(" left") for message in caplog.messages) == (kind != "generator")
    assert "50 rows: 50 yes" in caplog.messages[-1]


def test_the_command_writes_lines_where_there_is_no_terminal(run, capsys):
    """A line a minute, for the log of a job."""
    assert progress.LOG_INTERVAL == 60
    with progress.lines_to(sys.stderr):
        run()

    assert "5 rows: 5 yes" in capsys.readouterr().err
