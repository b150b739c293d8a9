"""The data of a run: the project, access tokens, and resources of the project that rules are proven with.

If a member is missing, the rules that need it are reported as "not run", with its name as the reason.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError

from project_platform.calls.configuration import PROJECT_VARIABLE
from project_platform_contract.schema import error_of, members_of, message_of, problem_of

from .switches import unmatched, waiver_problem
from .yaml_file import line_of, read_yaml


class MissingError(LookupError):
    """A rule cannot be tried: a member of the data file, or a condition it depends on, is missing. It is "not run".

    Attributes:
        remedy: The option or the member of the data file with which the rule would be run; None if there is none.
    """

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Data:
    """The data of a run.

    Attributes:
        values: Members of the data file by name, as `data.schema.json` describes them.
        tokens: Access tokens by identity, such as `owner`, which makes the calls, or `outsider`, which is refused.
        variables: Names of the environment variables with the tokens, by identity.
    """

    values: dict[str, Any]
    tokens: dict[str, str] = field(repr=False)
    variables: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a member.

        Raises:
            MissingError: The data file does not have it.
        """
        value = self.values.get(name)
        if value is None:
            raise MissingError(f"the data file has no member {name!r}", f"a data file with {name}")
        return value

    def token(self, identity: str) -> str:
        """Return the access token of an identity.

        Raises:
            MissingError: The data file does not name a variable for it.
        """
        if identity not in self.tokens:
            raise MissingError(
                f"the data file has no token for the identity {identity!r} in 'token_variables'",
                f"a data file with token_variables: {{{identity}: ...}}",
            )
        return self.tokens[identity]


def load_data(path: Path) -> dict[str, Any]:
    """Return the members of a data file.

    Raises:
        ValueError: The file cannot be read, or violates `data.schema.json`; the message names the line and the member.
    """
    values = read_yaml(path) or {}
    if (error := error_of("data", values)) is not None:
        member, problem = _explained(error)
        raise ValueError(f"{path}, line {line_of(path, member)}: {problem}")
    for pattern in unmatched(values.get("inferred", {})):
        line = line_of(path, ["inferred", pattern])
        raise ValueError(f"{path}, line {line}: inferred: no inferred rule matches {pattern!r}; the report lists them")
    for id, reason in values.get("waive", {}).items():
        if waiver := waiver_problem(id, reason):
            raise ValueError(f"{path}, line {line_of(path, ['waive', id])}: waive: {id}: {waiver}")
    return dict(values)


def _explained(error: ValidationError) -> tuple[list[str | int], str]:
    """Return the member that has an error, as the names and indexes that lead to it, and what is expected there."""
    path, members = list(error.absolute_path), members_of("data")
    if "propertyNames" in error.schema_path:
        path.append(str(error.instance))
    if not path and isinstance(error.instance, dict):
        unknown = next(name for name in error.instance if name not in members)
        near = get_close_matches(str(unknown), members, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"the members are {', '.join(members)}"
        return [unknown], f"there is no member {unknown!r}: {hint}"
    problem = message_of(error)
    if path:
        known = members[str(path[0])]
        problem += f". Expected: {known['description']}"
        if "examples" in known:
            problem += f" Example: {json.dumps(known['examples'][0])}"
    return path, problem


def resolve_data(values: dict[str, Any], *, project: str | None, token_variable: str) -> Data:
    """Return the data of a run, with the tokens read from the environment.

    Args:
        values: Members of a data file.
        project: Identifier of the project; overrides that of the data file, which overrides that of the environment.
        token_variable: Name of the environment variable that holds the owner's token.

    Raises:
        ValueError: There is no project or it is not a UUID, or a token variable is not set.
    """
    project = project or values.get("project") or os.environ.get(PROJECT_VARIABLE)
    if not project:
        raise ValueError(f"no project is given: use --project, `project` in the data file, or {PROJECT_VARIABLE}")
    values = {**values, "project": project}
    if problem := problem_of("data", {"project": values["project"]}):
        raise ValueError(problem)
    variables = {"owner": token_variable, **values.get("token_variables", {})}
    tokens = {}
    for identity, variable in variables.items():
        if not variable.isidentifier():
            raise ValueError(
                f"what is given for {identity!r} is no name of an environment variable; give the name of the one that holds its token"
            )
        token = os.environ.get(variable, "").strip()
        if not token:
            raise ValueError(f"the environment variable {variable} is empty: set it to the token of {identity!r}")
        tokens[identity] = token
    return Data(values, tokens, variables)
