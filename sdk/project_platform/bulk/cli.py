"""`project-platform bulk`: send the rows of a file, and look into journals."""

from __future__ import annotations

import argparse
import contextlib
import csv as csv_files
import functools
import io
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from ..commands.parser import add_connection_options, parsed
from ..commands.standard_error import say
from ..errors import PlatformError, UsageError
from .readers import ARROW_FILES, UTF_8, arrow, csv, jsonl

if TYPE_CHECKING:
    from ..calls.operation import Call, Operation
    from ..calls.rows import RowCalls
    from ..client import Client, Project
    from .report import BulkReport

_FAILED: Final = 1
_USAGE: Final = 2
_STDIN: Final = Path("-")
_INTERRUPTED: Final = 130  # 128 and the number of SIGINT, as shells have it
_TERMINATED: Final = {143, 129}  # the same of SIGTERM and SIGHUP
_SHOWN: Final = 10  # rows of a dry run
_MAX_CELL: Final = 2**31 - 1  # characters; Python's limit is 128 KiB, less than a text of a record may have
_REASONS: Final = 3  # of rows that were not applied
_KINDS: Final = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", **dict.fromkeys(ARROW_FILES, "arrow")}


def main(argv: Sequence[str]) -> int:
    """Run the command; return 0 if all rows are applied, 1 if some are not, and 2 if it cannot be understood."""
    given = parsed(parser(), argv)
    # Imported after `--help`, which shows nothing of the SDK.
    from ..commands.verdict import advice_of_command, with_options

    _reconfigure(sys.stdout, errors="backslashreplace")
    csv_files.field_size_limit(_MAX_CELL)
    try:
        status: int = given.command(given)
    except UsageError as error:
        say(f"project-platform bulk: {with_options(str(error))}")
        return _USAGE
    except BrokenPipeError:
        raise
    except (PlatformError, OSError) as error:
        say(f"project-platform bulk: {with_options(str(error))}")
        if isinstance(error, PlatformError) and error.applied == "no" and (text := advice_of_command(error, given)):
            say(f"what to do: {text}")
        return _FAILED
    except KeyboardInterrupt:
        say("project-platform bulk: interrupted; the same command continues")
        return _INTERRUPTED
    except SystemExit as ended:
        if ended.code in _TERMINATED:
            say("project-platform bulk: terminated; the same command continues")
        raise
    return status


def _reconfigure(stream: TextIO, **options: Any) -> None:
    if isinstance(stream, io.TextIOWrapper):  # not what a program put there
        stream.reconfigure(**options)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    bulk = argparse.ArgumentParser(prog="project-platform bulk", description=__doc__)
    commands = bulk.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="send the rows of a file; again to continue")
    run.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="rows, as .csv with a header, .jsonl or .parquet; a report of `failed --input` whose rows were corrected, with --journal; "
        "or - for standard input",
    )
    run.add_argument("--format", choices=["csv", "jsonl"], default="csv", help="of standard input; default: csv")
    run.add_argument("--dry-run", action="store_true", help="show what would be sent; nothing is sent or journaled")
    run.add_argument(
        "--operation", default="records.create", metavar="NAME", help="such as records.create, the default"
    )
    run.add_argument(
        "--type", metavar="SLUG", help="object type of all rows, whose columns are then the data of the records"
    )
    run.add_argument("--external-id", metavar="COLUMN", help="the column with the identifier in another system")
    run.add_argument(
        "--map",
        action="append",
        default=[],
        type=_mapping,
        metavar="COLUMN=KEY",
        help="send this column, by this name; repeat it for each column. Without it, all columns are sent by their names",
    )
    _add_csv_options(run)
    run.add_argument("--journal", metavar="PATH", type=Path, help="default: the file's name and .journal")
    run.add_argument("--capabilities", metavar="FILE", help="facts about the deployment")
    for option, effect in (
        ("--stop-on-invalid", "stop at a row that cannot be sent; otherwise it fails and the run goes on"),
        ("--retry-failed", "send rows again that failed in an earlier run"),
        ("--settle", "settle rows of which it is not known whether they were applied"),
        ("--allow-duplicates", "send rows that repeat an earlier external identifier"),
    ):
        run.add_argument(option, action="store_true", help=effect)
    run.add_argument(
        "--max-failures",
        type=_positive,
        default=100,
        metavar="N",
        help="stop if the first N rows fail, or N in a row are refused alike; default: 100",
    )
    run.add_argument("--most", type=_positive, metavar="N", help="maximum number of requests in flight")
    add_connection_options(run)
    run.set_defaults(command=_run)
    for name, help_text in (
        ("status", "count the rows of a journal by their outcome"),
        ("failed", "list the rows that were not applied, as CSV"),
        ("unknown", "list the rows of which it is not known whether they were applied, as CSV"),
    ):
        command = commands.add_parser(name, help=help_text)
        command.add_argument("journal", metavar="JOURNAL", type=Path)
        command.set_defaults(command=_status if name == "status" else _list, listed=name)
        if name != "status":
            command.add_argument(
                "--input", metavar="FILE", type=Path, help="the file that was sent, whose values are listed, too"
            )
            _add_csv_options(command)
    settled = commands.add_parser("settle", help="write down what became of an unknown row, after you looked")
    settled.add_argument("journal", metavar="JOURNAL", type=Path)
    settled.add_argument("row", metavar="ROW", type=int, help="position in the input, from 0")
    settled.add_argument("applied", choices=["yes", "no"], help="no: it was not applied, and the next run sends it")
    settled.add_argument("--record-id", metavar="ID", help="identifier of the record that it created")
    settled.set_defaults(command=_settle)
    return bulk


def _add_csv_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--delimiter",
        default=",",
        type=_delimiter,
        metavar="SIGN",
        help="between two cells of CSV: ; or tab; default: ,",
    )
    command.add_argument(
        "--types",
        action="append",
        default=[],
        type=functools.partial(_mapping, form="COLUMN=TYPE, as in Amount=number"),
        metavar="COLUMN=TYPE",
        help="type of a column of CSV: number, integer, boolean or json; repeat it for each. Without it, all values are texts",
    )
    command.add_argument("--encoding", default=UTF_8, help="of a CSV file, such as cp1252; default: UTF-8")


def _mapping(text: str, form: str = "COLUMN=KEY, as in Name=title") -> tuple[str, str]:
    column, equals, key = text.partition("=")
    if not (column and equals and key):
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return column, key


def _positive(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 or more")
    return int(text)


def _delimiter(text: str) -> str:
    sign = "\t" if text in {"tab", "\\t"} else text
    if len(sign) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one character")
    return sign


def _run(given: argparse.Namespace) -> int:
    from ..commands.connection import connection, open_client
    from .progress import lines_to

    capabilities = {} if given.capabilities is None or given.dry_run else {"capabilities": given.capabilities}
    if not given.file.name:
        raise UsageError("FILE is empty; give the path of a file")
    path = given.journal or given.file.with_name(f"{given.file.name}.journal")
    if given.file == _STDIN and given.journal is None and not given.dry_run:
        raise UsageError("standard input has no name, so its run needs --journal")
    with lines_to(sys.stderr), open_client(connection(given), **capabilities) as client:
        project = client.project()
        rows = _rows(given.file, given)
        calls, unseen = _calls(given, rows, project)  # a file that cannot be read leaves no journal
        if given.dry_run:
            return _dry_run(given, calls, unseen, client, path)
        if given.file != _STDIN and getattr(rows, "is_report", False) and not calls.count_rows():
            say("the report has no rows, so nothing is sent")
            return 0
        with project.bulk(path, **_options(given)) as job:
            report = job.run(calls)
    status = _shown(report)
    _say_reasons(report)
    _say_unseen(unseen)
    place = shlex.quote(str(path))
    is_report = getattr(rows, "is_report", False)
    again = "run the input of the report again" if is_report else "run the same command again"
    if report.counts["unknown"] or report.counts["in doubt"]:
        if not given.settle and _can_settle(given.operation, client):
            say(f"what to do: {again} with --settle")
        else:
            say(
                f"what to do: `project-platform bulk unknown {place}` lists what to do about each row; write down what is true with "
                f"`project-platform bulk settle {place} ROW yes`, or with no, and {again}: it sends the rows with no"
            )
    elif report.counts["no"]:
        values = "" if given.file == _STDIN or is_report else _input_options(given)
        say(
            f"what to do: correct the rows that failed, which `project-platform bulk failed {place}{values}` lists, and "
            "run the same command again; it sends them as they are with --retry-failed"
        )
    elif report.counts["waiting"]:
        say(f"what to do: {again}: it sends the rows that wait")
    return status


def _input_options(given: argparse.Namespace) -> str:
    """Return the options with which `failed` reads the input."""
    words = ["--input", str(given.file)]
    if given.delimiter != ",":
        words += ["--delimiter", "tab" if given.delimiter == "\t" else given.delimiter]
    if given.encoding != UTF_8:
        words += ["--encoding", given.encoding]
    for column, kind in given.types:
        words += ["--types", f"{column}={kind}"]
    return f" {shlex.join(words)}"


def _options(given: argparse.Namespace) -> dict[str, Any]:
    names = ("settle", "retry_failed", "allow_duplicates", "max_failures", "most", "stop_on_invalid")
    return {name: getattr(given, name) for name in names}


def _say_unseen(columns: set[str]) -> None:
    if columns:
        say(f"no row has {', '.join(map(repr, sorted(columns)))}, which --map names; correct the name")


def _say_reasons(report: BulkReport) -> None:
    """Print the most frequent errors of the rows that were not applied, only in part, or with a response that cannot be read."""
    from .journal import ClosedJournal

    journal = ClosedJournal(report.path)
    for reason, number in journal.reasons("yes", _REASONS):
        say(f"{number:,} yes, but: {reason}")
    reasons = journal.reasons("no", _REASONS)
    for reason, number in reasons:
        say(f"{number:,} no: {reason}")
    if rest := report.counts["no"] - sum(number for _, number in reasons):
        say(f"{rest:,} more no")


def _can_settle(operation: str, client: Client) -> bool:
    """Return whether `--settle` may find out how a row of an operation ended; a create is sent again, if that is safe."""
    settling = _operation_of(_function(operation)).settle
    return settling is not None and (settling != "unique" or client.capabilities.external_id in {"unique", "upsert"})


def _rows(path: Path, given: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    kind = given.format if path == _STDIN else _KINDS.get(path.suffix.lower())
    if kind != "csv" and (given.types or given.delimiter != "," or given.encoding != UTF_8):
        raise UsageError(f"--types, --delimiter and --encoding are for CSV, and {path} is not; leave them out")
    if path == _STDIN and cast("object", sys.stdin) is None:
        raise UsageError("standard input is closed; give the path of a file")
    try:
        if kind == "csv":
            source = sys.stdin if path == _STDIN else path
            if path == _STDIN:
                _reconfigure(sys.stdin, encoding=given.encoding, errors="strict", newline="")
            return csv(source, encoding=given.encoding, delimiter=given.delimiter, types=dict(given.types))
        if kind == "jsonl":
            return jsonl(sys.stdin.buffer if path == _STDIN else path)
        if kind == "arrow":
            return arrow(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except LookupError as error:
        raise UsageError(f"{error}; give one such as utf-8 or cp1252") from None
    raise UsageError(
        f"{path} is none of {', '.join(_KINDS)}; save its rows as one of them, or write a few lines of Python that read it"
    )


def _calls(
    given: argparse.Namespace, rows: Iterator[Mapping[str, Any]], project: Project
) -> tuple[RowCalls[Call[Any]], set[str]]:
    """Return the calls of the rows of the file; and the columns of `--map` that no row had yet, of a file without a header."""
    from ..calls.rows import calls_of_rows, check_columns, names_of

    if getattr(rows, "is_report", False) and given.journal is None:
        raise UsageError(
            f"{given.file} is a report of a run; give the journal of that run with --journal, so that each row keeps its position"
        )
    columns = dict(given.map)
    if len(columns) < len(given.map):
        raise UsageError("--map names a column twice; a column is sent by one name")
    unseen = set(columns) if names_of(rows) is None else set[str]()
    if given.operation == "records.create" and given.type:
        creates = project.records.creates(
            rows, type_slug=given.type, external_id_column=given.external_id, columns=columns or None
        )
        calls = cast("RowCalls[Call[Any]]", creates)
        calls.convert = functools.partial(_seen, unseen)
        return calls, unseen
    if given.operation == "records.create" and given.external_id:
        raise UsageError(
            "--external-id needs --type, the object type of all rows; give both, or name the columns as the arguments"
        )
    if given.type or given.external_id:
        raise UsageError(
            f"--type and --external-id are for --operation records.create, not for {given.operation}; leave them out"
        )
    calls = calls_of_rows(_function(given.operation), rows, project.id)
    if columns:
        check_columns(rows, columns)
        calls.convert = lambda row: _renamed(columns, _seen(unseen, row))
    return calls, unseen


def _function(operation: str) -> Callable[..., Call[Any]]:
    from .. import operations

    make: Callable[..., Call[Any]] | None = getattr(operations, operation.replace(".", "_"), None)
    if make is None:
        raise UsageError(f"there is no operation {operation}; give one such as records.update")
    if _operation_of(make).effect == "read":
        raise UsageError(
            f"{operation} only reads, and a run keeps no responses; give a write such as records.update, or use "
            "`project-platform call` or, for labels, project.labels.exports in Python"
        )
    return make


def _operation_of(make: Callable[..., Call[Any]]) -> Operation[Any]:
    operation: Operation[Any] = import_module(make.__module__).OPERATION
    return operation


def _seen(unseen: set[str], row: dict[str, Any]) -> dict[str, Any]:
    unseen.difference_update(row)
    return row


def _renamed(columns: Mapping[str, str], row: dict[str, Any]) -> dict[str, Any]:
    """Rename the columns of a row, in place: a row of a report keeps its position."""
    for name in [*row]:
        value = row.pop(name)
        if name in columns:
            row[columns[name]] = value
    return row


def _dry_run(
    given: argparse.Namespace, calls: RowCalls[Call[Any]], unseen: set[str], client: Client, path: Path
) -> int:
    """Print the calls that the run would send, and count the rows; send nothing."""
    from .attempt import BulkOptions
    from .candidates import Candidates, Unsent
    from .journal import Journal

    sent, unsent, project_id = 0, 0, client.project().id
    journal = Journal(path, f"{client.base_url} {project_id}") if path.exists() else None
    with contextlib.nullcontext() if journal is None else contextlib.closing(journal):
        row_with = None if journal is None else journal.row_with
        candidates = Candidates(journal, row_with, calls.next_row, project_id, BulkOptions(**_options(given)))
        while not candidates.finished:
            row = candidates.next()
            if isinstance(row, Unsent):
                unsent += 1
                reason = "an earlier run may have sent it" if row.in_doubt else row.end.error or row.end.note
                print(f"{row.row:>6}  {row.key or '':<16}  not sent: {reason}")
            elif row is not None:
                sent += 1
                if sent <= _SHOWN:
                    key = row.key or row.call.result_id or ""
                    print(f"{row.row:>6}  {key:<16}  {(row.call.body or b'').decode()}")
    skipped = f", {candidates.skipped:,} ended in an earlier run" if candidates.skipped else ""
    total = sent + unsent + candidates.skipped
    print(f"{total:,} rows: {sent:,} would be sent, {unsent:,} not{skipped}; nothing was sent")
    _say_unseen(unseen)
    return _FAILED if unsent or unseen else 0


def _shown(report: BulkReport) -> int:
    """Print a report, and return its exit status, also if the reader of the output has ended."""
    from .journal import ClosedJournal

    is_complete = ClosedJournal(report.path).complete
    with contextlib.suppress(BrokenPipeError):
        print(report)
        if not is_complete:
            print("the input was not read to its end: its run is active, or the command of that run continues it")
    applied = report.counts["yes"] + report.counts["in effect"]
    return 0 if is_complete and applied == report.total else _FAILED


def _status(given: argparse.Namespace) -> int:
    from .journal import ClosedJournal
    from .report import BulkReport

    with contextlib.suppress(BrokenPipeError):
        print(ClosedJournal(given.journal).service)
    return _shown(BulkReport(given.journal))


def _list(given: argparse.Namespace) -> int:
    from ..commands.verdict import without_error
    from .report import BulkReport, write_rows

    if given.input == _STDIN:
        raise UsageError("--input is standard input; give the path of the file that was sent")
    _reconfigure(sys.stdout, encoding="utf-8")  # as a run reads the report
    report = BulkReport(given.journal)
    unknown = (replace(row, error=without_error(row.error)) for row in report.unknown())
    rows = report.failed() if given.listed == "failed" else unknown
    write_rows(sys.stdout, rows, None if given.input is None else _rows(given.input, given), report.total)
    return 0


def _settle(given: argparse.Namespace) -> int:
    from .journal import ClosedJournal

    ClosedJournal(given.journal).settle(given.row, given.applied, given.record_id)
    print(f"row {given.row}: {'yes' if given.applied == 'yes' else 'the next run sends it'}")
    return 0
