"""`project-platform facts`: shows a fact file, or compares two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .fact_file import read, to_json

SAME, DIFFERENT, WRONG_USE = 0, 1, 2


def main(argv: Sequence[str]) -> int:
    """Run the command with the arguments after `facts`.

    Returns:
        0 on success and if two files have the same facts; 1 if they differ; 2 if a file cannot be used. Invalid arguments
        end the process with status 2.
    """
    arguments = _parser().parse_args(argv)
    try:
        read_files = [read(path) for path in arguments.files]
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    if arguments.command == "show":
        _write(_shown(*read_files))
        return SAME
    before, after = read_files
    *differences, numbers = _compared(before["facts"], after["facts"])
    _write([f"before: {_source(before)}", f"after:  {_source(after)}", *differences, numbers])
    return DIFFERENT if differences else SAME


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="project-platform facts",
        description="Show and compare facts: behaviour that the specification leaves open, as observed by the contract suite.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    show = commands.add_parser("show", help="list the facts of a file")
    show.add_argument("files", nargs=1, type=Path, metavar="FILE")
    compare = commands.add_parser("diff", help="list the differences between two files; exit with 1 if there are any")
    compare.add_argument("files", nargs=2, type=Path, metavar="FILE")
    return parser


def _write(lines: Sequence[str] | Iterator[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _source(document: dict[str, Any]) -> str:
    return f"{document['target']}, taken at {document['taken_at']} with suite {document['suite']}"


def _shown(document: dict[str, Any]) -> Iterator[str]:
    yield _source(document)
    facts = document["facts"]
    width = max(map(len, facts), default=0)
    for key, fact in facts.items():
        for seen in fact:
            evidence = f"{seen['at']}, request {seen['request_id'] or 'without an id'}, seen {seen['seen']}x"
            yield f"{key:<{width}}  {to_json(seen['value'])}  ({evidence})"
    yield f"{len(facts)} facts, {sum(len(fact) > 1 for fact in facts.values())} with more than one value"


def _compared(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return a line for each difference, and a last one with their numbers. Times and numbers of observations make none."""
    old, new = ({key: _values(fact) for key, fact in facts.items()} for facts in (before, after))
    added = [f"added    {key}: {new[key]}" for key in sorted(new.keys() - old.keys())]
    gone = [f"gone     {key}: {old[key]}" for key in sorted(old.keys() - new.keys())]
    both = sorted(old.keys() & new.keys())
    changed = [f"changed  {key}: {old[key]} -> {new[key]}" for key in both if old[key] != new[key]]
    numbers = f"{len(added)} added, {len(gone)} gone, {len(changed)} changed, {len(both) - len(changed)} the same"
    return [*added, *gone, *changed, numbers]


def _values(fact: Sequence[dict[str, Any]]) -> str:
    return " or ".join(sorted({to_json(seen["value"]) for seen in fact}))
