"""`project-platform bulk`, against a stub server on a socket."""

from __future__ import annotations

import csv
import errno
import io
from pathlib import Path

import pytest

from project_platform.bulk.cli import main
from project_platform.cli import main as command
from project_platform_stub import Stub, faults


@pytest.fixture
def stub(monkeypatch, tmp_path):
    """A stub server, described by the environment, with an empty working directory."""
    stub = Stub()
    monkeypatch.chdir(tmp_path)
    with stub.serve() as server:
        monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", server.base_url)
        monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", stub.token())
        monkeypatch.setenv("PROJECT_PLATFORM_PROJECT", stub.project.id)
        yield stub


@pytest.fixture
def deals(tmp_path):
    (tmp_path / "deals.csv").write_text("id,Name,City\n17,Roof,Ulm\n18,Solar,\n19,Facade,Bonn\n")


RUN = ["run", "deals.csv", "--type", "deal", "--external-id", "id", "--map", "Name=title", "--map", "City=city"]


def titles(stub):
    """Return the titles of the records by their external identifiers."""
    records = stub.project.records.values()
    return {
        record["externalId"]: record["data"]["title"]
        for record in records
        if record.get("externalId") in {"17", "18", "19"}
    }


def test_a_journal_is_read_and_settled(stub, deals, capsys):
    """The status is 1 as long as a row is not applied."""
    stub.world.faults.plan("records_create", faults.drop_after_apply())
    assert main([*RUN, "--most", "1", "--journal", "j"]) == 1
    capsys.readouterr()

    assert main(["status", "j"]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "3 rows: 2 yes, 1 unknown"
    assert main(["unknown", "j"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["row"], row["key"], row["applied"]) == ("0", "17", "unknown")
    assert main(["settle", "j", "0", "yes", "--record-id", "rec_1"]) == 0
    assert main(["status", "j"]) == 0
    assert main(["settle", "j", "0", "yes"]) == 2
    assert "row 0 is not unknown" in capsys.readouterr().err


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


def test_rows_are_listed_with_their_values(stub, deals, tmp_path, capsys):
    """The journal has none of them, so the file that was sent is read again, in its own delimiter."""
    (tmp_path / "deals.csv").write_text("id;Name;City\n17;Roof;Ulm\n18;Solar;\n19;Facade;Bonn\n")
    stub.world.faults.plan("records_create", faults.latency(0), faults.drop_after_apply())
    assert main([*RUN, "--delimiter", ";", "--most", "1"]) == 1
    capsys.readouterr()
    listed = ["deals.csv.journal", "--input", "deals.csv"]

    assert main(["unknown", *listed, "--delimiter", ";"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["row"], row["applied"], row["id"], row["Name"], row["City"]) == ("1", "unknown", "18", "Solar", "")
    assert main(["failed", *listed, "--delimiter", ";"]) == 0
    assert capsys.readouterr().out == "row,key,applied,record_id,error,id,Name,City\n"
    assert main(["unknown", *listed]) == 2
    assert "give the delimiter, which may be ';'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "deals.xlsx"], "is none of .csv, .jsonl"),
        (["run", "deals.csv", "--operation", "no.such"], "there is no operation no.such"),
        (["run", "deals.csv", "--external-id", "id"], "are for --operation records.create, together"),
        (["run", "deals.csv", "--max-failures", "0"], "max_failures is 0"),
        (["run", "missing.csv", "--type", "deal"], "missing.csv"),
        ([*RUN, "--map", "Nmae=n"], "there is no column 'Nmae'"),
        ([*RUN, "--delimiter", ";"], "give the delimiter, which may be ','"),
        (["run", "deals.csv", "--operation", "records.update", "--map", "key=record_id"], "there is no column 'key'"),
        (["status", "missing"], "there is no journal missing"),
    ],
)
def test_a_command_that_cannot_work_says_what_to_give(stub, deals, capsys, arguments, message):
    assert main(arguments) in {1, 2}
    assert message in capsys.readouterr().err
    assert titles(stub) == {}
    assert not Path("deals.csv.journal").exists() or "0" in arguments


@pytest.mark.parametrize(("delimiter", "sign"), [(";", ";"), ("tab", "\t")])
def test_a_file_with_another_delimiter_and_encoding_is_sent(stub, tmp_path, delimiter, sign):
    (tmp_path / "deals.csv").write_text("id;Name;City\n17;Müller, Dach;Köln\n".replace(";", sign), "cp1252")

    assert main([*RUN, "--delimiter", delimiter, "--encoding", "cp1252"]) == 0

    assert titles(stub) == {"17": "Müller, Dach"}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--delimiter", ""), "is not one character"),
        (("--delimiter", ";;"), "is not one character"),
        (("--map", "Name"), "COLUMN=KEY"),
    ],
)
def test_an_option_of_another_form_is_refused(deals, capsys, option, message):
    with pytest.raises(SystemExit) as ended:
        main([*RUN, *option])

    assert (ended.value.code, message in capsys.readouterr().err) == (2, True)
