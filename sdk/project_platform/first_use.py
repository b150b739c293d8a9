"""Imports and preparations that happen once in a process, on first use, and that a fork must not interrupt.

In a child of a fork, a thread of the parent that was in the middle of it does not exist: the child would wait for the module
lock, or for pydantic's own lock, without end.
"""

from __future__ import annotations

import datetime
import os
import sys
import threading
from typing import Final


class _Importing:
    """A lock, while which is held the classes of `datetime` are the real ones.

    Libraries that freeze the time in tests put others in their place, which pydantic does not take. They also read each name
    of each module, and so import what is imported on first use.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._real = {name: _real(getattr(datetime, name)) for name in ("date", "datetime")}
        self._frozen: list[dict[str, type]] = []  # of each `with` statement, what was in the place of the real classes

    def __enter__(self) -> None:
        self.lock.acquire()
        frozen: dict[str, type] = {}
        if datetime.datetime is not self._real["datetime"]:  # rarely, and each access of a resource comes here
            frozen = {name: getattr(datetime, name) for name in self._real}
            _put(self._real)
        self._frozen.append(frozen)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            _forget_parts()
        if frozen := self._frozen.pop():
            _put(frozen)
        self.lock.release()


def _forget_parts() -> None:
    """Forget the modules of packages whose import was interrupted: Python forgets the package alone, which then is never imported whole."""
    for name in [name for name in sys.modules if "." in name and name.rpartition(".")[0] not in sys.modules]:
        del sys.modules[name]


def _put(classes: dict[str, type]) -> None:
    for name, kind in classes.items():
        setattr(datetime, name, kind)


def _real(kind: type) -> type:
    return next((base for base in kind.__mro__ if base.__module__ == "datetime"), kind)


IMPORTING: Final[_Importing] = _Importing()
"""Held while a module is imported on first use; a fork waits for it."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=IMPORTING.lock.acquire, after_in_parent=IMPORTING.lock.release, after_in_child=IMPORTING.lock.release
    )


class _EachType:
    """A model with a field of each type that responses have."""


def validate_each_type() -> None:
    """Validate a value of each type that responses have, which takes 0.1 ms.

    pydantic prepares the reading of keys, identifiers, dates and numbers when it reads the first of them.
    """
    from pydantic_core import SchemaValidator, core_schema

    schemas = {
        "identifier": core_schema.uuid_schema(),
        "instant": core_schema.datetime_schema(),
        "day": core_schema.date_schema(),
        "known": core_schema.literal_schema(["known"]),
        "ratio": core_schema.nullable_schema(core_schema.float_schema()),
        "counts": core_schema.list_schema(core_schema.int_schema()),
        "free": core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()),
    }
    fields = {name: core_schema.model_field(schema) for name, schema in schemas.items()}
    SchemaValidator(core_schema.model_schema(_EachType, core_schema.model_fields_schema(fields))).validate_json(
        b'{"identifier": "00000000-0000-4000-8000-000000000000", "instant": "2026-01-31T00:00:00Z", "day": "2026-01-31",'
        b' "known": "known", "ratio": 0.5, "counts": [1], "free": {"key": [1, 0.5, true, null, {}]}}'
    )
