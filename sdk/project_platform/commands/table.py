"""Types of the table of operations, which is generated from the contract. Nothing else is imported for `--help`."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Kind = Literal["text", "integer", "boolean", "texts", "pairs", "json"]
"""Type of an argument: `texts` is repeated for each text, `pairs` for each NAME=VALUE; `json` is any other JSON value."""

FEW: Final = 6
"""Maximum number of values of an enumeration that a help text lists."""

# Options that the command has for every operation. `python -m codegen` refuses arguments with these names.
RESERVED: Final = frozenset(
    {
        "all",
        "allow_insecure",
        "base_url",
        "dry_run",
        "env_file",
        "fields",
        "from",
        "help",
        "output",
        "profile",
        "project",
        "retry",
        "save_doubt",
        "timeout",
        "to",
        "verbose",
    }
)


class Argument(NamedTuple):
    """An argument of an operation.

    Attributes:
        name: Its name in Python.
        json_name: Its name in requests.
        kind: Its type.
        help: One or two sentences with its limits.
        positional: Whether it is given by position.
        required: Whether the operation needs it.
        values: The values of an enumeration; empty if others are allowed.
    """

    name: str
    json_name: str
    kind: Kind
    help: str
    positional: bool = False
    required: bool = False
    values: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """Its name on the command line: `--data`, or `RECORD_ID` for an argument that is given by position."""
        return self.name.upper() if self.positional else f"--{self.name.replace('_', '-')}"


class Command(NamedTuple):
    """An operation on the command line.

    Attributes:
        name: Its name, such as `records.create`.
        summary: One sentence.
        description: A paragraph.
        reads: Whether it only reads.
        in_project: Whether a project is its scope.
        paged: Whether its result is a list in pages.
        saves: Whether its result is a file.
        arguments: Its arguments, those by position first.
        model: Name of the model of its result, or of the items of its result; empty if that is no model.
        columns: Columns of its result as a table; empty for all that are not nested.
    """

    name: str
    summary: str
    description: str = ""
    reads: bool = False
    in_project: bool = False
    paged: bool = False
    saves: bool = False
    arguments: tuple[Argument, ...] = ()
    model: str = ""
    columns: tuple[str, ...] = ()

    @property
    def operation_id(self) -> str:
        """Its identifier in the contract, and its name in `project_platform.operations`."""
        return self.name.replace(".", "_")
