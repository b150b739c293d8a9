"""`ChangeOptions`: how changes of records are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from ..calls.operation import UNSET, Unset
from ..errors import UsageError
from ..json_values.merge import Merge
from .operation_tokens import OperationTokens

Guard: TypeAlias = Literal["touched", "exact", "all"] | Iterable[str] | None
"""The data that a change guards: the keys it touches, the same and only if exactly, all keys of the snapshot, the keys listed, or
nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """Options of the changes of a type of record, as in `records.of("deal", Deal, change_options=...)`.

    Attributes:
        guard: The data that must still be as it was for the change to be applied: the keys that it touches
            (`"touched"`), `"all"` keys of the record, the keys listed, or None for no guard. `"exact"` guards the keys that
            it touches, and refuses a change with a `WeakGuardError` unless that requires the exact old value of each path.
        status: Whether the record's status must still be as it was.
        merge: How the service merges data, if you know it: `"shallow"`, or `"deep"` as RFC 7396. With `"any"`, a change
            is made only if it means the same either way. The default is the merge in the client's capabilities, and
            `"any"` if they do not have one.
        tokens: Operation tokens, which distinguish each change from all others; None for none. A lost response to a
            change with tokens is always settled.

    Raises:
        UsageError: A value is not one of those above.
    """

    guard: Guard = "touched"
    status: bool = False
    merge: Merge | Unset = UNSET
    tokens: OperationTokens | None = None

    def __post_init__(self) -> None:
        # A guard may be given as an iterator; each change that is made needs its keys.
        object.__setattr__(self, "guard", _checked_guard(self.guard))
        check_flag("status", self.status)
        if not isinstance(self.merge, Unset) and self.merge not in get_args(Merge):
            raise UsageError(f'merge is {self.merge!r}; give "any", "shallow" or "deep", or leave it out')
        _check_tokens(self.tokens)


def checked_change_options(value: object) -> ChangeOptions:
    """Return change options.

    Raises:
        UsageError: The value is something else.
    """
    if not isinstance(value, ChangeOptions):
        raise UsageError(
            f"change_options is of type {type(value).__name__}; give ChangeOptions(guard=..., status=...), which "
            "project_platform exports"
        )
    return value


def check_flag(name: str, value: object) -> None:
    """Raise `UsageError` unless a value is True or False."""
    if not isinstance(value, bool):
        raise UsageError(f"{name} is {value!r}; give True or False")


def _checked_guard(guard: object) -> Guard:
    if guard is None:
        return None
    if guard == "touched":
        return "touched"
    if guard == "exact":
        return "exact"
    if guard == "all":
        return "all"
    # A mapping looks like expected data, and its values would be ignored.
    if isinstance(guard, str | bytes | Mapping) or not isinstance(guard, Iterable):
        raise UsageError(f'guard is {guard!r}; give "touched", "exact", "all", a list of keys, or None')
    keys: list[str] = []
    for key in cast("Iterable[object]", guard):
        if not isinstance(key, str):
            raise UsageError(
                f"guard lists {key!r}, which is of type {type(key).__name__}; the keys of a record must be strings"
            )
        keys.append(key)
    return tuple(keys)


def _check_tokens(tokens: object) -> None:
    if tokens is not None and not isinstance(tokens, OperationTokens):
        raise UsageError(f"tokens is of type {type(tokens).__name__}; give OperationTokens(), or None for none")


DEFAULT_CHANGE_OPTIONS: Final = ChangeOptions()
