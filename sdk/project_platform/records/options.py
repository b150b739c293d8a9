"""`ChangeOptions`: how changes of records are made, and whether a lost answer is looked into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from ..calls.operation import UNSET, Unset
from ..errors import UsageError
from ..json_values.merge import Merge
from .operation_tokens import OperationTokens

Guard: TypeAlias = Literal["touched", "all"] | Iterable[str] | None
"""The data that a change guards: the keys it touches, all keys of the snapshot, the keys listed, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """How changes of records are made, and whether a lost answer is looked into.

    `records.change`, `records.edit` and `records.modify` take it as `change_options`. Keep one as a constant for the
    records that need it, and vary it with `dataclasses.replace`.

    Attributes:
        guard: The data that must still be as it was for the change to be applied: the keys that it touches
            (`"touched"`), `"all"` keys of the record, the keys listed, or None for no guard.
        status: Whether the record's status must still be as it was.
        require_exact_guard: Whether to refuse a change, with a `WeakGuardError`, unless its guard requires the exact
            old value of every path that it touches.
        merge: How the service merges data, if you know it: `"shallow"`, or `"deep"` as RFC 7396. With `"any"`, a change
            is made only if it means the same either way. The default is the merge in the client's capabilities, and
            `"any"` if they do not have one.
        tokens: Operation tokens, which distinguish each change from all others; None for none. A lost answer to a
            change with tokens is always looked into.
        probe: Whether to look into a lost answer by an update that changes nothing. No document says that such an
            update has no other effect: it may set `updated_at` or fire triggers. The default is True if the client's
            capabilities say that it leaves no trace, and False otherwise.

    Raises:
        UsageError: A value is not one of those above.
    """

    guard: Guard = "touched"
    status: bool = False
    require_exact_guard: bool = False
    merge: Merge | Unset = UNSET
    tokens: OperationTokens | None = None
    probe: bool | Unset = UNSET

    def __post_init__(self) -> None:
        # A guard may be given as an iterator; each change that is made needs its keys.
        object.__setattr__(self, "guard", _checked_guard(self.guard))
        check_flag("status", self.status)
        check_flag("require_exact_guard", self.require_exact_guard)
        if not isinstance(self.merge, Unset) and self.merge not in get_args(Merge):
            raise UsageError(f'merge is {self.merge!r}; give "any", "shallow" or "deep", or leave it out')
        _check_tokens(self.tokens)
        check_flag("probe", self.probe, may_be_unset=True)


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


def check_flag(name: str, value: object, *, may_be_unset: bool = False) -> None:
    """Raise `UsageError` unless a value is True or False."""
    if not isinstance(value, bool) and not (may_be_unset and value is UNSET):
        raise UsageError(f"{name} is {value!r}; give True or False{', or leave it out' if may_be_unset else ''}")


def _checked_guard(guard: object) -> Guard:
    if guard is None:
        return None
    if guard == "touched":
        return "touched"
    if guard == "all":
        return "all"
    # A mapping looks like expected data, and its values would be ignored.
    if isinstance(guard, str | bytes | Mapping) or not isinstance(guard, Iterable):
        raise UsageError(f'guard is {guard!r}; give "touched", "all", a list of keys, or None')
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
