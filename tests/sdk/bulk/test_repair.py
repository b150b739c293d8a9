"""The loop of an import: run, read why rows failed, correct them, run again."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from project_platform import BulkReport
from project_platform.bulk.cli import main

from .ledger import PROJECT, serving, truth
from .rows import applied, wait_until

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
            row = [f"crm-{n}", f"Deal {n}", f"{n}.41"]
            wrong = {100: [row[0], row[1], "many"], 200: [row[0], row[1], "1,5"], 300: ["", row[1], ""]}
            lines.writerow(wrong.get(n, [row[0], "REFUSED", row[2]]) if n in bad else row)


BAD = {100, 200, 300, 11, 222, 333, 499}


@pytest.fixture
def service(tmp_path, monkeypatch):
    """The service, described by the environment, with an empty working directory."""
    monkeypatch.chdir(tmp_path)
    with serving(latency=0.005, refused="REFUSED") as url:
        for name, value in (("BASE_URL", url), ("TOKEN", "t"), ("PROJECT", PROJECT)):
            monkeypatch.setenv(f"PROJECT_PLATFORM_{name}", value)
        yield url


@pytest.fixture
def report(capsys):
    """Returns the list of the rows of a file that failed, with their values."""

    def report(name):
        capsys.readouterr()
        assert main(["failed", f"{name}.journal", "--input", name]) == 0
        return capsys.readouterr().out

    return report


@pytest.mark.parametrize("corrected", ["deals.csv", "failed.csv"])
def test_the_loop_of_an_import_ends_with_every_row_applied_once(service, report, capsys, corrected):
    """500 rows, 7 of them bad, a kill: all end as "yes", none is sent twice, and no column of the report is in a record."""
    write("deals.csv", BAD)
    command = [sys.executable, "-m", "project_platform", "bulk", "run", "deals.csv", *RUN]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert wait_until(lambda: applied("deals.csv.journal") >= 50)
        process.kill()

    assert main(["run", "deals.csv", *RUN]) == 1
    for row in BulkReport("deals.csv.journal").unknown():  # the rows in flight when it was killed
        found = "yes" if truth(service)["created"].get(row.key) else "no"
        assert main(["settle", "deals.csv.journal", str(row.row), found]) == 0
    main(["run", "deals.csv", *RUN])
    Path("failed.csv").write_text(report("deals.csv"))
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

    ended, found = BulkReport("deals.csv.journal"), truth(service)
    assert (ended.counts["yes"], ended.total) == (500, 500)
    assert Counter(found["created"].values()) == {1: 500}
    assert found["keys"] == ["amount", "title"]


def test_a_report_of_another_journal_is_refused(service, report, capsys):
    """The positions of its rows say nothing about the rows of this one."""
    Path("a.csv").write_text("id,Name\n1,REFUSED\n2,Solar\n")
    Path("b.csv").write_text("id,Name\n3,Roof\n4,Solar\n")
    arguments = ["--type", "deal", "--external-id", "id"]
    assert main(["run", "a.csv", *arguments]) == 1
    assert main(["run", "b.csv", *arguments]) == 0
    not_sent = "row,key,applied,record_id,error,id,Name\n0,,no,,,5,Roof\n"

    for text in (report("a.csv").replace("REFUSED", "Roof"), not_sent):
        Path("failed.csv").write_text(text)
        assert main(["run", "failed.csv", *arguments, "--journal", "b.csv.journal"]) == 2
        assert "not a row of the journal" in capsys.readouterr().err
    assert truth(service)["created"].keys() == {"2", "3", "4"}


def test_a_dry_run_of_a_continued_run_shows_the_rest(service, report, capsys):
    """As the run does it: rows that were applied are skipped, and rows of a report have their positions."""
    write("deals.csv", {100, 11})
    assert main(["run", "deals.csv", *RUN]) == 1
    Path("failed.csv").write_text(report("deals.csv").replace("many", "100.41").replace("REFUSED", "Deal 11"))

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


def test_a_report_of_json_lines_has_the_lines_that_are_no_json(service, report):
    """It is run with the same options. The rows that were corrected are sent, whichever the others are."""
    lines = ['{"id": "a", "title": "REFUSED"}', "not JSON", "[7]", '{"title": "Solar"}']
    Path("deals.jsonl").write_text("\n".join(lines))
    arguments = ["--type", "deal", "--external-id", "id", "--map", "title=title"]
    assert main(["run", "deals.jsonl", *arguments]) == 1
    text = report("deals.jsonl")
    assert [row["input"] for row in csv.DictReader(text.splitlines())][1:3] == lines[1:3]

    corrected = text.replace("REFUSED", "Roof").replace('{""title"":""Solar', '{""id"":""b"",""title"":""Solar')
    Path("failed.csv").write_text(corrected)
    assert main(["run", "failed.csv", *arguments, "--journal", "deals.jsonl.journal"]) == 1
    assert truth(service)["created"] == {"a": 1, "b": 1}
    assert BulkReport("deals.jsonl.journal").counts["no"] == 2


@pytest.mark.parametrize(("kind", "text"), [("csv", "id,Name\n1,Roof\n"), ("jsonl", '{"id": "1", "Name": "Roof"}\n')])
def test_a_row_of_a_pipe_is_sent_while_the_pipe_is_open(service, kind, text):
    """And its outcome is in the journal, so a kill leaves nothing in doubt."""
    arguments = ["run", "-", "--format", kind, "--type", "deal", "--external-id", "id", "--journal", "j"]
    command = [sys.executable, "-m", "project_platform", "bulk", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        process.stdin.write(text)
        process.stdin.flush()
        assert wait_until(lambda: applied("j"))
        process.kill()

    assert truth(service)["created"] == {"1": 1}
    counts = BulkReport("j").counts
    assert (counts["yes"], counts["in doubt"]) == (1, 0)
