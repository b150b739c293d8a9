"""What generated models are made from."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel


class Model(BaseModel, frozen=True):
    """A value of the service: snake_case in Python, camelCase on the wire.

    Fields that the contract does not know are kept (`model_extra`), so that a newer service loses nothing.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="allow",
        protected_namespaces=(),
        hide_input_in_errors=True,
    )


class RequestModel(Model, frozen=True):
    """A value that is only ever sent: what the contract does not know is a mistake."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise ValueError("null is not shown in the specification; leave it out")
    return value


NotNull: Final = BeforeValidator(_refuse_null)
"""A field that may be left out and may not be null."""
