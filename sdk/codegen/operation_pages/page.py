"""The page of one operation, section by section."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_origin
from uuid import UUID

from ..advice import AGAIN, retried_statuses, status_advice, unknown_advice
from ..markdown import table
from ..marks import resolved
from ..tables import method
from .recorded_call import RecordedCall, record
from .schemas import Field, fields, one_line

_EFFECTS: Final = {
    "read": "reads",
    "write": "writes",
    "notify": "writes, and may notify people",
    "irreversible": "writes, and cannot be undone",
}
_CONFLICT: Final = 409


def page(document: Mapping[str, Any], request: str, operation: Mapping[str, Any]) -> str:
    """Return the page of an operation, as Markdown.

    Args:
        document: The OpenAPI document.
        request: Method and path of the operation.
        operation: The operation.
    """
    arguments = list(fields(document, operation))
    recorded = record(operation)
    sections = (
        _head(request, operation),
        _call(operation, recorded),
        _arguments(operation, arguments),
        _wire(recorded),
        _sent_again(operation),
        _errors(operation),
        _limits(arguments),
        _open_points(document, operation, arguments),
    )
    return "\n".join(section for section in sections if section)


def _head(request: str, operation: Mapping[str, Any]) -> str:
    summary, sdk = one_line(operation["summary"]), operation["x-sdk"]
    answer = AGAIN[sdk["retry"]].answer
    again = {"Yes": "sent again", "No": "not sent again"}.get(answer, f"sent again {answer.lower()}")
    needed = operation["x-stub"]["permission"]
    permission = f"`{needed}`, an [assumption](../../assumptions.md)" if needed else "none"
    prose = textwrap.fill(one_line(operation.get("description", "")), 110, break_on_hyphens=False)
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
- **Returns** `{_plain(inspect.formatannotation(_signature(operation).return_annotation))}`
- **Effect** {_EFFECTS[sdk["effect"]]}
- **After a lost answer** {again}
- **Permission** {permission}
- **Specification** {sdk["section"]}

</div>

{prose}
"""


def _call(operation: Mapping[str, Any], recorded: RecordedCall) -> str:
    programs = _tabs(("Sync", "python", recorded.sync_program), ("Async", "python", recorded.async_program))
    output = f'```text title="Output"\n{recorded.output}```\n\n' if recorded.output else ""
    return f"## Call\n\n{programs}\n{output}"


def _signature(operation: Mapping[str, Any]) -> inspect.Signature:
    """Return the signature of the method of an operation."""
    from project_platform import Client

    sdk = operation["x-sdk"]
    example = Client("https://platform.example", token="t", project_id=str(UUID(int=0)))  # noqa: S106  # nothing is sent
    scope = example if hasattr(example, sdk["resource"]) else example.project()
    return inspect.signature(getattr(getattr(scope, sdk["resource"]), sdk["method"]))


def _type(parameter: inspect.Parameter) -> str:
    """Return the type of an argument, for the cell of a table."""
    given = _plain(inspect.formatannotation(parameter.annotation)).replace(" | Unset", "")
    # In code between backticks, some renderers show the backslash of an escaped `|`, and some end the cell at a plain one.
    return f"<code>{given.replace('|', '&#124;')}</code>"


def _plain(annotation: str) -> str:
    """Return an annotation with the names of enumerations, without the names of modules and without quotes."""
    for name, values in _enumerations().items():
        annotation = annotation.replace(values, name)
    alternatives = re.sub(r"\bUnion\[(\w+), ([\w.]+)\]", r"\1 | \2", annotation)
    return re.sub(r"\b(?:[^\W\d]\w*\.)+(\w+)", r"\1", alternatives).replace("'", "")


@functools.cache
def _enumerations() -> dict[str, str]:
    """Return the enumerations of the contract by name, as annotations."""
    from project_platform import models

    known = ((name, getattr(models, name)) for name in models.__all__)
    return {name: inspect.formatannotation(value) for name, value in known if get_origin(value) is Literal}


def _arguments(operation: Mapping[str, Any], arguments: Sequence[Field]) -> str:
    parameters = _signature(operation).parameters
    rows = [
        (
            f"`{field.argument}`{'<br>required' if field.required else ''}",
            _type(parameters[field.argument]),
            field.description,
            f"{field.place} `{field.name}`",
        )
        for field in arguments
    ]
    if not rows:
        return ""
    return f"## Arguments\n\n{_block('arguments', table(('Argument', 'Type', 'Meaning', 'On the wire'), rows))}"


def _wire(recorded: RecordedCall) -> str:
    messages = _tabs(("Request", "http", recorded.request + "\n"), ("Answer", "http", recorded.response + "\n"))
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
            f"a lost answer, {retried_statuses()}",
            again.answer.lower(),
            "nothing is applied" if reading else "it may have been applied",
        ),
        ("another 5xx", "never", "the next answer is expected to be the same"),
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


def _limits(arguments: Sequence[Field]) -> str:
    lines = [f"- `{field.argument}`: {field.limits}" for field in arguments if field.limits]
    return "\n".join(["## Limits", "", *lines, ""]) if lines else ""


def _open_points(document: Mapping[str, Any], operation: Mapping[str, Any], arguments: Sequence[Field]) -> str:
    texts = [operation.get("x-assumed", ""), operation["x-stub"].get("x-assumed", "")]
    for node in operation.get("parameters", ()):
        parameter = resolved(document, node)
        if parameter["name"] == "projectId" and "x-assumed" in parameter:
            texts.append(f"`projectId`: {parameter['x-assumed']}")
    texts += [f"`{field.name}`: {field.assumed}" for field in arguments if field.assumed]
    # Markdown would treat `<JWT>` as a tag.
    lines = [f"- {one_line(text).replace('<', '&lt;')}" for text in texts if text]
    return "\n".join(["## What the specification leaves open", "", *lines, ""]) if lines else ""


def _tabs(*tabs: tuple[str, str, str]) -> str:
    """Return a set of tabs, each with a code block: its title, language and code."""
    blocks = ((title, textwrap.indent(f"```{language}\n{code}```", "    ")) for title, language, code in tabs)
    return "\n".join(f'=== "{title}"\n\n{block}\n' for title, block in blocks)


def _block(kind: str, content: str) -> str:
    """Return a table with a class of the style sheet."""
    return f'<div class="{kind}" markdown>\n\n{content}\n\n</div>\n'
