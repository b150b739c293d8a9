"""The profile: what the stub does where the specification is silent, each as a switch.

A profile without switches is what `openapi.yaml` and the documentation assume.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import Document, DocumentError, read_document
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.http.json import write_json

from .fact_file import is_fact_file, settled_facts


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many requests that an identity may make in a stretch of time."""

    requests: int
    per_seconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """The switches, each with what the stub assumes.

    In a file, and in `from_mapping` and `as_mapping`, their names are written in camelCase: `createdStatus`.

    Attributes:
        created_status: Status of the operations that create something (`x-stub.created` in `openapi.yaml`).
        success_status: Statuses of single operations, by operation id; they go before `created_status`. That of
            `labels_export` is 200 by the specification.
        invalid_status: Status where a body or a parameter does not fit. Of `labels_export` it is 400 by the specification.
        unknown_project_status: Status where a project does not exist, or the caller is no member of it. Of
            `labels_export` it is 403 by the specification.
        permission_parameter: Name of the query parameter of `auth_check_permission`.
        merge: How an update merges data: at the top level, or all the way down as RFC 7396 has it.
        nested_nulls: Whether a shallow merge keeps nulls inside of values, or strips them as PostgreSQL's
            `jsonb_strip_nulls` does. A deep merge never keeps them.
        default_limit: Items on a page where the request names no limit.
        permissions: Permissions that operations need, by operation id, where they differ from those that the stub
            assumes; None for none.
        duplicate_external_id: What creating a record does whose `externalId` another record of its type has: make another
            record, answer 409, or update the one that is there.
        no_op_update: Whether an update that changes nothing changes `updatedAt` and `updatedBy`.
        encoded_slash: Whether `%2F` in a path is part of a segment, or ends it as behind some proxies.
        retry_after: Whether and how the stub's own 429 and 503 say when to come back.
        rate_limit: Beyond what an identity gets 429; None for no limit.
        unknown_fields: What is done with members of a body that the contract does not name.
        publish_due_posts: Whether a scheduled post whose time has come reads as published.

    Raises:
        DocumentError: A switch has a value that it does not take.
    """

    created_status: int = 201
    success_status: Mapping[str, int] = field(default_factory=dict)
    invalid_status: Literal[400, 422] = 400
    unknown_project_status: Literal[403, 404] = 403
    permission_parameter: str = "permission"
    merge: Literal["shallow", "deep"] = "shallow"
    nested_nulls: Literal["keep", "strip"] = "keep"
    default_limit: int = 50
    permissions: Mapping[str, str | None] = field(default_factory=dict)
    duplicate_external_id: Literal["allow", "conflict", "update"] = "allow"
    no_op_update: Literal["touch", "ignore"] = "touch"
    encoded_slash: Literal["data", "separator"] = "data"
    retry_after: Literal["none", "seconds", "date"] = "none"
    rate_limit: RateLimit | None = None
    unknown_fields: Literal["ignore", "refuse"] = "ignore"
    publish_due_posts: bool = True

    def __post_init__(self) -> None:
        _schema().check(Document("profile", self.as_mapping()))
        for name in ("success_status", "permissions"):
            # A copy that nobody can change: a profile is a value.
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Profile:
        """Return the profile that a mapping describes, as a file would.

        Args:
            mapping: Switches by their names in camelCase; those that are missing have their defaults.

        Raises:
            DocumentError: A switch is not known, or has a value that it does not take.
        """
        return _profile(Document("profile", dict(mapping)))

    def as_mapping(self) -> dict[str, Any]:
        """Return all switches as JSON, by their names in camelCase."""
        limit = self.rate_limit
        return {
            **{switch: getattr(self, name) for switch, name in _SWITCHES.items()},
            "successStatus": dict(self.success_status),
            "permissions": dict(self.permissions),
            "rateLimit": None if limit is None else {"requests": limit.requests, "perSeconds": limit.per_seconds},
        }

    def status_of(self, operation_id: str) -> int:
        """Return the status of an operation's success."""
        default = self.created_status if load_contract().operations[operation_id].created else 200
        return self.success_status.get(operation_id, default)

    def needed(self, operation_id: str) -> str | None:
        """Return the permission that an operation needs; None where any member may ask."""
        return self.permissions.get(operation_id, load_contract().operations[operation_id].permission)


def load_profile(path: str | Path) -> Profile:
    """Return the profile of a YAML or JSON file: of switches, or of facts that a run of the contract suite saw.

    Raises:
        DocumentError: It cannot be read, or is no profile; the text names file, line and switch of every problem.
    """
    profile, _ = read_profile(path)
    return profile


def read_profile(path: str | Path) -> tuple[Profile, Mapping[str, str]]:
    """Return the profile of a file, and the facts in it that are no part of the profile, each with the reason.

    Raises:
        DocumentError: It cannot be read, or is no profile; the text names file, line and switch of every problem.
    """
    document = read_document(Path(path))
    return _from_facts(document) if is_fact_file(document) else (_profile(document), {})


def _from_facts(document: Document) -> tuple[Profile, Mapping[str, str]]:
    """Return the profile that does what the facts say, and the facts that it cannot follow, each with the reason."""
    switches: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for key, value in settled_facts(document, lambda key: _switch(key) is not None).items():
        switch = _switch(key)
        if switch is None:
            left_out[key] = "there is no switch for it"
            continue
        name, member = switch
        given = value if member is None else {member: value}
        try:
            _schema().check(Document("profile", {name: given}))
        except DocumentError as error:
            problem = error.problems[0].rpartition(": ")[2]
            left_out[key] = f"the stub cannot do as {write_json(value).decode()} says: {problem}"
            continue
        switches[name] = given if member is None else {**switches.get(name, {}), **given}
    return _profile(Document(document.name, switches)), left_out


def _switch(key: str) -> tuple[str, str | None] | None:
    """Return the switch that a fact is about, and the member that it is about if the switch has members."""
    name, dot, member = key.partition(".")
    if name in _WITH_MEMBERS:
        operation = load_contract().operations.get(member)
        chosen = operation is not None and not (name == "successStatus" and operation.statuses_stated)
        return (name, member) if chosen else None
    return None if dot or name not in _SWITCHES else (name, None)


def _profile(document: Document) -> Profile:
    _schema().check(document)
    given = {_SWITCHES[switch]: _whole(value) for switch, value in document.value.items() if switch in _SWITCHES}
    if limit := given.get("rate_limit"):
        given["rate_limit"] = RateLimit(limit["requests"], float(limit["perSeconds"]))
    return Profile(**given)


def _whole(value: Any) -> Any:
    """Return a value with each `50.0` in it as 50: to JSON Schema both are integers."""
    if isinstance(value, Mapping):
        return {key: _whole(member) for key, member in value.items()}
    return int(value) if isinstance(value, Decimal | float) and value == int(value) else value


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("profile/profile.schema.json"), {})


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


_SWITCHES = {_camel_case(each.name): each.name for each in fields(Profile)}
_WITH_MEMBERS = {"successStatus", "permissions"}  # Facts about them are keyed `successStatus.records_create`.
