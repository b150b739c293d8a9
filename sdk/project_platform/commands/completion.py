"""`project-platform completion`: what a shell proposes, and the scripts by which bash, zsh and fish ask for it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .._generated.commands import COMMANDS
from .catalog import OPTIONAL, OWN
from .parser import PROGRAM, actions_of, operation_parser, options_of, parser
from .settle import settle_parser
from .whoami import whoami_parser

_ASK: Final = "words"  # what the scripts give in the place of a shell, and then the line before the cursor
_NO_COMMAND: Final = {"--help": "", "--version": ""}
_FILES: Final = frozenset({"FILE", "JOURNAL"})  # the names of arguments that are files
_SCRIPTS: Final = {
    # bash splits words at colons, which permissions have, and replaces only what follows the last one.
    "bash": f"""\
_project_platform() {{
    local line="${{COMP_LINE:0:COMP_POINT}}" word
    local before="${{line##*[[:space:]]}}"
    [[ $before == *:* && $COMP_WORDBREAKS == *:* ]] && before="${{before%:*}}:" || before=""
    COMPREPLY=()
    while IFS=$'\\t' read -r word _; do
        COMPREPLY+=("${{word#"$before"}}")
    done < <({PROGRAM} completion {_ASK} "$line" 2> /dev/null)
}}
complete -o default -F _project_platform {PROGRAM}
""",
    # In a folder of $fpath the file is the function; elsewhere it is evaluated.
    "zsh": f"""\
#compdef {PROGRAM}
_project_platform() {{
    local proposed=(${{${{(f)"$({PROGRAM} completion {_ASK} "${{(j: :)words[1,CURRENT]}}" 2> /dev/null)"}}%%$'\\t'*}})
    if (( $#proposed )); then
        compadd -- $proposed
    else
        _files
    fi
}}
if [[ "$funcstack[1]" == _project-platform ]]; then
    _project_platform "$@"
else
    compdef _project_platform {PROGRAM}
fi
""",
    "fish": f"""\
function _project_platform
    set -l proposed ({PROGRAM} completion {_ASK} "$(commandline -cp)" 2> /dev/null)
    if set -q proposed[1]
        printf '%s\\n' $proposed
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c {PROGRAM} -f -a '(_project_platform)'
""",
}


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
    if len(argv) > 1 and argv[0] == _ASK:
        sys.stdout.writelines(f"{word}\t{text}\n" for word, text in proposals(argv[1]))
    else:
        sys.stdout.write(_SCRIPTS[result.parse_args(argv).shell])
    return 0


def proposals(line: str) -> Iterator[tuple[str, str]]:
    """Yield the words that may stand at the end of a line, with their help; none where a file or another value may stand.

    Args:
        line: The line before the cursor, from the name of the program on. Its last word may have begun.
    """
    *before, current = line.split(" ")
    before = [word for word in before if word][1:]
    for word, text in _following(before, is_option=current.startswith("-")):
        if word.startswith(current):
            yield word, " ".join(text.split()) % {"default": None, "prog": PROGRAM}


def _following(before: Sequence[str], *, is_option: bool) -> Iterator[tuple[str, str]]:
    """Yield the words that may follow others, with their help as argparse has it."""
    names: dict[tuple[str, ...], dict[str, str]] = {
        (): {name: OWN[name].help for name in OWN} | {name: OPTIONAL[name].help for name in OPTIONAL} | _NO_COMMAND,
        ("call",): {name: one.summary for name, one in COMMANDS.items()},
        ("completion",): dict.fromkeys(sorted(_SCRIPTS), ""),
    }
    if (known := names.get(tuple(before))) is not None:
        yield from known.items()
        return
    if before[0] == "call" and (command := COMMANDS.get(before[1])) is not None:
        yield from ((value, "") for argument in command.arguments if argument.positional for value in argument.values)
    if (found := _parser(before)) is not None:
        yield from _arguments(found, before[-1], is_option=is_option)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser | None:
    """Return the parser of the words that follow these ones; None if it is not known here."""
    match words:
        case ["call", name, *_] if name in COMMANDS:
            return operation_parser(COMMANDS[name])
        case ["settle", *_]:
            return settle_parser()
        case ["whoami", *_]:
            return whoami_parser()
        case ["bulk", *rest]:
            from ..bulk.cli import parser as bulk_parser

            found = bulk_parser()
            return _subparsers(found).get(rest[0]) if rest else found
        case _:
            return None


def _subparsers(of: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    choices: list[Any] = [action.choices for action in actions_of(of)]
    return next(found for found in choices if hasattr(found, "keys"))


def _arguments(of: argparse.ArgumentParser, previous: str, *, is_option: bool) -> Iterator[tuple[str, str]]:
    """Yield the values of the option before, or the options and the values of arguments without one."""
    for action in actions_of(of):
        if previous in action.option_strings and action.nargs != 0:
            yield from ((str(value), "") for value in action.choices or ())
            return
    positional = [action for action in actions_of(of) if not action.option_strings]
    yield from ((str(value), "") for action in positional for value in action.choices or ())
    if is_option or not any(action.metavar in _FILES for action in positional):
        for action in options_of(of):
            yield from ((name, action.help or "") for name in action.option_strings if name.startswith("--"))
