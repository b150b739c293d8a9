"""Serves the second implementation: `python -m contract.second.service DATA` writes a data file and prints its variables."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import yaml

from .app import Service
from .data_file import data_members
from .rims import on_a_socket
from .world import new_world, tokens_of


def main() -> None:
    """Serve until interrupted."""
    world = new_world()
    tokens = tokens_of(world)
    variables = {identity: f"SECOND_{identity.upper()}" for identity in tokens}
    named = {identity: name for identity, name in variables.items() if identity != "owner"}
    Path(sys.argv[1]).write_text(yaml.safe_dump({**data_members(), "token_variables": named}), "utf-8")
    with on_a_socket(Service(world)) as url:
        for identity, name in variables.items():
            print(f"export {name}={tokens[identity]}")
        print(f"export SECOND_URL={url}", flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
