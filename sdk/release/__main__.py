"""`python -m release` builds and checks the distribution, compares the public API, and finds Pythons."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from . import api, pythons
from .builds import build_wheel
from .check import check
from .core import install
from .tools import ReleaseError

ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    checked = commands.add_parser("check", help="build into dist/, and check what was built")
    checked.add_argument(
        "--publish", action="store_true", help="refuse a distribution that lacks the addresses of the project"
    )
    commands.add_parser("api", help="compare the public API with that of the last tag")
    core = commands.add_parser("core", help="create an environment with the wheel and no extra")
    core.add_argument("environment", type=Path)
    python = commands.add_parser("python", help="print the path of a Python; the status is 1 if there is none")
    python.add_argument("version", help="such as 3.13")
    given = parser.parse_args(arguments)
    try:
        match given.command:
            case "check":
                check(ROOT, ROOT / "dist", publish=given.publish)
            case "api":
                print(api.compare(ROOT))
            case "core":
                with tempfile.TemporaryDirectory() as scratch:
                    install(ROOT, build_wheel(ROOT, Path(scratch)), given.environment)
            case _:
                found = pythons.find(given.version)
                if found is None:
                    return 1
                print(found)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
