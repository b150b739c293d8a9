"""`project-platform contract`: prove the rules on a deployment, or on the stub."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from .run.exit_code import ExitCode, Outcome

_EPILOG = """\
exit codes:
  0  every rule that was run is proven
  1  a rule is violated, or a test could not do its work
  2  wrong use: options, the data file, the floor, a missing token
  3  fewer rules are proven than the floor has
  4  nothing could be proven, for instance because the target cannot be reached
  130  interrupted

Without an URL, the rules are proven on the stub. Only reading is allowed on a deployment if nothing else is said.
Arguments after -- are pytest's.
"""


def main(argv: Sequence[str]) -> int:
    """Prove rules.

    Args:
        argv: The arguments after `contract`.

    Returns:
        An `ExitCode`.
    """
    own, others = _split(argv)
    arguments = _parser().parse_args(own)
    outcome = Outcome(quiet=not any(other.startswith("--tb") for other in others))
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir(), "project-platform-contract")))
    status = pytest.main([*_pytest_arguments(arguments), *others], plugins=[outcome])
    if outcome.unreachable:
        return ExitCode.NOTHING_PROVEN
    if outcome.interrupted or (outcome.code is None and status == pytest.ExitCode.INTERRUPTED):
        return ExitCode.INTERRUPTED
    # Without verdicts pytest itself has failed: an option it does not know, or a suite that cannot be loaded.
    if outcome.code is None or status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return ExitCode.WRONG_USE if status else ExitCode.PROVEN
    return outcome.code


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    arguments = list(argv)
    if "--" not in arguments:
        return arguments, []
    index = arguments.index("--")
    return arguments[:index], arguments[index + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="project-platform contract",
        description="Prove the rules of the Project Platform API.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("url", nargs="?", metavar="URL", help="base URL of a deployment")
    add("--stub", choices=("in-process", "socket"), help="how the stub is reached, without an URL (in-process)")
    add("--token-env", metavar="NAME", help="variable with the owner's token (PROJECT_PLATFORM_TOKEN)")
    add("--project", metavar="ID", help="project to prove the rules in")
    add("--data", metavar="FILE", help="what is in the project to prove rules with")
    add(
        "--allow",
        metavar="EFFECT",
        help="worst that may be done: read (default on a deployment), write, notify, irreversible",
    )
    add("--i-own", metavar="HOST", help="the host's name again, for anything worse than read")
    add("--requests", metavar="N", help="requests in all (5000)")
    add("--pace", metavar="SECONDS", help="from one request to the next, at least (0)")
    add("--contract-fuzz", "--fuzz", dest="fuzz", metavar="N", help="made-up requests per operation (10)")
    add("--report", metavar="FOLDER", default="contract-report", help="where reports go (%(default)s)")
    add("--floor", metavar="FILE", help="rules that must be proven; proving fewer is a failure")
    add("--write-floor", metavar="FILE", help="write the rules that were proven into a floor")
    add("--junit", metavar="FILE", help="write the tests in JUnit's format")
    add("-k", dest="select", metavar="EXPR", help="run only tests of that name, as pytest takes it")
    add("-n", dest="workers", metavar="WORKERS", help="processes that share the work")
    return parser


def _pytest_arguments(arguments: argparse.Namespace) -> list[str]:
    package = files(__package__)
    made = [
        str(package.joinpath("suite")),
        # Settings of the folder that this is called in are of other tests.
        f"--config-file={package.joinpath('pytest.ini')}",
        f"--rootdir={package}",
        # So are plugins that happen to be installed; they may change what a test does, and take time to load.
        "--disable-plugin-autoload",
        "-p",
        "project_platform_contract.run.plugin",
        "-p",
        "no:cacheprovider",
        "--quiet",
        "--no-header",
        "--tb=short",
        "-rN",
    ]
    given = {
        "--contract-url": arguments.url,
        "--contract-stub": arguments.stub,
        "--contract-token-env": arguments.token_env,
        "--contract-project": arguments.project,
        "--contract-data": _path(arguments.data),
        "--contract-allow": arguments.allow,
        "--contract-i-own": arguments.i_own,
        "--contract-requests": arguments.requests,
        "--contract-pace": arguments.pace,
        "--contract-fuzz": arguments.fuzz,
        "--contract-report": _path(arguments.report),
        "--contract-floor": _path(arguments.floor),
        "--contract-write-floor": _path(arguments.write_floor),
        "--junitxml": _path(arguments.junit),
        "-k": arguments.select,
        "-n": arguments.workers,
    }
    for name, value in given.items():
        if value is not None:
            made += [f"{name}={value}"] if name.startswith("--") else [name, value]
    return [*made, "-p", "xdist"] if arguments.workers else made


def _path(text: str | None) -> str | None:
    """Return a path that means the same wherever pytest looks from."""
    return None if text is None else str(Path(text).absolute())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
