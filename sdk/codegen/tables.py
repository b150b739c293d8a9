"""Writes the parts of hand-written files that list operations: tables and sections of the documentation, enumerations of JSON Schemas.

A table is between `<!-- generated: NAME -->` and `<!-- end -->`. An enumeration follows a `$comment` with the value
`generated: NAME`. The rest of the file is not changed.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from project_platform.calls.error_mapping import status_error_class

from . import assumptions, commands
from .advice import AGAIN, STATUS_ADVICE
from .complaints import GenerationError, all_or_complaints
from .generate import hand_written
from .markdown import table
from .operations import method, raw_operations
from .sources import resource_class

_Part: TypeAlias = Callable[[str, Mapping[str, Any]], str]

_SETTLING: Final = {
    "record": "the same update if its guard fences; after a 409, and without such a guard, an update that changes nothing; "
    "nothing for `relations` without such a guard",
    "memory": "an update without fields",
    "event": "if only times change, and no time zone is given, an update without fields and without notifications; otherwise nothing",
    "repeat": "the same request, of which a second copy has no effect",
    "unique": "the same request, if `external_id` is known to be unique; otherwise nothing",
    None: "nothing",
}
_TABLE: Final = re.compile(r"(?<=<!-- generated: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_MARKER: Final = re.compile(r"<!--\s*(?:generated\b|end\s*-->)")
_NAVIGATION: Final = re.compile(r"(?<=# generated: operations\n).*?(?=^ *# end$)", re.DOTALL | re.MULTILINE)
_ENUMERATION: Final = re.compile(
    r'(?P<head>^(?P<indent> *)"\$comment": "generated: (?P<name>\w+)",\n *"enum": )\[.*?\]', re.MULTILINE | re.DOTALL
)


def with_tables(page: str, document: Mapping[str, Any]) -> str:
    """Return a page with its tables of operations generated from the document.

    Raises:
        GenerationError: A marker is misspelt, alone or names no table.
    """
    tables = [found[1] for found in _TABLE.finditer(page)]
    if unknown := set(tables) - _TABLES.keys():
        raise GenerationError(
            [f"no table has the name {', '.join(sorted(unknown))}; the names are {', '.join(_TABLES)}"]
        )
    if len(_MARKER.findall(page)) != 2 * len(tables):
        raise GenerationError(["write each table between `<!-- generated: NAME -->` and `<!-- end -->`"])
    return _TABLE.sub(lambda found: f"{found[1]}{found[2]}\n{_TABLES[found[1]](document)}\n\n", page)


def with_enumerations(schema: str, document: Mapping[str, Any]) -> str:
    """Return a JSON Schema with its enumerations of operations and permissions generated from the document."""
    operations = raw_operations(document)
    permissions: list[str] = document["components"]["schemas"]["Permission"]["enum"]
    values: dict[str, list[str | None]] = {
        "operations": [*operations],
        "operations_with_faults": [*operations, "auth_token", "*"],
        "operations_with_any_success": [id for id, node in operations.items() if "2XX" in node["responses"]],
        "operations_with_forbidden": [id for id, node in operations.items() if "403" in node["responses"]],
        "permissions": [*permissions],
        "permissions_or_none": [*permissions, None],
    }

    def replaced(found: re.Match[str]) -> str:
        indent = found["indent"]
        if found["name"] not in values:
            raise GenerationError([f"no enumeration has the name {found['name']}; the names are {', '.join(values)}"])
        listed = textwrap.wrap(", ".join(map(json.dumps, values[found["name"]])), 118 - len(indent))
        return "\n".join([f"{found['head']}[", *(f"{indent}  {line}" for line in listed), f"{indent}]"])

    return _ENUMERATION.sub(replaced, schema)


def with_navigation(configuration: str, document: Mapping[str, Any]) -> str:
    """Return the configuration of the site with its list of operation pages generated from the document."""
    lines = [f"          - reference/operations/{id}.md\n" for id in raw_operations(document)]
    written, lists = _NAVIGATION.subn("".join(lines), configuration)
    if lists != 1:
        raise GenerationError(["write the list of pages between `# generated: operations` and `# end`"])
    return written


def files(root: Path, document: Mapping[str, Any]) -> dict[Path, str]:
    """Return the files below the root that have generated parts, with their current contents.

    Raises:
        GenerationError: A marker of a generated part is wrong.
    """
    steps = [
        partial(
            _renewed, root, root / "mkdocs.yml", (root / "mkdocs.yml").read_text("utf-8"), with_navigation, document
        )
    ]
    for folder, kind, mark, part in (
        ("docs", "*.md", _MARKER, with_tables),
        ("server_stub", "*.schema.json", _ENUMERATION, with_enumerations),
    ):
        texts = {path: path.read_text("utf-8") for path in sorted((root / folder).rglob(kind))}
        steps += [
            partial(_renewed, root, path, text, part, document) for path, text in texts.items() if mark.search(text)
        ]
    return dict(all_or_complaints(steps))


def _renewed(root: Path, path: Path, text: str, part: _Part, document: Mapping[str, Any]) -> tuple[Path, str]:
    """Return the path of a file, and its contents with the generated parts."""
    try:
        return path, part(text, document)
    except GenerationError as error:
        raise GenerationError([f"{path.relative_to(root)}: {problem}" for problem in error.problems]) from None


def _scope(operation: Mapping[str, Any]) -> str:
    parameters = [parameter["$ref"].rpartition("/")[2] for parameter in operation.get("parameters", [])]
    return "project" if "ProjectId" in parameters else "client"


def _operations(document: Mapping[str, Any]) -> str:
    rows = [
        (f"[`{method(node)}`](operations/{id}.md)", node["summary"], AGAIN[node["x-sdk"]["retry"]].answer.lower())
        for id, node in raw_operations(document).items()
    ]
    return table(("Operation", "Description", "Sent again after a lost response"), rows)


def _classes(document: Mapping[str, Any]) -> str:
    rows = [
        (f"`{method(node)}`", node["x-sdk"]["retry"], node["x-sdk"]["effect"])
        for node in raw_operations(document).values()
    ]
    return table(("Operation", "Class", "Effect"), rows)


def _outcomes(document: Mapping[str, Any]) -> str:
    rows = [
        (f"`{method(node)}`", _SETTLING[node["x-sdk"].get("settle")], node["x-sdk"].get("look", ""))
        for node in raw_operations(document).values()
        if node["x-sdk"]["effect"] != "read"
    ]
    return table(("Operation", "`client.settle` sends", "Where that does not tell"), rows)


def _permissions(document: Mapping[str, Any]) -> str:
    rows = []
    for node in raw_operations(document).values():
        stub = node["x-stub"]
        permission = "none" if stub["permission"] is None else f"`{stub['permission']}`"
        rows.append((f"`{method(node)}`", f"{permission}{', and a real user' if stub.get('real_user') else ''}"))
    return table(("Operation", "Permission"), rows)


def _statuses(document: Mapping[str, Any]) -> str:
    users: dict[int, int] = defaultdict(int)
    for node in raw_operations(document).values():
        for status in node["responses"]:
            if status[0] in "45":
                users[int(status)] += 1
    if missing := users.keys() - STATUS_ADVICE.keys():
        raise GenerationError(f"{status} has no advice: sdk/codegen/advice.py" for status in missing)
    rows = [
        (str(status), f"`{status_error_class(status).__name__}`", str(users[status] or "only proxies"), advice)
        for status, advice in STATUS_ADVICE.items()
    ]
    return table(("Status", "Error", "Operations", "What to do"), rows)


def _resources(document: Mapping[str, Any]) -> str:
    """Return a section for each resource, which has its documentation."""
    scopes = {node["x-sdk"]["resource"]: _scope(node) for node in raw_operations(document).values()}
    parts = []
    for resource, scope in sorted(scopes.items(), key=lambda item: (item[1], item[0])):
        inherited = "inherited_members: true, " if resource in hand_written() else ""
        parts.append(
            f"## {scope}.{resource}\n\n::: project_platform.{resource_class(resource)}\n"
            f"    options: {{heading_level: 3, {inherited}merge_init_into_class: false, show_bases: false}}"
        )
    return "\n\n".join(parts)


_TABLES: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "assumed_operations": assumptions.operations,
    "assumed_parameters": assumptions.parameters,
    "assumed_schemas": assumptions.schemas,
    "assumed_service": assumptions.service,
    "classes": _classes,
    "commands": commands.reference,
    "exit_statuses": commands.exit_statuses,
    "expected_fields": assumptions.fields,
    "operations": _operations,
    "outcomes": _outcomes,
    "permissions": _permissions,
    "resources": _resources,
    "statuses": _statuses,
}
