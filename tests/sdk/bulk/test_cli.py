"""`project-platform bulk`, against a stub server on a socket; and the loop of an import: run, read why rows failed, correct them."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from project_platform import BulkReport
from project_platform.bulk.cli import main
from project_platform.bulk.engine import Engine
from project_platform.bulk.scheduler import Scheduler
from project_platform.cli import main as command
from project_platform_stub import Profile, Stub, faults

from .ledger import PROJECT, serving, truth
from .rows import applied, wait_until


@pytest.fixture
def profile():
    return Profile()


@pytest.fixture
def stub(monkeypatch, tmp_path, profile):
    """A stub server, described by the environment, with an empty working directory."""
    stub = Stub(profile=profile)
    monkeypatch.chdir(tmp_path)
    with stub.serve() as server:
        monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", server.base_url)
        monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", stub.token())
        monkeypatch.setenv("PROJECT_PLATFORM_PROJECT", stub.project.id)
        yield stub


@pytest.fixture
def deals(tmp_path):
    (tmp_path / "deals.csv").write_text("id,Name,City\n17,Roof,Ulm\n18,Solar,\n19,Facade,Bonn\n")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")


RUN = ["run", "deals.csv", "--type", "deal", "--external-id", "id", "--map", "Name=title", "--map", "City=city"]


def status(arguments):
    """Run the command, and return its exit status."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


def titles(stub):
    """Return the titles of the records by their external identifiers."""
    records = stub.project.records.values()
    return {
        record["externalId"]: record["data"]["title"]
        for record in records
        if record.get("externalId") in {"17", "18", "19"}
    }


class BrokenPipe(io.StringIO):
    """A standard output whose reader has ended."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_the_status_does_not_depend_on_who_reads_the_output(stub, deals, monkeypatch):
    """`until project-platform bulk run ... | head -1` with `pipefail` continues while a row is not applied."""
    stub.world.faults.plan("records_create", faults.drop_after_apply())
    monkeypatch.setattr("sys.stdout", BrokenPipe())

    assert command(["bulk", *RUN, "--most", "1", "--journal", "j"]) == 1
    assert command(["bulk", "status", "j"]) == 1
    assert command(["bulk", "failed", "j"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "deals.xlsx"], "is none of .csv, .jsonl"),
        (["run", "deals.csv", "--operation", "no.such"], "there is no operation no.such"),
        (["run", "deals.csv", "--external-id", "id"], "--external-id needs --type, the object type of all rows"),
        (
            ["run", "deals.csv", "--operation", "labels.export"],
            "labels.export only reads, and a run keeps no responses",
        ),
        ([*RUN, "--operation", "records.update"], "are for --operation records.create, not for records.update"),
        (["run", "missing.csv", "--type", "deal"], "missing.csv cannot be read: No such file"),
        (["run", "missing.jsonl", "--type", "deal"], "missing.jsonl cannot be read: No such file"),
        (["run", "missing.parquet", "--type", "deal"], "missing.parquet cannot be read"),
        (["run", "bad.parquet", "--type", "deal"], "bad.parquet cannot be read"),
        ([*RUN, "--map", "Nmae=n"], "there is no column 'Nmae'"),
        ([*RUN, "--map", "Name=name"], "--map names a column twice"),
        ([*RUN, "--map", "id=title"], "several columns are sent as 'title', and all but one would be lost"),
        ([*RUN, "--delimiter", ";"], "give the delimiter, which may be ','"),
        (["run", "deals.csv", "--operation", "records.update", "--map", "key=record_id"], "there is no column 'key'"),
        (["status", "missing"], "there is no journal missing"),
        (["run", "-", "--type", "deal"], "standard input has no name, so its run needs --journal"),
        (["failed", "j", "--input", "-"], "--input is standard input"),
        ([*RUN, "--delimiter", ""], "is not one character"),
        ([*RUN, "--delimiter", ";;"], "is not one character"),
        ([*RUN, "--map", "Name"], "COLUMN=KEY"),
        ([*RUN, "--types", "Amount"], "COLUMN=TYPE"),
        ([*RUN, "--max-failures", "0"], "'0' is not 1 or more"),
    ],
)
def test_a_command_that_cannot_work_says_what_to_give(stub, deals, capsys, arguments, message):
    assert status(arguments) == (1 if arguments == ["status", "missing"] else 2)
    assert message in capsys.readouterr().err
    assert titles(stub) == {}
    assert not Path("deals.csv.journal").exists()


@pytest.mark.parametrize("found", ["yes", "no"])
def test_the_advice_about_an_unknown_create_leads_to_an_end(stub, deals, capsys, found):
    """No settling finds it out, so the advice is for a person; its commands are executed as they are printed."""
    fault = faults.drop_after_apply() if found == "yes" else faults.reset()
    stub.world.faults.plan("records_create", fault)
    assert command(["bulk", *RUN, "--most", "1"]) == 1
    advice = capsys.readouterr().err.split("what to do: ")[1]
    listing, settling = (shlex.split(words)[1:] for words in re.findall("`(.*?)`", advice))

    assert command(listing) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert "search the platform for the record, by its external_id" in row["error"]
    assert (row["key"] in titles(stub)) == (found == "yes")
    for written in ("no", "yes", found):  # a mistake is corrected
        ended = [{"ROW": row["row"], "yes": written}.get(word, word) for word in settling]
        assert command([*ended, "--record-id", "rec_1"]) == 0
    capsys.readouterr()
    assert command(["bulk", "status", "deals.csv.journal"]) == (found == "no")
    assert capsys.readouterr().out.endswith("3 rows: 3 yes\n" if found == "yes" else "3 rows: 1 waiting, 2 yes\n")

    assert command(["bulk", *RUN]) == 0
    assert len(titles(stub)) == 3
    assert len([record for record in stub.project.records.values() if record.get("externalId") == "17"]) == 1
    assert "what to do" not in capsys.readouterr().err
    assert command(["bulk", "settle", "deals.csv.journal", "2", "no"]) == 2
    assert "row 2 is not unknown" in capsys.readouterr().err


@pytest.mark.parametrize("profile", [Profile(external_id="unique")])
def test_an_unknown_create_is_settled_where_identifiers_are_unique(stub, deals, capsys, tmp_path):
    facts = {"target": os.environ["PROJECT_PLATFORM_BASE_URL"], "facts": {"externalId": {"value": "unique"}}}
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    unique = [*RUN, "--capabilities", "facts.json"]
    stub.world.faults.plan("records_create", faults.drop_after_apply())
    assert main([*RUN, "--most", "1"]) == 1
    capsys.readouterr()

    assert main(unique) == 1
    assert capsys.readouterr().err.rstrip().endswith("what to do: run the same command again with --settle")
    assert main([*unique, "--settle"]) == 0
    assert len([record for record in stub.project.records.values() if record.get("externalId") == "17"]) == 1


@pytest.mark.parametrize("option", [[], ["--allow-duplicates"]])
@pytest.mark.parametrize("arguments", [RUN, ["run", "deals.csv", "--map", "id=external_id", "--map", "Type=type_slug"]])
def test_a_dry_run_counts_what_the_run_sends(stub, tmp_path, capsys, arguments, option):
    """A row that repeats an external identifier is not sent."""
    sent, status = (4, 0) if option else (3, 1)
    (tmp_path / "deals.csv").write_text(
        "id,Name,City,Type\n17,Roof,Ulm,deal\n18,Solar,,deal\n17,Roof,Ulm,deal\n19,,Bonn,deal\n"
    )

    assert main([*arguments, *option, "--dry-run"]) == status
    out = capsys.readouterr().out
    assert (titles(stub), Path("deals.csv.journal").exists()) == ({}, False)
    assert f"4 rows: {sent} would be sent, {4 - sent} not" in out
    assert ("it has the external_id of row 0" in out) == bool(status)
    main([*arguments, *option])
    assert f"4 rows: {sent} yes" in capsys.readouterr().out


def test_options_that_a_file_without_a_header_cannot_use_are_named(stub, tmp_path, capsys):
    """Those of CSV before anything is sent; a column of `--map` that no row has at the end."""
    (tmp_path / "deals.jsonl").write_text('{"id": "17", "Name": "Roof"}\n{"id": "18", "City": "Ulm"}\n')
    arguments = ["run", "deals.jsonl", *RUN[2:]]
    for option in (["--types", "Name=text"], ["--delimiter", ";"], ["--encoding", "cp1252"]):
        assert main([*arguments, *option]) == 2
        assert "are for CSV, and deals.jsonl is not" in capsys.readouterr().err

    for misspelt, status in ((["--map", "Nmae=name"], 1), ([], 0)):
        assert main([*arguments, *misspelt, "--dry-run"]) == status
        assert ("no row has 'Nmae', which --map names" in capsys.readouterr().err) == bool(misspelt)
    update = ["run", "deals.jsonl", "--operation", "records.update", "--map", "id=record_id", "--map", "Name=data"]
    main([*update, "--map", "Ctiy=x", "--dry-run"])
    assert "no row has 'Ctiy'" in capsys.readouterr().err


def test_rows_that_were_refused_are_sent_again_as_the_command_says(stub, deals, capsys):
    """Once the cause is mended, which is not in the rows; a refused token is another cause."""
    stub.world.faults.plan("records_create", [faults.status(422)] * 2)
    assert main([*RUN, "--most", "1", "--max-failures", "2"]) == 1
    assert (
        "send them again with retry_failed=True or --retry-failed, or give a larger --max-failures"
        in capsys.readouterr().err
    )
    assert main(RUN) == 1
    advice = capsys.readouterr().err.split("what to do: ")[1]
    (listing,) = re.findall("`(.*?)`", advice)
    assert command(shlex.split(listing)[1:]) == 0
    assert [row["Name"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == ["Roof", "Solar"]
    assert "--retry-failed" in advice
    url = os.environ["PROJECT_PLATFORM_BASE_URL"]
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("PROJECT_PLATFORM_BASE_URL")
        patched.setenv("PROJECT_PLATFORM_TOKEN", "abc")
        assert main([*RUN, "--retry-failed", "--base-url", url]) == 1
    assert (
        f"what to do: get a new token; `project-platform whoami --offline --base-url {url}`" in capsys.readouterr().err
    )
    assert main([*RUN, "--retry-failed"]) == 0
    assert len(titles(stub)) == 3


@pytest.mark.parametrize(("delimiter", "sign"), [(";", ";"), ("tab", "\t")])
def test_the_advice_about_failed_rows_reads_the_file_that_was_sent(stub, tmp_path, capsys, delimiter, sign):
    """Of a file with another delimiter and encoding; the same options read its report, also as a spreadsheet saves it."""

    def listed():
        (listing,) = re.findall("`(.*?)`", capsys.readouterr().err.split("what to do: ")[1])
        assert command(shlex.split(listing)[1:]) == 0
        return capsys.readouterr().out

    long = "x" * 200_000  # Python's limit of a cell is 128 KiB
    text = f"id;Name;City\n17;Müller, Dach;{long}\n;Köln\n;Bonn\n"
    (tmp_path / "deals.csv").write_text(text.replace(";", sign), "cp1252")
    arguments = ["--type", "deal", "--external-id", "id", "--map", "Name=title"]
    arguments += ["--delimiter", delimiter, "--encoding", "cp1252"]
    assert main(["run", "deals.csv", *arguments]) == 1
    report = listed()
    assert [row["Name"] for row in csv.DictReader(io.StringIO(report))] == ["Köln", "Bonn"]

    for number, name, ended in (("18", "Köln", 1), ("19", "Bonn", 0)):
        report = report.replace(f",,{name}", f",{number},{name}")
        (tmp_path / "failed.csv").write_text(report, "utf-8")
        if not ended:
            with (tmp_path / "failed.csv").open("w", encoding="cp1252", newline="") as file:
                csv.writer(file, delimiter=sign).writerows(csv.reader(io.StringIO(report)))
        assert main(["run", "failed.csv", *arguments, "--journal", "deals.csv.journal"]) == ended
        if ended:
            assert [row["row"] for row in csv.DictReader(io.StringIO(listed()))] == ["2"]
    assert titles(stub) == {"17": "Müller, Dach", "18": "Köln", "19": "Bonn"}


def test_a_dry_run_of_updates_shows_the_records(stub, tmp_path, capsys):
    """The first ten."""
    (tmp_path / "deals.jsonl").write_text('{"record_id": "rec_7", "data": {"stage": "won"}}\n' * 12)
    assert main(["run", "deals.jsonl", "--operation", "records.update", "--dry-run"]) == 0
    first, *others, last = capsys.readouterr().out.splitlines()
    assert (first.split(), len(others)) == (["0", "rec_7", '{"data":{"stage":"won"}}'], 9)
    assert last == "12 rows: 12 would be sent, 0 not; nothing was sent"


def test_a_run_prints_why_rows_are_refused(stub, tmp_path, capsys):
    """At most three reasons, the most frequent ones first, with their numbers, whichever the rows and the requests were."""
    (tmp_path / "deals.csv").write_text(
        "id,Name\n" + "17,a\n" * 3 + "18,b\n" * 5 + ",c\n" * 6 + "20,d\n" * 4 + "21,e\n21,e\n"
    )

    assert main(["run", "deals.csv", "--type", "deal", "--external-id", "id"]) == 1

    *_, first, second, third, rest, _ = capsys.readouterr().err.splitlines()
    same = "no: it has the external_id of row"
    assert [first.split(",")[0], second.split(";")[0], third.split(";")[0]] == [
        "6 no: UsageError: a row has no value in 'id'",
        f"4 {same} 3",
        f"3 {same} 14",
    ]
    assert rest == "3 more no"
    assert main(["run", "deals.csv", "--type", "dael", "--external-id", "id", "--journal", "j"]) == 1
    assert re.search("^4 no: BadRequestError: 400 .*", capsys.readouterr().err, re.MULTILINE)
    stub.world.faults.plan("records_create", [faults.garbage_json()] * 2)
    assert main(["run", "deals.csv", "--type", "deal", "--external-id", "id", "--journal", "k"]) == 1
    assert "2 yes, but: DecodingError" in capsys.readouterr().err


@pytest.mark.usefixtures("deals", "ctrl_c")
@pytest.mark.skipif(os.name == "nt", reason="needs SIGTERM")
@pytest.mark.parametrize(
    "ended", [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "terminated")]
)
def test_after_a_signal_the_same_command_continues(stub, capsys, monkeypatch, ended):
    """The status is that of shells. `test_stops.py` and the trials prove that nothing is in doubt."""
    (name, expected, text), end, stop, stopped = ended, Scheduler.ended, Engine.stop, threading.Event()
    numbers = [getattr(signal, name)]

    def interrupted(scheduler, *arguments):
        end(scheduler, *arguments)
        if numbers:
            os.kill(os.getpid(), numbers.pop())
            assert stopped.wait(10)

    def noted(engine, *arguments):
        stop(engine, *arguments)
        stopped.set()

    monkeypatch.setattr(Scheduler, "ended", interrupted)
    monkeypatch.setattr(Engine, "stop", noted)

    assert status([*RUN, "--most", "1"]) == expected
    assert f"{text}; the same command continues" in capsys.readouterr().err
    assert main(["status", "deals.csv.journal"]) == 1
    assert "the input was not read to its end" in capsys.readouterr().out
    assert main(RUN) == 0
    assert len(titles(stub)) == 3
    assert main(["status", "deals.csv.journal"]) == 0


IMPORT = ["--type", "deal", "--external-id", "id", "--types", "Amount=number"]
IMPORT += ["--map", "Name=title", "--map", "Amount=amount"]


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


AGAIN = ["run", "failed.csv", *IMPORT, "--journal", "deals.csv.journal"]


def correct_the_file(report, capsys):
    write("deals.csv", set())
    assert main(["run", "deals.csv", *IMPORT, "--dry-run"]) == 0
    shown = "500 rows: 7 would be sent, 0 not, 493 ended in an earlier run; nothing was sent"
    assert capsys.readouterr().out.splitlines()[-1] == shown
    assert main(["run", "deals.csv", *IMPORT]) == 0


def correct_the_report(report, capsys):
    rows = list(csv.DictReader(report("deals.csv").splitlines()))
    for row in rows:
        n = int(row["row"])
        row |= {"id": f"crm-{n}" if n > 11 else "crm-free", "Name": f"Deal {n}", "Amount": f"{n}.41"}
    with Path("failed.csv").open("w", newline="") as file:
        lines = csv.DictWriter(file, rows[0])
        lines.writeheader()
        lines.writerows(rows)
    assert main(AGAIN[:-2]) == 2
    assert "give the journal of that run with --journal" in capsys.readouterr().err
    assert main([*AGAIN, "--dry-run"]) == 0
    *shown, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in shown] == [[row["row"], row["id"]] for row in rows]
    assert last == "7 rows: 7 would be sent, 0 not; nothing was sent"
    for _ in range(2):  # the second time, nothing is left to send
        assert main(AGAIN) == 0
    Path("failed.csv").write_text(report("deals.csv"))
    assert main(AGAIN) == 0
    assert "the report has no rows, so nothing is sent" in capsys.readouterr().err


@pytest.mark.parametrize("correct", [correct_the_file, correct_the_report])
def test_the_loop_of_an_import_ends_with_every_row_applied_once(service, report, capsys, correct):
    """500 rows, 7 of them bad, a kill: all end as "yes", none is sent twice, and no column of the report is in a record."""
    write("deals.csv", BAD)
    command = [sys.executable, "-m", "project_platform", "bulk", "run", "deals.csv", *IMPORT]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert wait_until(lambda: applied("deals.csv.journal") >= 50)
        process.kill()

    assert main(["run", "deals.csv", *IMPORT]) == 1
    for row in BulkReport("deals.csv.journal").unknown():  # the rows in flight when it was killed
        found = "yes" if truth(service)["created"].get(row.key) else "no"
        assert main(["settle", "deals.csv.journal", str(row.row), found]) == 0
    main(["run", "deals.csv", *IMPORT])
    failed = {int(row["row"]): row["error"] for row in csv.DictReader(report("deals.csv").splitlines())}
    assert failed.keys() == BAD
    assert "Amount is 'many', which is not a number" in failed[100]
    assert "has no value in 'id'" in failed[300]
    assert "BadRequestError" in failed[11]

    correct(report, capsys)

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
        assert (
            "is not of the journal, whose row 0 has the key '3'; give the journal of the run" in capsys.readouterr().err
        )
    twice = report("a.csv").replace("REFUSED", "Roof")
    Path("failed.csv").write_text(twice + twice.splitlines()[1].replace(",1,Roof", ",9,Roof"))
    assert main(["run", "failed.csv", *arguments, "--journal", "a.csv.journal"]) == 2
    assert "the report has row 0 twice; leave one of them in it" in capsys.readouterr().err
    assert truth(service)["created"].keys() == {"2", "3", "4"}


def test_a_row_that_waits_is_sent_as_the_command_says_after_a_report(stub, tmp_path, capsys):
    """It is not in the report, so a run of the report does not send it."""
    (tmp_path / "deals.csv").write_text("id,N\n17,1\n18,many\n19,3\n")
    arguments = ["--type", "deal", "--external-id", "id", "--types", "N=number", "--map", "N=title", "--most", "1"]
    stub.world.faults.plan("records_create", faults.latency(0), faults.reset())
    assert main(["run", "deals.csv", *arguments]) == 1
    assert main(["settle", "deals.csv.journal", "2", "no"]) == 0
    capsys.readouterr()
    assert main(["failed", "deals.csv.journal", "--input", "deals.csv"]) == 0
    (tmp_path / "failed.csv").write_text(capsys.readouterr().out.replace(",many", ",2"))

    assert main(["run", "failed.csv", *arguments, "--journal", "deals.csv.journal"]) == 1
    assert "run the input of the report again: it sends the rows that wait" in capsys.readouterr().err
    (tmp_path / "deals.csv").write_text("id,N\n17,1\n18,2\n19,3\n")
    assert main(["run", "deals.csv", *arguments]) == 0
    assert titles(stub) == {"17": 1, "18": 2, "19": 3}


def test_an_identifier_of_a_report_is_corrected_twice_as_the_message_says(service, report, capsys):
    """The journal has the one with which the row was sent last, and the report the first one."""
    Path("a.csv").write_text("id,Name\n1,REFUSED\n")
    arguments = ["--type", "deal", "--external-id", "id", "--journal", "a.csv.journal"]
    assert main(["run", "a.csv", *arguments]) == 1
    text = report("a.csv")

    for corrected, status in ((",7,REFUSED", 1), (",8,Roof", 2)):
        Path("failed.csv").write_text(text.replace(",1,REFUSED", corrected))
        assert main(["run", "failed.csv", *arguments]) == status
    assert "write the key of the journal into the second column" in capsys.readouterr().err
    Path("failed.csv").write_text(text.replace(",1,REFUSED", ",8,Roof").replace("\n0,1,", "\n0,7,"))
    assert main(["run", "failed.csv", *arguments]) == 0

    assert truth(service)["created"] == {"8": 1}


def test_a_report_of_json_lines_has_the_lines_that_are_no_json(service, report):
    """It is run with the same options. The rows that were corrected are sent, whichever the others are."""
    lines = ['{"id": "a", "title": "REFUSED"}', "not JSON", "[7]", '{"title": "Solar"}']
    lines += ['{"id": "c", "title": "\\ud800", "rate": 1.10}', '{"id": "d", "title": "x", "title": "y"}']
    latin = b'\n{"id": "e", "title": "K\xe4se"}'
    Path("deals.jsonl").write_bytes("\n".join(lines).encode() + latin)
    arguments = ["--type", "deal", "--external-id", "id", "--map", "title=title"]
    assert main(["run", "deals.jsonl", *arguments]) == 1
    text = report("deals.jsonl")
    found = [row["input"] for row in csv.DictReader(text.splitlines())]
    assert (found[1:3], found[4:6]) == (lines[1:3], lines[4:])
    assert "K\\xe4se" in found[6]

    head, *rows = text.splitlines(keepends=True)
    Path("failed.csv").write_text("".join([head, *rows[3:]]))
    assert main(["run", "failed.csv", *arguments, "--journal", "deals.jsonl.journal"]) == 1
    assert any("row 3 has no value in 'id'" in row.error for row in BulkReport("deals.jsonl.journal").failed())
    corrected = text.replace("REFUSED", "Roof").replace('{""title"":""Solar', '{""id"":""b"",""title"":""Solar')
    Path("failed.csv").write_text(corrected)
    assert main(["run", "failed.csv", *arguments, "--journal", "deals.jsonl.journal"]) == 1
    assert truth(service)["created"] == {"a": 1, "b": 1}
    assert BulkReport("deals.jsonl.journal").counts["no"] == 5


@pytest.mark.parametrize(
    ("options", "text", "encoding"),
    [
        (["--encoding", "cp1252"], "id,Name\nü1,Roof\n", "cp1252"),
        (["--format", "jsonl"], '{"id": "ü1", "Name": "Roof"}\n', "utf-8"),
    ],
)
def test_a_row_of_a_pipe_is_sent_while_the_pipe_is_open(service, options, text, encoding):
    """And its outcome is in the journal, so a kill leaves nothing in doubt."""
    arguments = ["run", "-", *options, "--type", "deal", "--external-id", "id", "--journal", "j"]
    command = [sys.executable, "-m", "project_platform", "bulk", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, encoding=encoding) as process:
        process.stdin.write(text)
        process.stdin.flush()
        assert wait_until(lambda: applied("j"))
        process.kill()

    assert truth(service)["created"] == {"ü1": 1}
    counts = BulkReport("j").counts
    assert (counts["yes"], counts["in doubt"]) == (1, 0)
