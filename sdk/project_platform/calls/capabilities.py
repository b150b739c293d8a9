"""`Capabilities`: facts about a deployment where the specification is silent, and how the SDK uses them.

By default no fact is known, and none is guessed. A fact changes what is sent; none changes what a call sends again. Only
`external_id` lets a create be sent twice: by bulk runs, and by `client.settle`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_object
from .operation import Call, Settling

T = TypeVar("T")

CapabilitiesSource: TypeAlias = "Capabilities | str | os.PathLike[str]"
"""Capabilities, or the path of a file of facts."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Facts about a deployment. A fact that is None is not known.

    `load` reads them from a file of facts, which a run of the contract suite writes. Facts that you give yourself are not
    checked against the deployment.

    Attributes:
        permission_parameter: Name of the query parameter of `auth.check_permission`.
        merge: How an update of a record merges data: `"shallow"`, at the top level only, or `"deep"`.
        nested_nulls: Whether a null inside a merged value is stored (`"keep"`) or deletes its key (`"strip"`).
        no_op_update: Whether an update that changes nothing sets `updated_at` (`"touch"`) or not (`"ignore"`). The SDK does
            not need it; a caller that watches `updated_at` does.
        encoded_slash: Whether `%2F` in a path is part of its segment (`"data"`), or separates segments as behind some
            proxies (`"separator"`).
        external_id: The effect of a second create with the `external_id` of a record: it is refused with 409 (`"unique"`),
            changes that record (`"upsert"`), or creates another record (`"free"`).
        target: Base URL of the deployment that the facts are about, which has to be that of the client; None to use them
            for any base URL.

    Raises:
        UsageError: A value is not one of those above.
    """

    permission_parameter: str | None = None
    merge: Literal["shallow", "deep"] | None = None
    nested_nulls: Literal["keep", "strip"] | None = None
    no_op_update: Literal["touch", "ignore"] | None = None
    encoded_slash: Literal["data", "separator"] | None = None
    external_id: Literal["unique", "upsert", "free"] | None = None
    target: str | None = None

    def __post_init__(self) -> None:
        for name, (_, known) in _FACTS.items():
            if (value := getattr(self, name)) is not None and not _fits(value, known):
                expected = f"one of {', '.join(known)}" if known else "the name of a query parameter"
                raise UsageError(f"capabilities.{name} is {value!r}; give {expected}, or None if it is not known")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Capabilities:
        """Read a file of facts, as `project-platform contract` writes it.

        A fact that was observed with several values, or with a value that this version does not have, is not known.

        Args:
            path: The file, which is JSON.

        Raises:
            UsageError: The file cannot be read, or is not a file of facts.
        """
        try:
            document: Any = exact_json.loads(Path(path).read_bytes())
        except OSError as error:
            raise UsageError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{os.fspath(path)} is not JSON: {error}") from None
        facts, target = (document.get("facts"), document.get("target", ...)) if is_object(document) else (None, ...)
        if not is_object(facts) or not isinstance(target, str | None):
            raise UsageError(
                f"{os.fspath(path)} is not a file of facts, which has `target` and `facts`; a profile configures the stub "
                "server and cannot be used here"
            )
        if wrong := next((key for key, fact in facts.items() if not isinstance(fact, dict | list)), None):
            raise UsageError(
                f'{os.fspath(path)} is not a file of facts: {wrong} is no object such as {{"value": "unique"}}'
            )
        seen = {name: _value(facts.get(key), known) for name, (key, known) in _FACTS.items()}
        return cls(**seen, target=target)

    @property
    def merges(self) -> Literal["any", "shallow", "deep"]:
        """The merge for which changes of records are made by default.

        It is "any" unless both `merge` and `nested_nulls` are known and are a merge that changes can be made for.
        """
        if (self.merge, self.nested_nulls) == ("shallow", "keep"):
            return "shallow"
        # RFC 7396: a deep merge in which nulls delete at every depth.
        return "deep" if (self.merge, self.nested_nulls) == ("deep", "strip") else "any"

    def settling(self, call: Call[Any]) -> Settling | None:
        """Return how `client.settle` finds out whether this call was applied, None if it cannot."""
        way = call.operation.settle
        given: dict[str, Any] = exact_json.loads(call.body or b"{}") if way in _SEEN else {}
        if way == "unique":
            return "unique" if self.external_id == "unique" and given.get("externalId") is not None else None
        if way == "event":  # no operation shows its texts and its time zone
            return "event" if given.keys() & _EVENT_TIMES and not given.keys() & _UNSEEN else None
        if way == "record":  # no operation shows relations
            return "record" if call.fences or given.get("relations") is None else None
        return way

    def advice(
        self, call: Call[Any], *, without_error: bool = False, verb: Literal["call", "await"] = "call"
    ) -> str | None:
        """Return what to do about a write of which it is not known whether it was applied.

        Args:
            call: The write.
            without_error: Whether there is no error that `client.settle` takes, as after an interruption.
            verb: The word before the call of `client.settle`.
        """
        if self.settling(call) is None:
            return call.operation.look
        if without_error:
            again = (
                f"that of this exception, or operations.{call.operation.id}(project_id, ...) with the same arguments"
            )
            instead = (
                "; of a change or a typed record, settle that instead" if call.operation.settle == "record" else ""
            )
            return f"{verb} client.settle(call), where call is {again}{instead}"
        return f"{verb} client.settle(error)"

    def fitted(self, call: Call[T]) -> Call[T]:
        """Return a call in the form that this deployment understands.

        Raises:
            UsageError: The deployment would take it for another call; nothing was sent.
        """
        if self.encoded_slash == "separator" and "%2F" in call.path.partition("?")[0].upper():
            raise UsageError(
                "an identifier has a slash, and this deployment takes %2F for a separator "
                "(capabilities.encoded_slash), so the path would mean something else; nothing was sent",
                operation_id=call.operation.id,
            )
        if self.permission_parameter is not None and call.operation.id == "auth_check_permission":
            name = quote(self.permission_parameter, safe="")
            return replace(call, path=call.path.replace("?permission=", f"?{name}=", 1))
        return call


_SEEN: Final = frozenset({"unique", "event", "record"})
"""The ways to settle a write that depend on what it gives."""

_EVENT_TIMES: Final = frozenset({"start", "end", "durationMinutes"})
_UNSEEN: Final = frozenset({"summary", "description", "timeZone"})

_FACTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "permission_parameter": ("permissionParameter", ()),
    "merge": ("merge", ("shallow", "deep")),
    "nested_nulls": ("nestedNulls", ("keep", "strip")),
    "no_op_update": ("noOpUpdate", ("touch", "ignore")),
    "encoded_slash": ("encodedSlash", ("data", "separator")),
    "external_id": ("externalId", ("unique", "upsert", "free")),
}
"""The fields, with the key of the fact in a file and the values that are allowed; no values mean any text."""

NOTHING_KNOWN: Final = Capabilities()


def _fits(value: object, known: tuple[str, ...]) -> bool:
    if known:
        return value in known
    return isinstance(value, str) and value != "" and all("!" <= character <= "~" for character in value)


def _value(fact: Any, known: tuple[str, ...]) -> Any:
    value = fact.get("value") if is_object(fact) else None  # several values (a list) leave the fact unknown
    return value if _fits(value, known) else None
