"""The lists of `docs/assumptions.md`, from the marks `x-assumed`, `x-uncounted` and `x-stub` of `openapi.yaml`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .operations import method, raw_operations


@dataclass(frozen=True)
class Mark:
    """One `x-assumed`: the path of keys to its place in the document, and its text."""

    at: tuple[str, ...]
    sentence: str


def _marks_of(document: Mapping[str, Any], *parts: str) -> Iterator[Mark]:
    """Yield the marks in a part of a document, in order."""
    return (mark for mark in _marks(document, ()) if mark.at[: len(parts)] == parts)


def _marks(node: Any, at: tuple[str, ...]) -> Iterator[Mark]:
    if isinstance(node, Mapping):
        if "x-assumed" in node:
            # Markdown would treat `<JWT>` as a tag.
            yield Mark(at, node["x-assumed"].strip().replace("<", "&lt;"))
        for key, value in node.items():
            yield from _marks(value, (*at, str(key)))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _marks(value, (*at, str(index)))


def service(document: Mapping[str, Any]) -> str:
    """Return the assumptions about the service as a whole, which belong to no operation, parameter or schema."""
    names = {
        (): "Operations",
        ("info",): "Contact and licence",
        ("servers",): "Base address",
        ("components", "securitySchemes"): "Authentication",
    }
    return "\n".join(
        f"- **{name}:** {mark.sentence}"
        for mark in _marks(document, ())
        if (name := names.get(mark.at[: 2 if mark.at[:1] == ("components",) else 1]))
    )


def operations(document: Mapping[str, Any]) -> str:
    """Return the assumptions about each operation, under its name."""
    by_operation: dict[tuple[str, ...], list[Mark]] = defaultdict(list)
    for mark in _marks_of(document, "paths"):
        by_operation[mark.at[1:3]].append(mark)
    lines: list[str] = []
    for (path, verb), found in by_operation.items():
        operation = document["paths"][path][verb]
        uncounted = list(map(str, operation.get("x-uncounted", ())))
        counted = sorted(status for status in operation["responses"] if status[0] in "45" and status not in uncounted)
        errors = ", ".join(counted) + (f"; beyond the count {', '.join(uncounted)}" if uncounted else "")
        lines += ["", f"### {method(operation)}", "", f"`{verb.upper()} {path}`, errors {errors}", ""]
        # Assumptions about the operation and its responses come before the permission that the stub server requires.
        lines += [
            f"- {_part(operation, mark.at[3:])}{mark.sentence}" for mark in sorted(found, key=lambda mark: mark.at[3:])
        ]
    return "\n".join(lines[1:])


def _part(operation: Mapping[str, Any], at: tuple[str, ...]) -> str:
    """Return the start of a line for a path inside an operation; empty for the operation itself."""
    if not at:
        return ""
    if at == ("x-stub",):
        return f"**Permission `{operation['x-stub']['permission'] or 'none'}`:** "
    return f"**Header `{at[-1]}`:** " if "headers" in at else f"**Content of `{at[-1]}`:** "


def parameters(document: Mapping[str, Any]) -> str:
    """Return the assumptions about parameters, with the operations that have them."""
    users: dict[str, list[str]] = defaultdict(list)
    for operation in raw_operations(document).values():
        for parameter in operation.get("parameters", []):
            users[parameter["$ref"].rpartition("/")[2]].append(method(operation))
    lines: list[str] = []
    for mark in _marks_of(document, "components", "parameters"):
        parameter = document["components"]["parameters"][mark.at[2]]
        used = users[mark.at[2]]
        of = "every operation of a project" if len(used) > 3 else ", ".join(used)  # noqa: PLR2004  # a list that long reads worse
        lines.append(f"- **`{parameter['name']}` of {of}:** {mark.sentence}")
    return "\n".join(lines)


def fields(document: Mapping[str, Any]) -> str:
    """Return the expected and the other fields of each schema; schemas without other fields come first."""
    complete: list[str] = []
    partial: list[str] = []
    for name, schema in document["components"]["schemas"].items():
        if expected := schema.get("x-expected"):
            others = [field for field in schema["properties"] if field not in {*expected, *schema.get("required", ())}]
            line = f"- `{name}`: {_listed(expected)}"
            if others:
                partial.append(f"{line}; may be missing: {_listed(others)}")
            else:
                complete.append(line)
    return "\n".join([*complete, *partial])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def schemas(document: Mapping[str, Any]) -> str:
    """Return the assumptions about schemas; schemas with the same assumption share a line."""
    names_by_sentence: dict[str, list[str]] = defaultdict(list)
    for mark in _marks_of(document, "components", "schemas"):
        names_by_sentence[mark.sentence].append(".".join(part for part in mark.at[2:] if part != "properties"))
    return "\n".join(
        f"- {', '.join(f'`{name}`' for name in names)}: {sentence}" for sentence, names in names_by_sentence.items()
    )
