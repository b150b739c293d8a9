"""The loop of an import: run, read why rows failed, correct them, run again."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from project_platform import BulkReport, JournalError
from project_platform.bulk.cli import main

from .ledger import PROJECT, replan, serving, truth
from .rows import wait_until

RUN = [
    "--type",
    "deal",
    "--external-id",
    "id",
    "--types",
    "Amount=number",
    "--map",
    "Name=title",
    "--map",
    "Amount=amount",
]


def write(path, bad):
    """Write 500 deals: of the bad rows, three cannot be sent, and the service refuses four."""
    with Path(path).open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", "Name", "Amount"])
        for n in range(500):
            name, amount = f"Deal {n}", f"{n}.41"
            if n in bad:
                name, amount = {100: (name, "many"), 200: (name, "1,5"), 300: (name, "")}.get(n, ("REFUSED", amount))
            cells = [f"crm-{n}" if n != 300 or n not in bad else "", name, amount]
            lines.writerow(cells)


BAD = {100, 200, 300, 11, 222, 333, 499}


@pytest.fixture
def service(tmp_path, monkeypatch):
    """The service, described by the environment, with an empty working directory."""
    monkeypatch.chdir(tmp_path)
    with serving(latency=0.005, refused="REFUSED") as url:
        for name, value in (("BASE_URL", url), ("TOKEN", "t"), ("PROJECT", PROJECT)):
            monkeypatch.setenv(f"PROJECT_PLATFORM_{name}", value)
        yield url


def applied(journal):
    """Return the number of rows that a journal has as applied; 0 while it is created."""
    try:
        return BulkReport(journal).counts["yes"]
    except JournalError:
        return 0


def killed(arguments, journal, *, after):
    """Run the command and kill it when some rows are applied."""
    command = [sys.executable, "-m", "project_platform", "bulk", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert wait_until(lambda: applied(journal) >= after)
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("corrected", ["deals.csv", "failed.csv"])
def test_the_loop_of_an_import_ends_with_every_row_applied_once(service, capsys, corrected):
    """500 rows, 7 of them bad, a kill: all end as "yes", none is sent twice, and no column of the report is in a record."""
    write("deals.csv", BAD)
    killed(["run", "deals.csv", *RUN], "deals.csv.journal", after=50)

    assert main(["run", "deals.csv", *RUN]) == 1
    for row in BulkReport("deals.csv.journal").unknown():  # the rows in flight when it was killed
        applied = "yes" if truth(service)["created"].get(row.key) else "no"
        assert main(["settle", "deals.csv.journal", str(row.row), applied]) == 0
    main(["run", "deals.csv", *RUN])
    capsys.readouterr()
    assert main(["failed", "deals.csv.journal", "--input", "deals.csv"]) == 0
    Path("failed.csv").write_text(capsys.readouterr().out)
    with Path("failed.csv").open(newline="") as file:
        failed = {int(row["row"]): row["error"] for row in csv.DictReader(file)}
    assert failed.keys() == BAD
    assert "Amount is 'many', which is not a number" in failed[100]
    assert "has no value in 'id'" in failed[300]
    assert "BadRequestError" in failed[11]

    if corrected == "deals.csv":
        write("deals.csv", set())
        assert main(["run", "deals.csv", *RUN]) == 0
    else:
        with Path("failed.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            n = int(row["row"])
            row |= {"id": f"crm-{n}", "Name": f"Deal {n}", "Amount": f"{n}.41"}
        with Path("failed.csv").open("w", newline="") as file:
            lines = csv.DictWriter(file, rows[0])
            lines.writeheader()
            lines.writerows(rows)
        assert main(["run", "failed.csv", *RUN]) == 2
        assert "give the journal of that run with --journal" in capsys.readouterr().err
        for _ in range(2):  # the second time, nothing is left to send
            assert main(["run", "failed.csv", *RUN, "--journal", "deals.csv.journal"]) == 0

    report, found = BulkReport("deals.csv.journal"), truth(service)
    assert (report.counts["yes"], report.total) == (500, 500)
    assert Counter(found["created"].values()) == {1: 500}
    assert found["keys"] == ["amount", "title"]


def test_a_report_of_another_journal_is_refused(service, capsys):
    """The positions of its rows say nothing about the rows of this one."""
    Path("a.csv").write_text("id,Name\n1,REFUSED\n2,Solar\n")
    Path("b.csv").write_text("id,Name\n3,Roof\n4,Solar\n")
    arguments = ["--type", "deal", "--external-id", "id"]
    assert main(["run", "a.csv", *arguments]) == 1
    assert main(["run", "b.csv", *arguments]) == 0
    capsys.readouterr()
    assert main(["failed", "a.csv.journal", "--input", "a.csv"]) == 0
    Path("failed.csv").write_text(capsys.readouterr().out.replace("REFUSED", "Roof"))

    assert main(["run", "failed.csv", *arguments, "--journal", "b.csv.journal"]) == 2

    assert "not a row of the journal" in capsys.readouterr().err
    Path("failed.csv").write_text(
        "row,key,applied,record_id,error,id,Name\n0,,no,,,5,Roof\n"
    )  # a row that was not sent
    assert main(["run", "failed.csv", *arguments, "--journal", "b.csv.journal"]) == 2
    assert "not a row of the journal" in capsys.readouterr().err
    assert truth(service)["created"].keys() == {"2", "3", "4"}


def test_a_dry_run_sends_and_journals_nothing(service, capsys):
    """It shows the first rows as they would be sent, and every row that cannot be."""
    write("deals.csv", {100, 200, 300})

    assert main(["run", "deals.csv", *RUN, "--dry-run"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=2) == [
        "0",
        "crm-0",
        '{"typeSlug":"deal","data":{"title":"Deal 0","amount":0.41},"externalId":"crm-0"}',
    ]
    assert len(lines) == 10 + 3 + 1
    assert lines[-1] == "500 rows: 497 would be sent, 3 not; nothing was sent"
    assert not Path("deals.csv.journal").exists()
    assert truth(service)["created"] == {}


def test_a_dry_run_of_a_continued_run_shows_the_rest(service, capsys):
    """As the run does it: rows that were applied are skipped, and rows of a report have their positions."""
    write("deals.csv", {100, 11})
    assert main(["run", "deals.csv", *RUN]) == 1
    capsys.readouterr()
    assert main(["failed", "deals.csv.journal", "--input", "deals.csv"]) == 0
    failed = capsys.readouterr().out
    Path("failed.csv").write_text(failed.replace("many", "100.41").replace("REFUSED", "Deal 11"))

    assert main(["run", "failed.csv", *RUN, "--journal", "deals.csv.journal", "--dry-run"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["11", "crm-11"], ["100", "crm-100"]]
    assert last == "2 rows: 2 would be sent, 0 not; nothing was sent"

    write("deals.csv", {100})
    assert main(["run", "deals.csv", *RUN, "--dry-run"]) == 0
    assert "500 rows: 1 would be sent, 0 not, 499 ended in an earlier run" in capsys.readouterr().out
    with Path("deals.csv").open("a") as file:
        file.write("crm-0,Deal 0 again,7\n")
    assert main(["run", "deals.csv", *RUN, "--dry-run"]) == 1
    assert "500  crm-0             not sent: it has the external_id of row 0" in capsys.readouterr().out
    assert BulkReport("deals.csv.journal").counts["yes"] == 498


def test_a_report_may_be_older_than_its_journal(service, capsys):
    """A row of it that could not be sent was corrected in the input, and applied: it is named, and never sent again."""
    write("deals.csv", {100})
    assert main(["run", "deals.csv", *RUN]) == 1
    capsys.readouterr()
    assert main(["failed", "deals.csv.journal", "--input", "deals.csv"]) == 0
    Path("failed.csv").write_text(capsys.readouterr().out)
    write("deals.csv", set())
    assert main(["run", "deals.csv", *RUN]) == 0

    assert main(["run", "failed.csv", *RUN, "--journal", "deals.csv.journal"]) == 2
    assert "row 100 is not what it was when it was sent, and its outcome is 'yes'" in capsys.readouterr().err
    assert Counter(truth(service)["created"].values()) == {1: 500}


def test_a_report_without_values_or_of_another_input_is_refused(service, capsys):
    """Its rows would be sent without data, or with that of others."""
    write("deals.csv", {100})
    assert main(["run", "deals.csv", *RUN]) == 1
    capsys.readouterr()
    assert main(["failed", "deals.csv.journal"]) == 0
    Path("failed.csv").write_text(capsys.readouterr().out)
    assert main(["run", "failed.csv", *RUN, "--journal", "deals.csv.journal"]) == 2
    assert "is a report without the values of its rows" in capsys.readouterr().err

    Path("other.csv").write_text(Path("deals.csv").read_text().replace("crm-", "erp-"))
    assert main(["failed", "deals.csv.journal", "--input", "other.csv"]) == 2
    assert "row 100 of the input has no value 'crm-100'" in capsys.readouterr().err
    assert main(["failed", "deals.csv.journal", "--input", "-"]) == 2


def test_a_report_of_json_lines_is_run_with_the_same_options(service, capsys):
    Path("deals.jsonl").write_text('{"id": "a", "title": "Roof"}\n{"title": "Solar"}\n')
    arguments = ["--type", "deal", "--external-id", "id", "--map", "title=title"]
    assert main(["run", "deals.jsonl", *arguments]) == 1
    capsys.readouterr()
    assert main(["failed", "deals.jsonl.journal", "--input", "deals.jsonl"]) == 0
    Path("failed.csv").write_text(capsys.readouterr().out.replace('{""title', '{""id"":""b"",""title'))
    assert main(["run", "failed.csv", *arguments, "--journal", "deals.jsonl.journal"]) == 0
    assert truth(service)["created"] == {"a": 1, "b": 1}


def test_a_report_of_json_lines_has_the_lines_that_are_no_json(service, capsys):
    """The rows that were corrected are sent, whichever the others are."""
    lines = ['{"type_slug": "deal", "data": {"title": "REFUSED"}, "external_id": "a"}', "not JSON", "[7]"]
    Path("deals.jsonl").write_text("\n".join([lines[0], *lines[1:], lines[0].replace('"a"', '"b"')]))
    assert main(["run", "deals.jsonl"]) == 1
    capsys.readouterr()
    assert main(["failed", "deals.jsonl.journal", "--input", "deals.jsonl"]) == 0
    report = capsys.readouterr().out
    assert [row["input"] for row in csv.DictReader(report.splitlines())][1:3] == lines[1:]

    Path("failed.csv").write_text(report.replace("REFUSED", "Roof"))
    assert main(["run", "failed.csv", "--journal", "deals.jsonl.journal"]) == 1
    assert truth(service)["created"] == {"a": 1, "b": 1}
    assert BulkReport("deals.jsonl.journal").counts["no"] == 2


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_standard_input_is_sent(service, kind):
    """As the end of a pipe; the journal needs a name."""
    text = {
        "csv": "id,Name\n1,Roof\n2,Solar\n",
        "jsonl": '{"id": "1", "Name": "Roof"}\n{"id": "2", "Name": "Solar"}\n',
    }[kind]
    command = [sys.executable, "-m", "project_platform", "bulk", "run", "-", "--type", "deal", "--external-id", "id"]
    command += ["--format", kind]

    without = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    done = subprocess.run([*command, "--journal", "j"], input=text, text=True, capture_output=True, check=False)

    assert (without.returncode, "needs --journal" in without.stderr) == (2, True)
    assert done.returncode == 0, done.stderr
    assert truth(service)["created"] == {"1": 1, "2": 1}


def test_a_row_of_a_pipe_is_sent_while_the_pipe_is_open(service):
    """And its outcome is in the journal, so a kill leaves nothing in doubt."""
    command = [sys.executable, "-m", "project_platform", "bulk", "run", "-", "--type", "deal", "--journal", "j"]
    command += ["--external-id", "id"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        process.stdin.write("id,Name\n1,Roof\n")
        process.stdin.flush()
        assert wait_until(lambda: applied("j"))
        process.kill()

    assert truth(service)["created"] == {"1": 1}
    counts = BulkReport("j").counts
    assert (counts["yes"], counts["in doubt"]) == (1, 0)


def test_a_parquet_file_is_sent(service):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    parquet.write_table(pyarrow.table({"id": [1, 2], "n": [1.5, None]}), "deals.parquet")

    assert main(["run", "deals.parquet", "--type", "deal", "--external-id", "id"]) == 0
    assert truth(service)["created"] == {"1": 1, "2": 1}


@pytest.mark.skipif(not hasattr(signal, "SIGTERM") or os.name == "nt", reason="needs SIGTERM")
def test_sigterm_leaves_no_row_unknown(service):
    """As Ctrl+C; the exit status is that of shells, and the same command continues."""
    write("deals.csv", set())
    replan(service, latency=0.1)
    command = [sys.executable, "-m", "project_platform", "bulk", "run", "deals.csv", *RUN, "--most", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert wait_until(lambda: applied("deals.csv.journal"))
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[1]

    assert process.returncode == 143
    assert "terminated; the same command continues" in said
    counts = BulkReport("deals.csv.journal").counts
    assert counts["in doubt"] == counts["unknown"] == 0
    assert 0 < counts["yes"] < 500
    replan(service)
    assert main(["run", "deals.csv", *RUN]) == 0
    assert Counter(truth(service)["created"].values()) == {1: 500}
