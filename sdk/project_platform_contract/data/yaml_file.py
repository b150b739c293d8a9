"""Reads YAML files: refuses duplicate members, and finds the line of a member."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """Constructs only the types of JSON: a timestamp is a string."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names: list[Any] = []
        for key, _ in node.value:
            name = self.construct_object(key)
            if name in names:
                raise yaml.MarkedYAMLError(problem=f"duplicate member {name!r}", problem_mark=key.start_mark)
            names.append(name)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(path: Path) -> Any:
    """Return the content of a file; None if the file is empty.

    Raises:
        ValueError: The file cannot be read or parsed, or has a duplicate member; the message names the file and the line.
    """
    try:
        return yaml.load(path.read_text("utf-8"), _Loader)  # noqa: S506  # derived from SafeLoader
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise ValueError(f"{path}{line}: {error.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from None


def line_of(path: Path, member: Sequence[str | int]) -> int:
    """Return the line of a member, counted from 1, by the names and indexes that lead to it; the file must be valid YAML."""
    node = yaml.compose(path.read_text("utf-8"), _Loader)
    line = 1
    for name in member:
        if isinstance(node, yaml.MappingNode):
            key, node = next(((key, value) for key, value in node.value if key.value == name), (node, None))
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(name, int):
            node = node.value[name]
            line = node.start_mark.line + 1
    return line
