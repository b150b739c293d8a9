"""`project-platform facts`: shows a fact file, or compares two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .fact_file import Facts, FactsError, diff, read, to_json

SAME, DIFFERENT, WRONG_USE = 0, 1, 2


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments after `facts`.

    Returns:
        0 on success and if two files have the same facts; 1 if they differ; 2 if a file cannot be used. Invalid arguments
        end the process with status 2.
    """
    arguments = _parser().parse_args(argv)
    try:
        read_files = [read(path) for path in arguments.files]
    except FactsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    if arguments.command == "show":
        _write(_shown(*read_files))
        return SAME
    _write(_compared(*read_files))
    return DIFFERENT if diff(*read_files) else SAME


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


def _write(lines: Iterator[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _source(facts: Facts) -> str:
    return f"{facts.target}, taken at {facts.taken_at} with suite {facts.suite}"


def _shown(facts: Facts) -> Iterator[str]:
    yield _source(facts)
    width = max(map(len, facts.facts), default=0)
    for key, fact in facts.facts.items():
        for observation in fact:
            evidence = (
                f"{observation.at}, request {observation.request_id or 'without an id'}, seen {observation.seen}x"
            )
            yield f"{key:<{width}}  {to_json(observation.value)}  ({evidence})"
    yield f"{len(facts.facts)} facts, {sum(len(fact) > 1 for fact in facts.facts.values())} with more than one value"


def _compared(before: Facts, after: Facts) -> Iterator[str]:
    yield f"before: {_source(before)}"
    yield f"after:  {_source(after)}"
    found = diff(before, after)
    for key, value in found.added.items():
        yield f"added    {key}: {value}"
    for key, value in found.gone.items():
        yield f"gone     {key}: {value}"
    for key, (old, new) in found.changed.items():
        yield f"changed  {key}: {old} -> {new}"
    yield f"{len(found.added)} added, {len(found.gone)} gone, {len(found.changed)} changed, {found.same} the same"
