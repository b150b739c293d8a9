"""The commands of this distribution, for the help and the completion of `project-platform`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class OwnCommand(NamedTuple):
    """A command of the SDK: the module with its function `main`, and one line of help."""

    module: str
    help: str


class OptionalCommand(NamedTuple):
    """A command of another package of this distribution: the extra that it needs, and one line of help."""

    extra: str
    help: str


OWN: Final[Mapping[str, OwnCommand]] = {
    "call": OwnCommand(".commands.call", "send an operation, such as records.create"),
    "whoami": OwnCommand(".commands.whoami", "show the claims, the expiry and the permissions of the token"),
    "settle": OwnCommand(".commands.settle", "find out how a write ended whose response was lost"),
    "bulk": OwnCommand(".bulk.cli", "send the rows of a file, and look into journals"),
    "completion": OwnCommand(".commands.completion", "print the completion script of a shell"),
}

OPTIONAL: Final[Mapping[str, OptionalCommand]] = {
    "contract": OptionalCommand("contract", "prove the rules of the contract on a deployment or on the stub server"),
    "facts": OptionalCommand("contract", "show and compare facts about deployments"),
    "stub": OptionalCommand("stub", "run the stub server"),
}
