"""Imports and preparations that happen once in a process, on first use, and that a fork must not interrupt.

In a child of a fork, a thread of the parent that was in the middle of it does not exist: the child would wait for the module
lock, or for pydantic's own lock, without end.
"""

from __future__ import annotations

import os
import threading
from typing import Final

from pydantic_core import SchemaValidator, core_schema

IMPORTING: Final = threading.RLock()
"""Held while a module is imported on first use; a fork waits for it."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=IMPORTING.acquire, after_in_parent=IMPORTING.release, after_in_child=IMPORTING.release)


class _EachType:
    """A model with a field of each type that responses have."""


def validate_each_type() -> None:
    """Validate a value of each type that responses have, which takes 0.1 ms.

    pydantic prepares the reading of keys, identifiers, dates and numbers when it reads the first of them.
    """
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
