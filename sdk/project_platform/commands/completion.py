"""`project-platform completion`: scripts that complete commands, operations, options and values in a shell."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from .._generated.commands import COMMANDS
from .catalog import OPTIONAL, OWN
from .parser import PROGRAM, operation_parser, options_of, parser
from .settle import settle_parser
from .whoami import whoami_parser

_BULK: Final = ("run", "status", "failed", "unknown", "settle")
_TAKES_FILE: Final = "settle"  # its argument is a file
_FILES: Final = frozenset({"FILE", "JSON", "SOURCE"})  # the metavars of options that take files, also as @FILE


class _Option(NamedTuple):
    """An option: its name, its help, whether a value follows it, the values to choose from, and whether files may follow."""

    name: str
    help: str
    takes_value: bool
    values: Sequence[str]
    takes_file: bool


def main(argv: Sequence[str]) -> int:
    """Print the script of a shell; return the exit status."""
    result = parser(
        "completion",
        "Print the completion script of a shell.",
        "to use it:\n"
        f"  bash  echo 'eval \"$({PROGRAM} completion bash)\"' >> ~/.bashrc\n"
        f"  zsh   {PROGRAM} completion zsh > a folder of $fpath, as _{PROGRAM}\n"
        f"  fish  {PROGRAM} completion fish > ~/.config/fish/completions/{PROGRAM}.fish\n",
    )
    result.add_argument("shell", choices=sorted(_SCRIPTS), metavar="SHELL", help="bash, zsh or fish")
    sys.stdout.write(_SCRIPTS[result.parse_args(argv).shell]())
    return 0


def _commands() -> dict[str, str]:
    """Return the commands with their help."""
    return {name: one.help for name, one in OWN.items()} | {name: one.help for name, one in OPTIONAL.items()}


def _words() -> dict[str, Sequence[str]]:
    """Return the words that may follow a command."""
    return {"call": list(COMMANDS), "bulk": _BULK, "completion": sorted(_SCRIPTS)}


def _options(of: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in options_of(of):
        for name in action.option_strings:
            if name.startswith("--"):
                takes_value = action.nargs != 0
                files = takes_value and action.metavar in _FILES
                choices = list(action.choices or ())
                yield _Option(name, (action.help or "").replace("%%", "%"), takes_value, choices, files)


def _all_options() -> dict[str, list[_Option]]:
    """Return the options of each operation, of `settle` and of `whoami`."""
    found = {name: list(_options(operation_parser(command))) for name, command in COMMANDS.items()}
    return found | {"settle": list(_options(settle_parser())), "whoami": list(_options(whoami_parser()))}


def _values() -> Mapping[str, Sequence[str]]:
    """Return the values of the argument that an operation takes by position, where it is an enumeration."""
    return {
        name: argument.values
        for name, command in COMMANDS.items()
        for argument in command.arguments
        if argument.positional and argument.values
    }


def _cases() -> Iterator[tuple[str, str, str]]:
    """Yield an operation or command, the words after it, and those of its options that a value follows, for `case`."""
    values = _values()
    for name, options in _all_options().items():
        words = " ".join([*(option.name for option in options), *values.get(name, ())])
        yield name, words, "|".join(option.name for option in options if option.takes_value)


def _chosen() -> dict[str, Sequence[str]]:
    """Return the options with values to choose from."""
    return {o.name: o.values for options in _all_options().values() for o in options if o.values}


def _bash() -> str:
    lines = [
        f"# Completion of {PROGRAM} for bash.",
        "_project_platform() {",
        # bash splits words at colons, which permissions have.
        '    local line="${COMP_LINE:0:COMP_POINT}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" index',
        '    local current="${line##*[[:space:]]}" name="${COMP_WORDS[1]}"',
        '    [[ $name == call ]] && name="${COMP_WORDS[2]}"',
        "    COMPREPLY=()",
        f"    ((COMP_CWORD > 1)) && [[ $name == {_TAKES_FILE} && $previous != --* && $current != -* ]] && return",
        "    if ((COMP_CWORD == 1)); then",
        f'        words="{" ".join(_commands())} --help --version"',
        "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} != @(settle|whoami) ]]; then",
        "        case ${COMP_WORDS[1]} in",
        *(f'            {name}) words="{" ".join(words)}" ;;' for name, words in _words().items()),
        "        esac",
        "    else",
        "        case $previous in",
        *(f'            {name}) words="{" ".join(values)}" ;;' for name, values in _chosen().items()),
        "            *) case $name in",
    ]
    for name, words, with_value in _cases():
        lines += [
            f"                {name}) case $previous in",
            f"                    {with_value}) ;;",
            f'                    *) words="{words}" ;;',
            "                esac ;;",
        ]
    lines += [
        "            esac ;;",
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then",
        '        for index in "${!COMPREPLY[@]}"; do COMPREPLY[index]="${COMPREPLY[index]#"${current%"${current##*:}"}"}"; done',
        "    fi",
        "}",
        f"complete -o default -F _project_platform {PROGRAM}",
    ]
    return "\n".join(lines) + "\n"


def _zsh() -> str:
    lines = [
        f"#compdef {PROGRAM}",
        "_project_platform() {",
        '    local previous="$words[CURRENT-1]" name="$words[2]"',
        '    [[ $name == call ]] && name="$words[3]"',
        f'    if (( CURRENT > 2 )) && [[ "$name" == {_TAKES_FILE} && "$previous" != --* && "$words[CURRENT]" != -* ]]; then',
        "        _files",
        "    elif (( CURRENT == 2 )); then",
        f"        compadd -- {' '.join(_commands())} --help --version",
        '    elif (( CURRENT == 3 )) && [[ "$words[2]" != (settle|whoami) ]]; then',
        '        case "$words[2]" in',
        *(f"            {name}) compadd -- {' '.join(words)} ;;" for name, words in _words().items()),
        "            *) _files ;;",
        "        esac",
        "    else",
        '        case "$previous" in',
        *(f"            {name}) compadd -- {' '.join(values)} ;;" for name, values in _chosen().items()),
        '            *) case "$name" in',
    ]
    for name, words, with_value in _cases():
        lines += [
            f'                {name}) case "$previous" in',
            f"                    {with_value}) _files ;;",
            f"                    *) compadd -- {words} ;;",
            "                esac ;;",
        ]
    lines += [
        "                *) _files ;;",
        "            esac ;;",
        "        esac",
        "    fi",
        "}",
        # In a folder of $fpath the file is the function; elsewhere it is evaluated.
        'if [[ "$funcstack[1]" == _project-platform ]]; then',
        '    _project_platform "$@"',
        "else",
        f"    compdef _project_platform {PROGRAM}",
        "fi",
    ]
    return "\n".join(lines) + "\n"


def _fish() -> str:
    complete = f"complete -c {PROGRAM}"
    lines = [f"# Completion of {PROGRAM} for fish.", f"{complete} -f"]
    lines += [
        f"{complete} -n __fish_use_subcommand -a {name} -d {shlex.quote(text)}" for name, text in _commands().items()
    ]
    for name in (*OPTIONAL, _TAKES_FILE):  # their arguments are files
        lines.append(f"{complete} -n '__fish_seen_subcommand_from {name}' -F")
    for name, words in _words().items():
        listed = " ".join(words)
        seen = f"'__fish_seen_subcommand_from {name}; and not __fish_seen_subcommand_from {listed}'"
        lines += [
            f"{complete} -n {seen} -a {word} -d {shlex.quote(COMMANDS[word].summary if word in COMMANDS else word)}"
            for word in words
        ]
    for name, values in _values().items():
        lines.append(f"{complete} -n '__fish_seen_subcommand_from {name}' -a '{' '.join(values)}'")
    for name, options in _all_options().items():
        lines += [
            f"{complete} -n '__fish_seen_subcommand_from {name}' -l {option.name.removeprefix('--')}{_fish_value(option)} "
            f"-d {shlex.quote(option.help)}"
            for option in options
        ]
    return "\n".join(lines) + "\n"


def _fish_value(option: _Option) -> str:
    if not option.takes_value:
        return ""
    if option.values:
        return f" -x -a '{' '.join(option.values)}'"
    return " -r -F" if option.takes_file else " -x"


_SCRIPTS: Final[Mapping[str, Callable[[], str]]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
