"""What is known of a deployment where the specification is silent, and what the SDK does with that.

Nothing is known by default, and nothing is guessed. What is known changes what is sent, and never how often: `retry.py`
and `settle.py` decide about that, and do not ask here.
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
from .operation import Call

T = TypeVar("T")

CapabilitiesSource: TypeAlias = "Capabilities | str | os.PathLike[str]"
"""Capabilities, or the path of a file of facts."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is known of a deployment; None is not known.

    `load` reads them from a file of facts, which a run of the contract suite saw. Given by hand, they are your word.

    Attributes:
        permission_parameter: Name of the query parameter of `auth.check_permission`.
        merge: How an update of a record merges data: at the top level, or all the way down.
        nested_nulls: What becomes of a null inside of a value that is merged: it is kept, or it goes.
        no_op_update: Whether an update that changes nothing changes `updated_at`.
        encoded_slash: Whether `%2F` in a path is part of a segment, or ends it as behind some proxies.
        target: Base URL of the deployment that was seen, which then has to be the client's; None if it is yours to know.

    Raises:
        UsageError: A value is not one of those that there are.
    """

    permission_parameter: str | None = None
    merge: Literal["shallow", "deep"] | None = None
    nested_nulls: Literal["keep", "strip"] | None = None
    no_op_update: Literal["touch", "ignore"] | None = None
    encoded_slash: Literal["data", "separator"] | None = None
    target: str | None = None

    def __post_init__(self) -> None:
        for name, (_, known) in _FACTS.items():
            if (value := getattr(self, name)) is not None and not _fits(value, known):
                expected = f"one of {', '.join(known)}" if known else "the name of a query parameter"
                raise UsageError(f"capabilities.{name} is {value!r}; give {expected}, or None where it is not known")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Capabilities:
        """Return what a file of facts says; `project-platform contract` writes one.

        A fact that was seen with different values, or with a value that is not known here, is not known.

        Args:
            path: The file, which is JSON.

        Raises:
            UsageError: It cannot be read, or is no file of facts.
        """
        try:
            document: Any = exact_json.loads(Path(path).read_bytes())
        except OSError as error:
            raise UsageError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{os.fspath(path)} is no JSON: {error}") from None
        facts, target = (document.get("facts"), document.get("target")) if is_object(document) else (None, None)
        if not is_object(facts) or not isinstance(target, str):
            raise UsageError(
                f"{os.fspath(path)} is no file of facts, which has `target` and `facts`; a profile says what a stub is to "
                "do, and not what was seen"
            )
        seen = {name: _value(facts.get(key), known) for name, (key, known) in _FACTS.items()}
        return cls(**seen, target=target)

    @property
    def merges(self) -> Literal["any", "shallow", "deep"]:
        """How changes of records are made where `merge` is not given: as the service merges, if all of that is known.

        Without knowing what becomes of nested nulls, a merge is half known. Then it is "any".
        """
        if (self.merge, self.nested_nulls) == ("shallow", "keep"):
            return "shallow"
        # What RFC 7396 says: a deep merge in which nulls delete at every depth.
        return "deep" if (self.merge, self.nested_nulls) == ("deep", "strip") else "any"

    @property
    def probes(self) -> bool:
        """Whether a lost answer is looked into where `probe` is not given: if looking was seen to leave no trace."""
        return self.no_op_update == "ignore"

    def fitted(self, call: Call[T]) -> Call[T]:
        """Return a call as this deployment takes it.

        Raises:
            UsageError: It would be taken for another; nothing was sent.
        """
        if self.encoded_slash == "separator" and "%2F" in call.path.partition("?")[0].upper():
            raise UsageError(
                f"{call.operation.id}: an identifier has a slash in it, and this deployment was seen to take %2F for a "
                "separator (capabilities.encoded_slash), so it would mean something else; nothing was sent",
                operation_id=call.operation.id,
            )
        if self.permission_parameter is not None and call.operation.id == "auth_check_permission":
            name = quote(self.permission_parameter, safe="")
            return replace(call, path=call.path.replace("?permission=", f"?{name}=", 1))
        return call


_FACTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "permission_parameter": ("permissionParameter", ()),
    "merge": ("merge", ("shallow", "deep")),
    "nested_nulls": ("nestedNulls", ("keep", "strip")),
    "no_op_update": ("noOpUpdate", ("touch", "ignore")),
    "encoded_slash": ("encodedSlash", ("data", "separator")),
}
"""The fields, each with the key of its fact and the values that there are; none where any text will do."""

NOTHING_KNOWN: Final = Capabilities()


def _fits(value: object, known: tuple[str, ...]) -> bool:
    if known:
        return value in known
    return isinstance(value, str) and value != "" and all("!" <= character <= "~" for character in value)


def _value(fact: Any, known: tuple[str, ...]) -> Any:
    value = fact.get("value") if is_object(fact) else None  # a list of values is known to be none of them
    return value if _fits(value, known) else None
