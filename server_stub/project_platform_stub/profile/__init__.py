"""The profile: the behaviour of the stub where the specification is silent, as a set of switches.

The defaults are what `openapi.yaml` and the documentation assume.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic.alias_generators import to_camel, to_snake

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import Document, DocumentError, Problems, plain, read_document
from project_platform_stub.documents.schema import compiled_schema
from project_platform_stub.http.messages import write_json

__all__ = ["Profile", "RateLimit", "load_profile", "read_profile"]


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Maximum number of requests of an identity in a time window.

    In a list, it counts from `after_seconds` after the first request of a world, until the next limit does.
    """

    requests: int
    per_seconds: float
    after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """The switches of the stub.

    In a file, and in `from_mapping` and `as_mapping`, their names are in camelCase: `createdStatus`.

    Attributes:
        created_status: Status of the operations that create something (`x-stub.created` in `openapi.yaml`).
        success_status: Statuses by operation id; they take precedence over `created_status`. That of `labels_export` is
            200 by the specification.
        invalid_status: Status for an invalid body or parameter. Of `labels_export` it is 400 by the specification.
        unknown_project_status: Status for a project that does not exist, or that the caller is not a member of. Of
            `labels_export` it is 403 by the specification.
        permission_parameter: Name of the query parameter of `auth_check_permission`.
        merge: How an update merges data: at the top level only, or recursively (RFC 7396).
        nested_nulls: Whether a shallow merge keeps nulls inside values, or strips them like PostgreSQL's
            `jsonb_strip_nulls`. A deep merge never keeps them.
        containment_arrays: When an array of `expectedData` is contained: regardless of order and count, as the first
            elements, or only in an array of the same length.
        memory_metadata: Whether an update of a memory entry replaces its metadata, or merges it at the top level.
        default_limit: Items on a page for requests without a limit.
        permissions: Permissions by operation id, where they differ from the stub's assumption; None for none.
        external_id: Effect of the creation of a record with the `externalId` of another record of its type: another record
            (`free`), a 409 (`unique`), or an update of the existing record (`upsert`).
        no_op_update: Whether an update without changes sets `updatedAt` and `updatedBy`.
        encoded_slash: Whether `%2F` in a path is part of a segment, or separates segments as behind some proxies.
        retry_after: Form of the `Retry-After` header on a 429 of the rate limit; `none` sends no header.
        rate_limit: Limit beyond which an identity gets a 429, or several that follow each other; None for no limit.
        capacity: Number of requests that a world carries out in a second, one after the other; further requests wait. None for
            no limit.
        unknown_fields: Whether body fields that the contract does not name are ignored or refused.
        publish_due_posts: Whether a scheduled post is published once it is due.

    Raises:
        DocumentError: A switch has an invalid value.
    """

    created_status: int = 201
    success_status: Mapping[str, int] = field(default_factory=dict)
    invalid_status: Literal[400, 422] = 400
    unknown_project_status: Literal[403, 404] = 403
    permission_parameter: str = "permission"
    merge: Literal["shallow", "deep"] = "shallow"
    nested_nulls: Literal["keep", "strip"] = "keep"
    containment_arrays: Literal["subset", "prefix", "equal"] = "subset"
    memory_metadata: Literal["replaced", "merged"] = "replaced"
    default_limit: int = 50
    permissions: Mapping[str, str | None] = field(default_factory=dict)
    external_id: Literal["free", "unique", "upsert"] = "free"
    no_op_update: Literal["touch", "ignore"] = "touch"
    encoded_slash: Literal["data", "separator"] = "data"
    retry_after: Literal["none", "seconds", "date"] = "none"
    rate_limit: RateLimit | tuple[RateLimit, ...] | None = None
    capacity: float | None = None
    unknown_fields: Literal["ignore", "refuse"] = "ignore"
    publish_due_posts: bool = True

    def __post_init__(self) -> None:
        compiled_schema("profile/profile.schema.json").check(Document("profile", self.as_mapping()))
        for name in ("success_status", "permissions"):
            # A read-only copy, because a profile is a value.
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Profile:
        """Return the profile of a mapping.

        Args:
            mapping: Switches by their names in camelCase; missing switches have their defaults.

        Raises:
            DocumentError: A switch is unknown, or has an invalid value.
        """
        return _profile(Document("profile", dict(mapping)))

    def as_mapping(self) -> dict[str, Any]:
        """Return all switches as JSON, by their names in camelCase."""
        return {
            **{switch: getattr(self, name) for switch, name in _SWITCHES.items()},
            "successStatus": dict(self.success_status),
            "permissions": dict(self.permissions),
            "rateLimit": _mapping_of(self.rate_limit),
        }

    def status_of(self, operation_id: str) -> int:
        """Return the success status of an operation."""
        default = self.created_status if load_contract().operations[operation_id].created else 200
        return self.success_status.get(operation_id, default)

    def needed(self, operation_id: str) -> str | None:
        """Return the permission that an operation needs; None if it needs only membership."""
        return self.permissions.get(operation_id, load_contract().operations[operation_id].permission)


def load_profile(path: str | Path) -> Profile:
    """Return the profile of a YAML or JSON file: a profile, or a fact file of the contract suite.

    Raises:
        DocumentError: The file cannot be read or is not valid; the message lists file, line and switch of every problem.
    """
    profile, _ = read_profile(path)
    return profile


def read_profile(path: str | Path) -> tuple[Profile, Mapping[str, str]]:
    """Return the profile of a file, and the facts in it that the profile leaves out, each with the reason.

    Raises:
        DocumentError: The file cannot be read or is not valid; the message lists file, line and switch of every problem.
    """
    document = read_document(Path(path))
    # No switch is called `facts`.
    is_fact_file = isinstance(document.value, Mapping) and "facts" in document.value
    return _from_facts(document) if is_fact_file else (_profile(document), {})


def _from_facts(document: Document) -> tuple[Profile, Mapping[str, str]]:
    """Return the profile of a fact file, and the facts that it leaves out, each with the reason."""
    compiled_schema("profile/facts.schema.json").check(document)
    problems = Problems(document)
    switches: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for key, fact in document.value["facts"].items():
        switch = _switch(key)
        if switch is None:
            left_out[key] = "the profile has no switch for it"
            continue
        name, member = switch
        observed = [observation["value"] for observation in (fact if isinstance(fact, list) else [fact])]
        distinct = sorted({write_json(value).decode() for value in observed})
        if len(distinct) > 1:
            problem = f"has different values, {' and '.join(distinct)}; keep one, or remove the fact"
            problems.add(("facts", key), problem)
        setting = observed[0] if member is None else {member: observed[0]}
        try:
            compiled_schema("profile/profile.schema.json").check(Document("profile", {name: setting}))
        except DocumentError as error:
            problem = error.problems[0].rpartition(": ")[2]
            left_out[key] = f"the switch does not support the value {distinct[0]}: it {problem}"
            continue
        switches[name] = setting if member is None else {**switches.get(name, {}), **setting}
    problems.raise_any()
    return _profile(Document(document.name, switches)), left_out


def _switch(key: str) -> tuple[str, str | None] | None:
    """Return the switch of a fact, and the member if the switch has members; None if no switch belongs to the fact."""
    name, dot, member = key.partition(".")
    if name in _WITH_MEMBERS:
        operation = load_contract().operations.get(member)
        chosen = operation is not None and not (name == "successStatus" and operation.statuses_stated)
        return (name, member) if chosen else None
    return None if dot or name not in _SWITCHES else (name, None)


def _profile(document: Document) -> Profile:
    compiled_schema("profile/profile.schema.json").check(document)
    switches = {_SWITCHES[switch]: plain(value) for switch, value in document.value.items() if switch in _SWITCHES}
    if limit := switches.get("rate_limit"):
        switches["rate_limit"] = tuple(map(_rate_limit, limit)) if isinstance(limit, list) else _rate_limit(limit)
    return Profile(**switches)


def _rate_limit(limit: Mapping[str, Any]) -> RateLimit:
    return RateLimit(**{to_snake(name): value for name, value in limit.items()})


def _mapping_of(limit: RateLimit | tuple[RateLimit, ...] | None) -> Any:
    if isinstance(limit, RateLimit):
        after = {"afterSeconds": limit.after_seconds} if limit.after_seconds else {}
        return {"requests": limit.requests, "perSeconds": limit.per_seconds, **after}
    return None if limit is None else [_mapping_of(one) for one in limit]


_SWITCHES = {to_camel(switch.name): switch.name for switch in fields(Profile)}
_WITH_MEMBERS = {"successStatus", "permissions"}  # Their facts have keys such as `successStatus.records_create`.
