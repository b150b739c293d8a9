"""`project-platform contract`: proves the rules on a deployment or on the stub."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import cast

import pytest

from project_platform.calls.configuration import BASE_URL_VARIABLE, TOKEN_VARIABLE
from project_platform.calls.profile_tokens import TokenCommand, TokenFile
from project_platform.calls.profiles import load_profile
from project_platform.errors import PlatformError, UsageError

from .data.data_file import resolve_data
from .reports.junit import render_junit
from .run.exit_code import ExitCode, Outcome
from .run.init import write_data_file
from .run.preflight import UnreachableError
from .run.progress import Progress
from .run.settings import FOLDER, OPTIONS, Option, base_url_of

_EXIT_CODES = "\n".join(f"  {code.value}  {code.meaning}" for code in ExitCode)
_EPILOG = f"""\
exit codes:
{_EXIT_CODES}

`project-platform contract init URL` writes a data file. Without a URL, the rules are proven on the deployment that
{BASE_URL_VARIABLE} names or, if it is not set, on the stub. On a deployment, only requests that read are sent unless
--allow permits more. Arguments after -- are passed to pytest.
"""


def main(argv: Sequence[str]) -> int:
    """Run the suite in this process with the arguments after `contract`, and return an `ExitCode`."""
    if "init" in argv[:1]:
        return _init(argv[1:])
    end = argv.index("--") if "--" in argv else len(argv)
    own_argv, pytest_argv = argv[:end], argv[end + 1 :]
    arguments = _parser().parse_args(own_argv)
    try:
        _use_target(arguments)
        if arguments.junit is not None:
            if Path(arguments.junit).is_dir():
                raise UsageError(f"--junit is the folder {arguments.junit}; give the path of a file")
            Path(arguments.junit).parent.mkdir(parents=True, exist_ok=True)
    except PlatformError as error:
        return _failed("", error)
    outcome = Outcome(quiet=not any(argument.startswith("--tb") for argument in pytest_argv))
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir(), "project-platform-contract")))
    with _sigterm_as_ctrl_c():
        status = pytest.main([*_pytest_arguments(arguments), *pytest_argv], plugins=[outcome, Progress()])
    if arguments.junit is not None and outcome.report is not None:
        Path(arguments.junit).write_text(render_junit(outcome.report), "utf-8")
    if outcome.refused is not None:
        return outcome.refused
    if outcome.interrupted or (outcome.code is None and status == pytest.ExitCode.INTERRUPTED):
        return ExitCode.INTERRUPTED
    # No verdicts: pytest itself failed, because of an unknown option or a suite that cannot be loaded.
    if outcome.code is None or status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return ExitCode.WRONG_USE if status else ExitCode.PROVEN
    return outcome.code


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM, with which CI systems and containers end a run, restore what the run changed, and write the reports."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _init(argv: Sequence[str]) -> int:
    """Write a data file with what can be found by reading."""
    parser = argparse.ArgumentParser(
        prog="project-platform contract init",
        description="Write a data file for the contract suite: what requests that only read show of a deployment, and what is missing.",
        allow_abbrev=False,
    )
    parser.add_argument("url", nargs="?", metavar="URL", help="base URL of a deployment")
    _add_options(parser, ["token-env", "project"])
    parser.add_argument("--data", metavar="FILE", default="contract.yaml", help="the data file (%(default)s)")
    arguments = parser.parse_args(argv)
    path = Path(arguments.data)
    variable = arguments.token_env or TOKEN_VARIABLE
    try:
        _use_target(arguments, from_data=False)
        if arguments.url is None:
            raise UsageError(f"give the URL of a deployment or --profile, or set {BASE_URL_VARIABLE}")
        url = base_url_of(arguments.url)
        found = write_data_file(path, url, resolve_data({}, project=arguments.project, token_variable=variable))
    except UnreachableError as error:
        return _failed(" init", error, ExitCode.NOTHING_PROVEN)
    except FileExistsError:
        return _failed(" init", f"{path} exists; name another file with --data")
    except (PlatformError, ValueError, OSError) as error:
        return _failed(" init", error)
    token = "" if variable == TOKEN_VARIABLE else f" --token-env {variable}"
    target = url if arguments.profile is None else f"--profile {shlex.quote(arguments.profile)}"
    sys.stdout.write(
        f"{path}: {len(found.values)} members found, and what is missing is marked.\n{found.advice}The first run, which only reads:\n"
        f"project-platform contract {target} --data {shlex.quote(str(path))}{token}\n"
    )
    return ExitCode.PROVEN


def _failed(command: str, problem: object, code: ExitCode = ExitCode.WRONG_USE) -> ExitCode:
    sys.stderr.write(f"project-platform contract{command}: {problem}\n")
    return code


def _use_target(arguments: argparse.Namespace, *, from_data: bool = True) -> None:
    """Take the URL, the project and the owner's token of a deployment from a profile, if one is named, or the URL from the environment.

    Args:
        arguments: The arguments, which are changed.
        from_data: Whether a data file, if there is one, names the project.

    Raises:
        UsageError: There is a URL as well, to which the token of the profile would be sent; or the profile cannot be used.
        NotSentError: The profile has no token.
    """
    if arguments.profile is None:
        if arguments.url is None and getattr(arguments, "stub", None) is None:
            arguments.url = os.environ.get(BASE_URL_VARIABLE) or None
        return
    if arguments.url is not None:
        raise UsageError("give a URL or --profile, not both: the token of a profile is for the service of the profile")
    profile = load_profile(arguments.profile)
    arguments.url = profile.base_url
    if arguments.url is None:
        raise UsageError(f"profile {arguments.profile!r} has no base_url")
    if arguments.data is None or not from_data:
        arguments.project = arguments.project or profile.project_id
    variable = arguments.token_env or TOKEN_VARIABLE
    source = profile.token
    if source is not None and not os.environ.get(variable):
        # The run and its workers read the environment.
        os.environ[variable] = source if isinstance(source, str) else cast("TokenFile | TokenCommand", source).token()


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
    add(
        "--stub",
        choices=("in-process", "socket"),
        help="prove the rules on the stub, with this transport (default without a URL: in-process)",
    )
    _add_options(parser, [option.name for option in OPTIONS])
    add("--junit", metavar="FILE", help="write a JUnit XML report")
    add("-k", dest="select", metavar="EXPR", help="run only the tests that match a pytest expression")
    add("-n", dest="workers", metavar="WORKERS", help="number of worker processes")
    parser.set_defaults(report=str(FOLDER))
    return parser


def _add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """Add the option `--profile`, and those of the suite with some names; pytest checks their values."""
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="profile with the URL, the project and the owner's token of a deployment, in place of URL; the variable of "
        "--token-env takes precedence",
    )
    for option in OPTIONS:
        if option.name in names:
            flags = [f"--contract-{option.name}"] if option.name == "fuzz" else []
            default = "" if option.default is None else f" ({option.default})"
            parser.add_argument(
                *flags, f"--{option.name}", dest=_member(option), metavar=option.metavar, help=option.help + default
            )


def _member(option: Option) -> str:
    return option.name.replace("-", "_")


def _pytest_arguments(arguments: argparse.Namespace) -> list[str]:
    package = files(__package__)
    result = [
        str(package.joinpath("suite")),
        # The settings of the current directory belong to other tests.
        f"--config-file={package.joinpath('pytest.ini')}",
        f"--rootdir={package}",
        # Other installed plugins may change what a test does, and take time to load.
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
    given = {"--contract-url": arguments.url, "--contract-stub": arguments.stub}
    for option in OPTIONS:
        value = getattr(arguments, _member(option))
        # pytest resolves relative paths against its rootdir.
        given[f"--contract-{option.name}"] = str(Path(value).absolute()) if value and option.type is Path else value
    result += [f"{name}={value}" for name, value in given.items() if value is not None]
    result += [] if arguments.select is None else ["-k", arguments.select]
    result += [] if arguments.workers is None else ["-n", arguments.workers]
    return [*result, "-p", "xdist"] if arguments.workers else result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
