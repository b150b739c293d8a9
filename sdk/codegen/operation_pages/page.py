"""The pages of the operations, each section by section."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import griffe

from .. import sources
from ..advice import AGAIN, retried_statuses, status_advice, unknown_advice
from ..complaints import all_or_complaints
from ..markdown import one_line, table
from ..operations import method
from .recorded_call import RecordedCall, new_stub, record

_EFFECTS: Final = {
    "read": "reads",
    "write": "writes",
    "notify": "writes, and may notify people",
    "irreversible": "writes, and cannot be undone",
}
_CONFLICT: Final = 409


def files(folder: Path, document: Mapping[str, Any]) -> dict[Path, str]:
    """Return the pages of a folder, with their contents.

    Raises:
        GenerationError: The stub server does not start, or an example fails.
    """
    new_stub()
    steps = [
        partial(_file, folder, f"{verb.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
    ]
    return dict(all_or_complaints(steps))


def _file(folder: Path, request: str, operation: Mapping[str, Any]) -> tuple[Path, str]:
    """Return the path of the page of an operation, and the page.

    Args:
        folder: Folder of the pages.
        request: Method and path of the operation.
        operation: The operation.
    """
    recorded = record(operation)
    sections = (
        _head(request, operation),
        _call(recorded),
        _arguments(operation),
        _wire(recorded),
        _sent_again(operation),
        _errors(operation),
    )
    return folder / f"{operation['operationId']}.md", "\n".join(section for section in sections if section)


def _head(request: str, operation: Mapping[str, Any]) -> str:
    summary, sdk = one_line(operation["summary"]), operation["x-sdk"]
    answer = AGAIN[sdk["retry"]].answer
    again = {"Yes": "sent again", "No": "not sent again"}.get(answer, f"sent again {answer.lower()}")
    needed = operation["x-stub"]["permission"]
    permission = f"`{needed}`, an [assumption](../../assumptions.md)" if needed else "none"
    prose = textwrap.fill(one_line(operation["description"]), 110, break_on_hyphens=False)
    return f"""\
---
title: {method(operation)}
description: {summary}
---

<!-- Generated from openapi.yaml by `python -m codegen`. Do not edit. -->

# `{method(operation)}`

{summary}
{{ .lead }}

<div class="facts" markdown>

- **Request** `{request}`
- **Returns** `{_method(operation).returns}`
- **Effect** {_EFFECTS[sdk["effect"]]}
- **After a lost response** {again}
- **Permission** {permission}
- **Specification** {sdk["section"]}

</div>

{prose}
"""


def _call(recorded: RecordedCall) -> str:
    programs = _tabs(("Sync", "python", recorded.sync_program), ("Async", "python", recorded.async_program))
    output = f'```text title="Output"\n{recorded.output}```\n\n' if recorded.output else ""
    return f"## Call\n\n{programs}\n{output}"


def _arguments(operation: Mapping[str, Any]) -> str:
    function = _method(operation)
    assert function.docstring is not None
    descriptions = {
        argument.name: argument.description
        for section in function.docstring.parse("google")
        if isinstance(section, griffe.DocstringSectionParameters)
        for argument in section.value
    }
    rows = [
        (
            f"`{argument.name}`{'' if argument.default else '<br>required'}",
            _type(str(argument.annotation)),
            one_line(descriptions[argument.name]),
        )
        for argument in function.parameters
        if argument.name not in {"self", "options"}
    ]
    if not rows:
        return ""
    return f"## Arguments\n\n{_block('arguments', table(('Argument', 'Type', 'Meaning'), rows))}"


def _method(operation: Mapping[str, Any]) -> griffe.Function:
    return sources.method(operation["x-sdk"]["resource"], operation["x-sdk"]["method"])


def _type(annotation: str) -> str:
    """Return the type of an argument, for the cell of a table."""
    # In code between backticks, some renderers show the backslash of an escaped `|`, and some end the cell at a plain one.
    return f"<code>{annotation.replace(' | Unset', '').replace('|', '&#124;')}</code>"


def _wire(recorded: RecordedCall) -> str:
    messages = _tabs(("Request", "http", recorded.request + "\n"), ("Response", "http", recorded.response + "\n"))
    return f"## On the wire\n\n{messages}\nThe call above, made against the stub server.\n{{ .source }}\n"


def _sent_again(operation: Mapping[str, Any]) -> str:
    sdk = operation["x-sdk"]
    again = AGAIN[sdk["retry"]]
    reading = sdk["effect"] == "read"
    refused = "409" if str(_CONFLICT) in operation["responses"] else "another 4xx"
    rows = [
        ("no connection", "yes", "nothing left this machine"),
        ("429", "yes, after `Retry-After`", "the service refused it"),
        (
            f"a lost response, {retried_statuses()}",
            again.answer.lower(),
            "nothing is applied" if reading else "it may have been applied",
        ),
        ("another 5xx", "never", "the next response is expected to be the same"),
        (refused, "never", "the service refused it"),
    ]
    shown = _block("again", table(("The attempt ended with", "Sent again", "Because"), rows))
    rest = f"\nIf it is not sent again, the call ends with `OutcomeUnknownError`. {unknown_advice(operation)}\n"
    return f"## What is sent again\n\n**{again.answer}.** {again.reasons[sdk['effect']]}\n\n{shown}{'' if reading else rest}"


def _errors(operation: Mapping[str, Any]) -> str:
    rows: list[tuple[str, ...]] = []
    for status in operation["responses"]:
        if status[0] in "45":
            error, applied, advice = status_advice(operation, int(status))
            rows.append((status, f"`{error}`", f"`{applied}`", advice))
    if operation["x-sdk"]["effect"] != "read":
        rows.append(("none", "`OutcomeUnknownError`", "`unknown`", unknown_advice(operation)))
    rows.append(("none", "`NotSentError`", "`no`", "Check the address and the network, and repeat it."))
    shown = _block("errors", table(("Status", "Error", "Applied", "What to do"), rows))
    return f"## Errors\n\n{shown}\nSee [the error catalogue](../error-catalogue.md) for the other errors of a call.\n"


def _tabs(*tabs: tuple[str, str, str]) -> str:
    """Return a set of tabs, each with a code block: its title, language and code."""
    blocks = ((title, textwrap.indent(f"```{language}\n{code}```", "    ")) for title, language, code in tabs)
    return "\n".join(f'=== "{title}"\n\n{block}\n' for title, block in blocks)


def _block(kind: str, content: str) -> str:
    """Return a table with a class of the style sheet."""
    return f'<div class="{kind}" markdown>\n\n{content}\n\n</div>\n'
