"""The changes of the stored data that an edit of a value of the user's class makes: each decision of typed records, without a service."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import math
from collections import deque
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar
from uuid import UUID, uuid4

import pydantic.dataclasses
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
    SecretStr,
    TypeAdapter,
    computed_field,
    create_model,
    model_validator,
)
from pydantic.alias_generators import to_camel

from project_platform import DELETE, Change, ChangeOptions, UsageError
from project_platform.json_values import exact_json
from project_platform.models import ObjectRecord
from project_platform.records import edits
from project_platform.records.lens import Lens

from .test_long_arrays import calls
from .typed_classes import Deal, Frozen, Line, Open, Plain, Rich, Site, Stage, Typed, Won

NAIVE = dt.datetime(2026, 1, 1, 11)
LONG = Decimal("0.1234567890123456789")


def edit_of(kind: Any, edit: Any, data: dict[str, Any], **options: Any) -> Change:
    """Return the change that an edit of a value makes of stored data."""
    lens: Lens[Any] = Lens(kind, strict=None)
    stored = exact_json.loads(exact_json.dumps(data))
    text = exact_json.dumps(stored)
    value = lens.read(stored)
    before = lens.write(value, stored)
    edit(value)
    edits = lens.edits(stored, before, value)
    assert exact_json.dumps(stored) == text  # nothing is shared with the snapshot
    return Change.of_edits(ObjectRecord(id="rec_1", data=stored), edits, change_options=ChangeOptions(**options))


def patch(kind: Any, edit: Any, /, **data: Any) -> dict[str, Any]:
    return edit_of(kind, edit, data).patch


def setting(**members: Any) -> Any:
    def edit(value: Any) -> None:
        for name, member in members.items():
            setattr(value, name, member)

    return edit


def misspelt(value: Any) -> Any:
    """Return a value after an edit of an attribute that its class does not have."""
    value.stgae = "won"
    return value


def nothing(value: Any) -> None:
    """Edit nothing."""


NORMALISED = {
    "dealTitle": "t", "rate": "12.50", "at": "2026-01-01T10:00:00Z", "stage": "open", "number": "7", "labels": ["z", "a", "m"],
    "site": {"city": "K", "numberOfStoreys": "2", "postCode": None}, "lines": [{"sku": "a"}],
}  # fmt: skip
COUNTED: list[Any] = [{"sku": "a", "quantity": number, "x": number} for number in (1, 2)]
TWINS: list[Any] = [{"sku": "a", "x": number} for number in (1, 2)]
LINES = [{"sku": "a", "x": 1}, {"sku": "b", "quantity": 2}, {"sku": "c", "x": 3}]


# Classes of users that have fields alone.
FixedLine = create_model("FixedLine", __config__=ConfigDict(frozen=True), sku=(str, ...))


Fixed = create_model("Fixed", lines=(list[FixedLine], ...), others=(list[FixedLine], []))


Nested = create_model(
    "Nested",
    grid=(list[list[Line]], []),
    places=(dict[str, Line], {}),
    state=(Open | Won, Field(default_factory=Open)),
    states=(list[Open | Won], Field(default_factory=list)),
    notes=(list[str], Field(default_factory=list)),
    token=(UUID, Field(default_factory=uuid4)),
)


Allowing = create_model("Allowing", __config__=ConfigDict(extra="allow"), stage=(str, ""), site=(Frozen, Frozen("")))


Sites = create_model("Sites", home=(Site, ...), work=(Site, ...))


def swap_and_edit(sites: Sites) -> None:
    sites.home, sites.work = sites.work, sites.home
    sites.home.city = "Bonn"


Queue = create_model("Queue", lines=(deque[Line], deque()), rates=(deque[Decimal], deque()))


Inner = create_model("Inner", number=(int, 0), site=(Site, Site(city="K")))


Outer = create_model("Outer", inner=(Inner, ...))


Measure = create_model("Measure", unit=(str, ...), value=(float, math.nan))


T = TypeVar("T")


@dataclasses.dataclass
class Box(Generic[T]):
    """A generic dataclass."""

    member: T


Wider = create_model("Wider", __base__=Deal, amount=(int, ...))


Priced = create_model("Priced", __base__=Line, price=(int, 0))


Secretive = create_model("Secretive", title=(str, ...), pin=(SecretStr | None, None))


Readable = create_model(
    "Readable", pin=(Annotated[SecretStr, PlainSerializer(SecretStr.get_secret_value, when_used="json")], ...)
)


Either = create_model("Either", value=(bool | int, ...))


Deferred = create_model(
    "Deferred", __config__=ConfigDict(defer_build=True), stage=(str, "open"), extra=(dict[str, Any], {})
)


Timed = create_model("Timed", times=(list[dt.datetime], []), any=(Any, None))


def edit_lines(rich: Rich) -> None:
    rich.lines[1].quantity = 5
    rich.lines.append(Line(sku="d"))


def move_lines(rich: Rich) -> None:
    rich.lines = [rich.lines[2], rich.lines[0]]


def move_site(rich: Rich) -> None:
    assert rich.site is not None
    rich.site.city = "Bonn"


def relabel(rich: Rich) -> None:
    rich.labels = {*sorted(rich.labels, reverse=True)}


def count_lines(rich: Rich) -> None:
    """Edit each element, so that one has the text that another one had."""
    for line in rich.lines:
        line.quantity += 1


def add_before(rich: Rich) -> None:
    """Edit an element, and put one before it."""
    rich.lines[0].quantity = 9
    rich.lines.insert(0, Line(sku="new"))


def count(rich: Rich) -> None:
    rich.rate += 1
    rich.number = (rich.number or 0) + 1


def forget(typed: Typed) -> None:
    del typed["note"]


class Tree(BaseModel):
    """A recursive class."""

    parts: list[Tree] = []


PATCHES: dict[str, tuple[Any, Any, dict[str, Any], dict[str, Any]]] = {
    "unknown keys stay": (Deal, setting(stage="won"), {"title": "t", "legacy": 7}, {"stage": "won"}),
    "in nested objects": (
        Rich, move_site, {"site": {"city": "Köln", "geo": [1, 2]}}, {"site": {"city": "Bonn", "geo": [1, 2]}},
    ),
    "in elements": (
        Rich, edit_lines, {"lines": LINES},
        {"lines": [LINES[0], {"sku": "b", "quantity": 5}, LINES[2], {"sku": "d", "quantity": 1}]},
    ),
    "in each element": (
        Rich, count_lines, {"lines": COUNTED},
        {"lines": [{"sku": "a", "quantity": number + 1, "x": number} for number in (1, 2)]},
    ),
    "in an element after a new one": (
        Rich, add_before, {"lines": [{"sku": "a", "x": 1}]},
        {"lines": [{"sku": "new", "quantity": 1}, {"sku": "a", "quantity": 9, "x": 1}]},
    ),
    "without one of two equal elements": (Rich, lambda rich: rich.lines.pop(0), {"lines": TWINS}, {"lines": TWINS[1:]}),
    "in a frozen element that is replaced": (
        Fixed, lambda fixed: fixed.lines.__setitem__(0, FixedLine(sku="z")), {"lines": LINES[:2]},
        {"lines": [{"sku": "z", "x": 1}, LINES[1]]},
    ),
    "in elements that move or go": (Rich, move_lines, {"lines": LINES}, {"lines": [LINES[2], LINES[0]]}),
    "another form of all fields": (Rich, nothing, NORMALISED, {}),
    "beside an edit": (Rich, setting(deal_title="u"), NORMALISED, {"dealTitle": "u"}),
    "another offset": (Rich, setting(stage=Stage.WON), {"at": "2026-01-01 11:00:00+0100"}, {"stage": "won"}),
    "a set has no order": (Rich, relabel, {"labels": [str(n) for n in range(40)]}, {}),
    "text stays text": (Rich, count, {"rate": "12.50", "number": "7"}, {"rate": "13.50", "number": "8"}),
    "defaults that the store lacks": (Deal, setting(title="u"), {"title": "t"}, {"title": "u"}),
    "a random default": (Plain, setting(title="u"), {"title": "t"}, {"title": "u"}),
    "a default that is set by name": (Deal, setting(stage="open"), {"title": "t"}, {"stage": "open"}),
    "a default that is edited in place": (Deal, lambda deal: deal.tags.append("x"), {"title": "t"}, {"tags": ["x"]}),
    "that of a dataclass": (Plain, lambda plain: plain.tags.append("x"), {"title": "t"}, {"tags": ["x"]}),
    "None deletes": (Deal, setting(note=None), {"title": "t", "note": "x"}, {"note": None}),
    "None stays absent": (Deal, setting(note=None), {"title": "t"}, {}),
    "a key that is removed": (Typed, forget, {"title": "t", "note": "x", "other": 1}, {"note": None}),
    "a field that is removed": (Deal, lambda deal: delattr(deal, "note"), {"title": "t", "note": "x"}, {"note": None}),
    "a nested default that is set by name": (
        Rich, lambda rich: setattr(rich.site, "number_of_storeys", 1), {"site": {"city": "K"}},
        {"site": {"city": "K", "numberOfStoreys": 1}},
    ),
    "arrays in arrays": (
        Nested, lambda nested: setattr(nested.grid[0][0], "quantity", 5), {"grid": [[{"sku": "a", "x": 1}], []]},
        {"grid": [[{"sku": "a", "quantity": 5, "x": 1}], []]},
    ),
    "a new deque with the same objects": (
        Queue, lambda queue: setattr(queue, "lines", deque([queue.lines[1]])), {"lines": TWINS}, {"lines": TWINS[1:]},
    ),
    "a decimal number in a deque": (
        Queue, lambda queue: queue.rates.append(Decimal("2.5")), {"rates": [1.5]}, {"rates": [1.5, 2.5]},
    ),
    "a dataclass that takes any members": (
        Allowing, setting(stage="won"), {"site": {"title": "K", "zip": 1}}, {"stage": "won"},
    ),
    "equal objects that are exchanged, one of them edited": (
        Sites, swap_and_edit, {"home": {"city": "K", "x": 1}, "work": {"city": "K", "x": 2}},
        {"home": {"city": "Bonn", "x": 2}, "work": {"city": "K", "x": 1}},
    ),
    "objects in several arrays of arrays": (
        Nested,
        lambda nested: [setattr(row[0], "quantity", 5) for row in nested.grid],
        {"grid": [[{"sku": "a", "x": 1}], [{"sku": "b", "x": 2}]]},
        {"grid": [[{"sku": "a", "quantity": 5, "x": 1}], [{"sku": "b", "quantity": 5, "x": 2}]]},
    ),
    "a union inside": (
        Nested, setting(state=Won(amount=2)), {"state": {"kind": "open", "x": 1}},
        {"state": {"kind": "won", "amount": 2, "x": 1}},
    ),
    "an element of a union": (
        Nested, lambda nested: nested.states.append(Won(amount=1)), {"states": [{"due": "d", "x": 1}]},
        {"states": [{"due": "d", "x": 1}, {"kind": "won", "amount": 1}]},
    ),
    "a nested default that the store lacks": (
        Outer, lambda outer: setattr(outer.inner, "number", 2), {"inner": {"number": 1}}, {"inner": {"number": 2}},
    ),
    "the only one, set by name": (
        Outer, lambda outer: setattr(outer.inner, "site", outer.inner.site), {"inner": {"number": 1}},
        {"inner": {"number": 1, "site": {"city": "K", "numberOfStoreys": 1}}},
    ),
    "a set in the order of the store": (
        Rich, lambda rich: rich.labels.add("k"), {"labels": ["z", "b"]}, {"labels": ["z", "b", "k"]},
    ),
    "default factories": (Nested, nothing, {}, {}),
    "one that is edited in place": (Nested, lambda nested: nested.notes.append("n"), {}, {"notes": ["n"]}),
    "a class that is built later": (Deferred, lambda later: later.extra["a"].append(1), {"extra": {"a": []}}, {"extra": {"a": [1]}}),
    "a time without an offset stays": (
        Timed, lambda timed: timed.times.append(dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC)), {"times": ["2026-01-01 10:00:00"]},
        {"times": ["2026-01-01 10:00:00", "2026-01-01T10:00:00Z"]},
    ),
    "its default that is set by name": (Deferred, setting(stage="open"), {}, {"stage": "open"}),
    "a default that is not equal to itself": (Measure, setting(unit="m"), {"unit": "cm"}, {"unit": "m"}),
    "true is not 1 in a union": (Either, setting(value=True), {"value": 1}, {"value": True}),
    "a new element of a recursive class that is equal to another": (
        Tree, lambda tree: tree.parts.insert(0, Tree()), {"parts": [{"x": 1}]}, {"parts": [{"parts": []}, {"x": 1}]}
    ),
    "true is not 1": (Rich, lambda rich: rich.extra_data.update(a=True), {"extraData": {"a": 1}}, {"extraData": {"a": True}}),
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_an_edit_changes_nothing_else(name):
    """Only what the class writes in another way than when it read it is written."""
    kind, edit, data, expected = PATCHES[name]

    assert patch(kind, edit, **data) == expected


def test_an_object_that_gets_another_key_of_a_dict_keeps_its_unknown_keys():
    """Also with an edit of the object; a new object under the same key has none."""
    data = {"places": {"back": {"sku": "a", "x": 1}, "side": {"sku": "b", "x": 2}}}

    def edit(nested: Nested) -> None:
        line = nested.places["front"] = nested.places.pop("back")
        line.quantity = 5
        nested.places["new"] = Line(sku="b")
        del nested.places["side"]

    change = edit_of(Nested, edit, data, merge="shallow")

    assert change.predicted["places"] == {
        "front": {"sku": "a", "quantity": 5, "x": 1},
        "new": {"sku": "b", "quantity": 1},
    }


@dataclasses.dataclass
class Renamed:
    """A dataclass with an alias that only pydantic knows, and with more than fields."""

    version: ClassVar[int] = 1
    places: Annotated[dict[str, Line], Field(alias="thePlaces")]


class Extras(BaseModel, extra="allow"):
    """A class with further members of one type."""

    __pydantic_extra__: dict[str, Line]


DICTS: dict[str, Any] = {
    "texts": create_model("Texts", places=(dict[str, Line], ...)),
    "numbers": create_model("Numbers", places=(dict[int, Line], ...)),
    "lists": create_model("Lists", places=(dict[str, list[Line]], ...)),
    "a root model": create_model("Roots", places=(RootModel[dict[str, Line]], ...)),
    "an alias of a dataclass": Renamed,
    "extra members": Extras,
    "the class itself": TypeAdapter(dict[str, Line]),
}


@pytest.mark.parametrize("kind", DICTS)
def test_objects_of_every_dict_may_exchange_their_keys(kind):
    """Each keeps its unknown keys."""
    one, two = {"sku": "a", "quantity": 1, "x": 1}, {"sku": "b", "quantity": 1, "x": 2}
    stored: dict[str, Any] = {"1": [one], "2": [two]} if kind == "lists" else {"1": one, "2": two}
    name = {"an alias of a dataclass": "thePlaces", "extra members": None, "the class itself": None}.get(kind, "places")

    def edit(value: Any) -> None:
        places = value if isinstance(value, dict) else value.model_extra if name is None else value.places
        places = getattr(places, "root", places)
        first, second = places
        places[first], places[second] = places[second], places[first]

    change = edit_of(DICTS[kind], edit, stored if name is None else {name: stored}, merge="shallow")

    assert change.predicted == (swapped := {"1": stored["2"], "2": stored["1"]}) or change.predicted == {name: swapped}


def test_digits_are_kept_where_they_are_read_edited_and_guarded():
    """A `Decimal` field has all digits of a number, and so has a number that is not edited."""
    got = patch(Rich, count, rate=LONG, number=7)
    assert (got["rate"].text, got["number"]) == ("1.1234567890123456789", 8)

    assert patch(Rich, lambda rich: rich.extra_data.update(a=LONG), extraData={})["extraData"]["a"].text == str(LONG)
    assert Lens(Rated, strict=None).new(Rated())["rates"][0].text == str(LONG)

    change = edit_of(Rich, lambda rich: rich.extra_data.update(n=2), {"extraData": {"rate": LONG, "n": 1}})
    assert change.patch["extraData"]["rate"].text == str(LONG)
    assert change.guard is not None
    assert change.guard["extraData"]["rate"].text == str(LONG)

    longer = LONG + Decimal("1e-19")  # the same as a float
    assert patch(Rated, lambda rated: rated.rates.__setitem__(0, longer), rates=[LONG])["rates"][0].text == str(longer)
    assert patch(Rich, setting(rate=longer), rate=LONG)["rate"].text == str(longer)
    assert patch(Rich, setting(rate=Decimal("1.10")), rate=Decimal("1.1")) == {}
    doubled = patch(Strict, lambda strict: setattr(strict, "rate", strict.rate * 2), rate=LONG, day="2026-01-01")
    assert doubled["rate"].text == str(LONG * 2)


Strict = create_model("Strict", __config__=ConfigDict(strict=True), rate=(Decimal, ...), day=(dt.date | None, None))


Rated = create_model("Rated", rates=(list[Decimal], [LONG]))


def test_a_dict_is_written_as_untyped_data_are():
    """A `Decimal` is a number, and a number keeps its digits under another key; an edit of the digits alone is one."""
    change = edit_of(dict[str, Any], lambda data: data.update(copy=data["rate"], share=Decimal("0.50")), {"rate": LONG})
    assert [change.patch[key].text for key in ("copy", "share")] == [str(LONG), "0.50"]

    longer = LONG + Decimal("1e-19")
    change = edit_of(dict[str, Any], lambda data: data.update(a=longer, b=[longer]), {"a": LONG, "b": [LONG]})
    assert [change.patch["a"].text, change.patch["b"][0].text] == [str(longer), str(longer)]
    assert not edit_of(dict[str, Any], nothing, {"rate": LONG, "null": None, "in": [{"null": None}]})


WithDefault = create_model("WithDefault", note=(str | None, "n"))


Holder = create_model("Holder", inner=(WithDefault, WithDefault()))


Required = create_model("Required", note=(str | None, ...))


@pydantic.dataclasses.dataclass
class Carton:
    """A dataclass of pydantic."""

    size: int = 0


@dataclasses.dataclass
class Crate(Carton):
    """A standard dataclass that derives from it."""

    wood: str = ""


Sized = create_model("Sized", box=(Carton, ...))


Days = create_model("Days", days=(list[dict[str, Line]], []), rows=(list[list[FixedLine]], []))


def exchange(value: Days) -> None:
    one, two = value.days
    one["am"], two["am"] = two["am"], one["am"]


Older = create_model(
    "Older", note=(str | None, Field(None, validation_alias=AliasChoices("note", "remark"), serialization_alias="note"))
)


TwoNames = create_model(
    "TwoNames", stage=(str, Field(default="open", validation_alias="stage", serialization_alias="Stage"))
)


def make_new(rich: Rich) -> None:
    """Replace all elements, one of them by two: which of them stayed is not known."""
    rich.lines = [Line(sku="new"), Line(sku="a", quantity=9), Line(sku="b", quantity=9)]


def count_anew(rich: Rich) -> None:
    """Replace each element by one with the text that another one had."""
    rich.lines = [Line(sku=line.sku, quantity=line.quantity + 1) for line in rich.lines]


def leave_one(rich: Rich) -> None:
    """Replace two equal elements by one."""
    rich.lines = [Line(sku="a")]


Tagged = create_model("Tagged", __config__=ConfigDict(frozen=True), name=(str, ...))


Chosen = create_model(
    "Chosen",
    lines=(Annotated[list[Line], BeforeValidator(lambda lines: [line for line in lines if "hidden" not in line])], ...),
)


Further = create_model("Further", __config__=ConfigDict(extra="allow"))


Boxes = create_model("Boxes", all=(list[Box[int]], []), typed=(Typed, Field(default_factory=lambda: Typed(title=""))))


@dataclasses.dataclass
class Mixed:
    """A class with such an object, and with the word that allows it."""

    policy: Literal["allow", "deny"] = "deny"
    further: Further = dataclasses.field(default_factory=Further)


WithSet = create_model("WithSet", tags=(set[Tagged], set()))


REFUSED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "keys of elements would be lost": (Rich, make_new, {"lines": [{"sku": "a", "x": 1}, {"sku": "b"}]}, "in place"),
    "an element that is moved and replaced by an edited one": (
        Rich,
        lambda rich: rich.lines.append(rich.lines.pop(0).model_copy(update={"quantity": 7})),
        {"lines": LINES},
        "in place",
    ),
    "a new element after one is removed": (
        Rich,
        lambda rich: (rich.lines.pop(), rich.lines.append(Line(sku="d"))),
        {"lines": LINES},
        "in place",
    ),
    "elements that are moved to another array": (
        Fixed,
        lambda fixed: fixed.others.append(fixed.lines.pop()),
        {"lines": LINES[:1]},
        "in place",
    ),
    "new elements that have the texts of others": (Rich, count_anew, {"lines": COUNTED}, "in place"),
    "a new element that is equal to two": (Rich, leave_one, {"lines": TWINS}, "in place"),
    "objects that are exchanged between the dicts of an array": (
        Days,
        exchange,
        {"days": [{"am": {"sku": "a", "x": 1}}, {"am": {"sku": "b", "x": 2}}]},
        "in place",
    ),
    "elements that are exchanged between the arrays of an array": (
        Days,
        lambda value: value.rows[0].append(value.rows[2].pop()),
        {"rows": [[{"sku": "a", "x": 1}], [{"sku": "b"}], [{"sku": "c", "x": 2}]]},
        "in place",
    ),
    "the deletion of a key that is stored under another name": (
        Older,
        setting(note=None),
        {"remark": "x"},
        "None cannot be stored, .* another default or another name for it",
    ),
    "elements that are not read": (
        Chosen,
        lambda value: value.lines.pop(),
        {"lines": [{"sku": "a"}, {"sku": "b", "hidden": 1}]},
        "in place",
    ),
    "a set of models": (WithSet, nothing, {"tags": [{"name": "a"}]}, "WithSet cannot be written as JSON: unhashable"),
    "a value that is no JSON": (Rich, lambda rich: rich.extra_data.update(a=object()), {}, "cannot be written as JSON"),
    "NaN, which pydantic writes as null": (Timed, setting(any=math.nan), {"any": 1}, "Timed.any is nan"),
    "NaN in the place of nothing": (Timed, setting(any=math.nan), {}, "Timed.any is nan"),
    "an infinite number in an array": (Timed, setting(any=[1, -math.inf]), {"any": [1]}, r"Timed.any\[1\] is -inf"),
    "a dict with such a value": (dict[str, Any], lambda data: data.update(a=float("nan")), {}, "data.a is nan"),
    "None is read as a default": (WithDefault, setting(note=None), {"note": "x"}, "None cannot be stored"),
    "a required key": (Required, setting(note=None), {"note": "x"}, r"own data back: note \(missing\)"),
    "a value of another type": (Deal, setting(title=3), {"title": "t"}, r"title \(string_type\)"),
    "a time without an offset": (Rich, setting(at=NAIVE), {}, "Rich.at has no offset from UTC"),
    "one more such time": (
        Timed,
        lambda timed: timed.times.append(NAIVE),
        {"times": ["2026-01-01T10:00:00"]},
        r"Timed.times\[1\] has no offset",
    ),
    "one inside free-form JSON": (Timed, setting(any={"due": NAIVE}), {}, "Timed.any.due has no offset"),
    "a key that the class does not have": (
        Typed,
        lambda typed: typed.update(stgae="won"),
        {"title": "t"},
        "data has stgae, which Typed",
    ),
    "a field of a subclass": (
        Rich,
        lambda rich: rich.lines.append(Priced(sku="b")),
        {"lines": [{"sku": "a"}]},
        "lines does not survive being stored: its value is of a subclass",
    ),
    "an object of a subclass that is equal otherwise": (
        Rich,
        lambda rich: rich.lines.__setitem__(0, Priced(sku="a")),
        {"lines": [{"sku": "a"}]},
        "lines does not survive being stored: its value is of a subclass",
    ),
    "None in the place of a default that is not stored": (WithDefault, setting(note=None), {}, "None cannot be stored"),
    "a misspelt attribute beside an object with any members": (
        Mixed,
        setting(stgae="won"),
        {"policy": "allow"},
        "data has stgae, which Mixed does not have",
    ),
    "a misspelt attribute": (Plain, setting(stgae="won"), {"title": "t"}, "data has stgae, which Plain does not have"),
    "a misspelt attribute of an element": (
        Boxes,
        lambda boxes: setattr(boxes.all[0], "membre", 2),
        {"all": [{"member": 1}]},
        r"data has all\[\].membre, which Boxes does not have",
    ),
    "a misspelt key of a dict with known ones": (
        Boxes,
        lambda boxes: boxes.typed.update(stgae="won"),
        {"typed": {"title": "t"}},
        "data has typed.stgae, which Boxes does not have",
    ),
    "a masked secret": (
        Secretive,
        setting(pin=SecretStr("2")),
        {"title": "t", "pin": "1"},
        r"Secretive writes a secret as \*+, which",
    ),
    "two aliases": (TwoNames, setting(stage="won"), {"stage": "open"}, "another value from it than it writes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_edit_that_cannot_be_stored_is_refused(name):
    """The class could not read it back, or something would be lost."""
    kind, edit, data, message = REFUSED[name]

    with pytest.raises(UsageError, match=message):
        patch(kind, edit, **data)


def test_computed_fields_are_not_stored():
    class Sum(BaseModel):
        a: int

        @computed_field
        @property
        def double(self) -> int:
            return 2 * self.a

    assert patch(Sum, setting(a=2), a=1) == {"a": 2}
    assert Lens(Sum, strict=None).new(Sum(a=3)) == {"a": 3}


def test_a_lossy_serializer_is_the_decision_of_the_class():
    class Lossy(BaseModel):
        at: Annotated[dt.datetime, PlainSerializer(lambda value: value.date().isoformat())]

    stored = {"at": "2026-01-01T10:00:00Z"}
    assert patch(Lossy, nothing, **stored) == {}
    assert patch(Lossy, setting(at=dt.datetime(2026, 2, 2, 12, tzinfo=dt.UTC)), **stored) == {"at": "2026-02-02"}


def test_a_validator_may_fill_in_and_normalise():
    """What it adds when it reads is no edit."""

    class Filled(BaseModel):
        title: Annotated[str, BeforeValidator(lambda text: text.strip() if isinstance(text, str) else text)]
        stage: str = "x"

        @model_validator(mode="before")
        @classmethod
        def fill(cls, data: Any) -> Any:
            return {"stage": "open", **data}

    assert patch(Filled, setting(title="u"), title=" t ") == {"title": "u"}
    assert patch(Filled, nothing, title=" t ") == {}


def test_extra_fields_that_the_class_allows_can_be_edited():
    class Extra(BaseModel):
        model_config = ConfigDict(extra="allow")
        title: str

    assert patch(Extra, setting(legacy=2), title="t", legacy=1, o=1) == {"legacy": 2}
    assert patch(Extra, lambda value: value.legacy.append(2), title="t", legacy=[1]) == {"legacy": [1, 2]}
    assert patch(Extra, setting(legacy=True), title="t", legacy=1) == {"legacy": True}


def test_a_strict_class_reads_dates_as_json():
    """It refuses other types all the same."""

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        at: dt.datetime
        n: int = 0

    assert patch(Strict, setting(n=2), at="2026-01-01T10:00:00Z", n=1) == {"n": 2}
    with pytest.raises(ValueError, match="n"):
        Lens(Strict, strict=None).read({"at": "2026-01-01T10:00:00Z", "n": "1"})
    with pytest.raises(ValueError, match="number"):
        Lens(Rich, strict=True).read({"number": "7"})


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Rich, Rich(at=NAIVE), "Rich.at has no offset from UTC"),
        (WithDefault, WithDefault(note=None), "note does not survive being stored: None cannot be stored"),
        (Holder, Holder(inner=WithDefault(note=None)), "inner does not survive being stored: None cannot be stored"),
        (Plain, {"title": "t"}, r"data is of type dict; give Plain\(...\), which has the defaults"),
        (Deal, "t", r"data is of type str; give Deal\(...\)"),
        (Deal, Frozen("t"), r"data is of type Frozen; give Deal\(...\)"),
        (Typed, {"title": "t", "stgae": "won"}, "data has stgae, which Typed does not have and would not store"),
        (Deal, Wider(title="t", amount=7), "data has amount, which Deal does not have and would not store"),
        (TypeAdapter(Line), Priced(sku="a"), "price does not survive being stored: its value is of a subclass"),
        (Sized, Sized(box=Crate(1, "oak")), "data has box.wood, which Sized does not have"),
        (Annotated[Line, "a line"], Priced(sku="a"), "price does not survive being stored"),
        (Line | None, Priced(sku="a"), "price does not survive being stored"),
        (
            Rich,
            Rich(lines=[Line(sku="a"), Priced(sku="b")]),
            "lines does not survive being stored: its value is of a subclass",
        ),
        (Plain, misspelt(Plain("t")), "data has stgae, which Plain does not have"),
        (
            Secretive,
            Secretive(title="t", pin=SecretStr("1")),
            r"Secretive writes a secret as \*+, which would be stored",
        ),
    ],
)
def test_a_new_value_that_cannot_be_stored_is_refused(kind, value, message):
    with pytest.raises(UsageError, match=message):
        Lens(kind, strict=None).new(value)


@pytest.mark.parametrize(("kind", "value"), [(list[int], [1]), (int, 1)])
def test_a_class_that_is_written_as_something_else_is_refused(kind, value):
    with pytest.raises(UsageError, match="and the data of a record is an object"):
        Lens(kind, strict=None).new(value)


def test_a_key_that_is_a_number_is_stored_as_text():
    assert patch(Rich, lambda rich: rich.extra_data.update({1: "x"}), extraData={}) == {"extraData": {"1": "x"}}


def test_attributes_that_the_class_sets_itself_are_no_edits():
    @dataclasses.dataclass
    class Derived:
        n: int

        def __post_init__(self) -> None:
            self.double = 2 * self.n

        @functools.cached_property
        def triple(self) -> int:
            return 3 * self.n

    def edit(value: Derived) -> None:
        value.n += value.triple

    assert patch(Derived, edit, n=1) == {"n": 4}
    assert Lens(Derived, strict=None).new(Derived(1)) == {"n": 1}


def test_a_secret_that_is_written_whole_is_stored():
    assert patch(Readable, setting(pin=SecretStr("2")), pin="1") == {"pin": "2"}


def test_a_generic_dataclass_is_a_class_like_any_other():
    assert patch(Box[int], setting(member=2), member=1, other=0) == {"member": 2}


def test_a_class_that_pydantic_cannot_read_is_refused():
    with pytest.raises(UsageError, match=r"cannot be used for data: [^\n\\]*$"):
        Lens(Change | type(nothing), strict=None)


def test_an_array_of_equal_elements_is_compared_in_linear_time():
    """Their store has another form."""

    def edit(rich: Rich) -> None:
        rich.lines[3].sku = "b"
        rich.lines[-3].sku = "c"

    def work(count: int) -> int:
        return calls(lambda: patch(Rich, edit, lines=[{"sku": "a", "x": 1}] * count))

    assert work(1000) / work(100) < 15


def test_the_objects_of_an_array_are_looked_at_a_few_times_each(monkeypatch):
    looked, objects_of = 0, edits._objects_of

    def counted(written: object) -> Mapping[Any, Any]:
        nonlocal looked
        found = objects_of(written)
        looked += len(found)
        return found

    monkeypatch.setattr(edits, "_objects_of", counted)
    stored = [{"sku": str(number)} for number in range(300)]
    assert patch(Rich, lambda rich: setattr(rich.lines[3], "sku", "b"), lines=stored)
    assert looked < 20 * len(stored)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", "1", "é", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x1", "x2", "x3"]), inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(st.sampled_from(["u1", "u2"]), JSON, max_size=2)
LINE = st.fixed_dictionaries({"sku": st.sampled_from("abc")}, optional={"quantity": st.sampled_from([1, 2, "3"])})
WITH_UNKNOWN = st.builds(lambda known, unknown: {**unknown, **known}, LINE, UNKNOWN)
STORED = st.fixed_dictionaries(
    {},
    optional={
        "dealTitle": st.sampled_from(["t", "u"]),
        "rate": st.sampled_from(["1.50", 2, LONG]),
        "at": st.sampled_from(["2026-01-01T10:00:00Z", "2026-01-01 11:00:00+0100"]),
        "stage": st.sampled_from(["open", "won"]),
        "site": st.builds(lambda a, b: {**b, **a}, st.fixed_dictionaries({"city": st.sampled_from("KB")}), UNKNOWN),
        "lines": st.lists(WITH_UNKNOWN, max_size=3),
        "labels": st.lists(st.sampled_from("abc"), unique=True),
        "extraData": st.dictionaries(st.sampled_from("pq"), JSON, max_size=2),
        "number": st.sampled_from([1, "2"]),
    },
)
VALUES: dict[str, list[Any]] = {
    "deal_title": ["t", "v", ""],
    "rate": [Decimal(1), Decimal("7.25"), Decimal("1.50")],
    "stage": [*Stage, Stage.OPEN],
    "number": [None, 1, 5],
    "labels": [set(), {"a"}, {"z", "y"}],
    "at": [None, dt.datetime(2027, 1, 1, tzinfo=dt.UTC), None],
}
EDITS = st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(0, 2), max_size=3)


@settings(max_examples=150, deadline=None)
@given(STORED, UNKNOWN, EDITS)
def test_any_edit_of_any_data_is_read_back_and_writes_nothing_else(stored_data, unknown, edits):
    """Whatever is stored, and whatever is edited."""
    lens = Lens(Rich, strict=None)
    stored = exact_json.loads(exact_json.dumps({**unknown, **stored_data}))
    value = lens.read(stored)
    before = lens.write(value, stored)
    assert lens.edits(stored, before, value) == {}

    setting(**{name: VALUES[name][number] for name, number in edits.items()})(value)
    changed = lens.edits(stored, before, value)

    assert changed.keys() <= {to_camel(name) for name in edits}
    now = {key: member for key, member in {**stored, **changed}.items() if member is not DELETE}
    found = lens.read(now)
    assert all(getattr(found, name) == getattr(value, name) for name in edits)


@settings(max_examples=150, deadline=None)
@given(st.lists(WITH_UNKNOWN, max_size=4), st.randoms(use_true_random=False))
def test_no_edit_of_elements_loses_an_unknown_key_in_silence(lines, rng):
    """Elements are removed, moved, edited and added: it is right, or it is refused."""
    lens = Lens(Rich, strict=None)
    stored = exact_json.loads(exact_json.dumps({"lines": lines}))
    value = lens.read(stored)
    before = lens.write(value, stored)
    kept = list(value.lines)
    rng.shuffle(kept)
    value.lines = kept[: rng.randint(0, len(kept))] + [Line(sku="n")] * rng.randint(0, 1)
    for line in value.lines[:1]:
        if rng.random() < 0.5:
            line.quantity = 99
    try:
        changed = lens.edits(stored, before, value)
    except UsageError:
        return
    now = {**stored, **changed}
    assert lens.read(now).lines == value.lines
    # Each element that was kept and not edited has its unknown keys, except that equal ones may stand for each other.
    for line, element in zip(value.lines, now["lines"], strict=True):
        twins = [item for item, was in zip(stored["lines"], lens.read(stored).lines, strict=True) if was == line]
        known = {"sku": line.sku, "quantity": line.quantity}
        assert (
            not twins or element == known or any(exact_json.dumps(element) == exact_json.dumps(item) for item in twins)
        )


Places = create_model(
    "Places",
    lines=(list[Line], []),
    others=(list[Line], []),
    named=(dict[str, Line], {}),
    first=(Line | None, None),
    second=(Line | None, None),
)


PLACES = ("lines", "others", "named", "first", "second")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(PLACES), min_size=6, max_size=6),
    st.sets(st.integers(0, 5)),
    st.randoms(use_true_random=False),
)
def test_no_move_of_an_object_loses_an_unknown_key_in_silence(places, hiding, rng):
    """Nor gives it those of another one: it is right, or it is refused."""
    lens = Lens(Places, strict=None)
    raw = [{"sku": f"{number}", "quantity": 1} | ({"x": number} if number in hiding else {}) for number in range(6)]
    stored = {"lines": raw[:2], "named": {"a": raw[2], "": raw[3]}, "first": raw[4], "second": raw[5]}
    value = lens.read(stored)
    before = lens.write(value, stored)
    objects = [*value.lines, *value.named.values(), value.first, value.second]
    rng.shuffle(objects)
    now: dict[str, Any] = {"lines": [], "others": [], "named": {}}
    for number, (place, one) in enumerate(zip(places, objects, strict=True)):
        match place:
            case "lines" | "others":
                now[place].append(one)
            case "named":
                now[place][["", "a", "b", "c", "d", "e"][number]] = one
            case _:
                now.setdefault(place, one)
    for place in PLACES:
        setattr(value, place, now.get(place))
    try:
        data = {**stored, **lens.edits(stored, before, value)}
    except UsageError:
        return
    found = [*data["lines"], *data.get("others", []), *data["named"].values(), data.get("first"), data.get("second")]
    for element in found:
        assert element is None or element is DELETE or element == raw[int(element["sku"])]


def test_classes_of_each_kind_are_written_whole_when_they_are_new():
    """All fields, defaults included, so that guards can name them; None is left out, unless it is a null inside untyped data."""
    assert Lens(Deal, strict=None).new(Deal(title="Roof")) == {"title": "Roof", "stage": "open", "tags": []}
    assert Lens(Frozen, strict=None).new(Frozen("Roof")) == {"title": "Roof", "stage": "open"}
    assert Lens(Typed, strict=None).new({"title": "Roof"}) == {"title": "Roof"}
    assert Lens(dict[str, Any], strict=None).new({"a": {"b": None, "c": 1}, "d": None}) == {"a": {"b": None, "c": 1}}
    assert Lens(Site, strict=None).new(Site(city="K")) == {"city": "K", "numberOfStoreys": 1}
