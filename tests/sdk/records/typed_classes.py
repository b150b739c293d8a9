"""Classes of users for the data of records."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
from decimal import Decimal
from typing import Any, Literal, NotRequired
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict  # pydantic refuses that of typing on Python 3.11


class Stage(enum.Enum):
    """The stages of a deal."""

    OPEN = "open"
    WON = "won"


class Deal(BaseModel):
    """A model with defaults."""

    title: str
    stage: str = "open"
    note: str | None = None
    tags: list[str] = []


class Site(BaseModel):
    """A nested model with aliases."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    city: str
    number_of_storeys: int = 1
    post_code: str | None = None


class Line(BaseModel):
    """An element of an array."""

    sku: str
    quantity: int = 1


class Rich(BaseModel):
    """A model whose fields are stored in other forms."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    deal_title: str = "t"
    rate: Decimal = Decimal(1)
    at: dt.datetime | None = None
    stage: Stage = Stage.OPEN
    site: Site | None = None
    lines: list[Line] = []
    labels: set[str] = set()
    extra_data: dict[str, Any] = {}
    number: int | None = None


@dataclasses.dataclass
class Plain:
    """A dataclass with a random default."""

    title: str
    stage: str = "open"
    tags: list[str] = dataclasses.field(default_factory=list)
    token: UUID = dataclasses.field(default_factory=uuid4)


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A dataclass that cannot be edited."""

    title: str
    stage: str = "open"


class Typed(TypedDict):
    """A dict with known keys."""

    title: str
    stage: NotRequired[str]
    note: NotRequired[str]


class Open(BaseModel):
    """A member of a union."""

    kind: Literal["open"] = "open"
    due: str | None = None


class Won(BaseModel):
    """Another member of the union."""

    kind: Literal["won"] = "won"
    amount: int
