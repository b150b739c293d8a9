"""Base classes of the generated models, and the type of fields that responses are expected to have.

A response field `name: Expected[str] = absent()` is a `str` to every type checker. Where a response lacks it, or has null
there, the instance has no such attribute: it is in neither `__dict__`, `repr`, `model_dump`, `==` nor a pickle, and access
raises `FieldMissingError`. A field that is present costs one union choice inside pydantic-core.

Representations show secret fields by their keys. A notebook keeps the representation of every value, and a log of many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeVar, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticCustomError, PydanticOmit, core_schema

from ..display import text
from ..errors import FieldMissingError
from ..masking import SECRET, by_keys, masked

T = TypeVar("T")

_NOTHING: Final = object()
# fmt: off
_DEPRECATED: Final = frozenset({
    "construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "schema", "schema_json",
    "update_forward_refs", "validate",
})
# fmt: on

_METHODS: Final = ("model_copy", "model_dump", "model_dump_json", "model_extra", "model_fields_set")

# Pydantic puts the label of a union's choice into the location of an error; `problems` takes these out again.
_TYPE_LABEL: Final = ""
_ABSENT_LABEL: Final = "?"


def absent() -> Any:
    """Return the default of an expected field. Each field needs its own: pydantic 2.11 modifies the `FieldInfo`."""
    # A factory, since `model_json_schema` warns about a default that is not JSON.
    return Field(default_factory=lambda: _NOTHING, validate_default=True)


def _omit(value: object) -> None:
    if value is None or value is _NOTHING:
        raise PydanticOmit
    raise PydanticCustomError("not_absent", "The value is neither null nor missing")


def _omit_or(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    if value is None or value is _NOTHING:
        raise PydanticOmit
    return handler(value)


class _ExpectedSchema:
    """Core schema of an expected field: its type, or a validator that omits the field for null and for the default."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        inner = handler(source)
        if inner["type"] == "list":  # half a megabyte of wrong items would make half a gigabyte of errors
            cast("dict[str, Any]", inner)["fail_fast"] = True
        nothing = core_schema.no_info_plain_validator_function(_omit)
        choices: list[core_schema.CoreSchema | tuple[core_schema.CoreSchema, str]] = [
            (inner, _TYPE_LABEL),
            (nothing, _ABSENT_LABEL),
        ]
        lax = core_schema.union_schema(choices, mode="left_to_right")
        # Pydantic writes with the strict schema; with a union, it would warn about each field that a value inside lacks.
        return core_schema.lax_or_strict_schema(lax, core_schema.no_info_wrap_validator_function(_omit_or, inner))


Expected = Annotated[T, _ExpectedSchema()]
"""Type of a field that responses are expected to have; its default is `absent()`."""


def problems(error: ValidationError) -> list[ErrorDetails]:
    """Return where a value does not fit its model, without the labels that expected fields add to locations."""
    details = [detail for detail in error.errors(include_url=False) if _ABSENT_LABEL not in detail["loc"]]
    for detail in details:
        detail["loc"] = tuple(part for part in detail["loc"] if part != _TYPE_LABEL)
    return details


if TYPE_CHECKING:  # with a metaclass of our own, type checkers do not check the arguments of models
    _Base = BaseModel
else:

    class _CompletingMeta(type(BaseModel)):
        """Leaves pydantic's deprecated methods out of completion; IPython without jedi asks the class as well."""

        def __dir__(cls) -> list[str]:
            return [name for name in super().__dir__() if name not in _DEPRECATED]

    class _Base(BaseModel, metaclass=_CompletingMeta):
        pass


class Model(_Base, frozen=True):
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

    if not TYPE_CHECKING:  # with it, type checkers accept every misspelt attribute

        def __getattr__(self, name: str) -> Any:
            fields = type(self).model_fields
            if name in fields:
                raise FieldMissingError(type(self).__name__, name, fields[name].alias)
            return super().__getattr__(name)

    def _sent_members(self) -> dict[str, Any]:
        """Return the fields that were given, by their names on the wire."""
        fields, given = type(self).model_fields, self.model_fields_set
        members = {fields[name].alias or name: value for name, value in vars(self).items() if name in given}
        return {**members, **(self.model_extra or {})}

    def __dir__(self) -> list[str]:
        """Return the names of the fields that are there, known or not, and of the methods that a value is used with."""
        special = [name for name in super().__dir__() if name.startswith("__")]
        return [*vars(self), *(self.model_extra or {}), *_METHODS, *special]

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        # All representations use these: repr, str, rich and devtools.
        fields = type(self).model_fields
        for name, value in super().__repr_args__():
            if name in fields and SECRET in fields[name].metadata:
                yield name, by_keys(value)
            else:
                yield name, masked(value, name)

    def __repr__(self) -> str:
        line = super().__repr__()
        return line if len(line) <= text.WIDTH else text.block(self)

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        from ..display.html import row_html

        return row_html(self)

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Same as pydantic's; expected fields that are not given are absent."""
        model = super().model_construct(_fields_set, **values)
        attributes: dict[str, Any] = vars(model)
        for name in [name for name, value in attributes.items() if value is _NOTHING]:
            del attributes[name]
        return model


class RequestModel(Model, frozen=True):
    """A value that is only ever sent: what the contract does not know is a mistake."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise ValueError("null is not shown in the specification; leave it out, or give UNSET")
    return value


NotNull: Final = BeforeValidator(_refuse_null)
"""A field that may be left out and may not be null."""
