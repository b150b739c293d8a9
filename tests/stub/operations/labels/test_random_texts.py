"""Random texts: what is read back is what was put in, nothing leaves its label, and the problems are exact."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from .printed import menu_item, printed, squeezed, whole

MARKER = squeezed("… more in label-review.json")
CODES = [range(0x20, 0x7F), range(0xA1, 0xAC), range(0xAE, 0x180), range(0x391, 0x3A2), range(0x3B1, 0x3CA)]
CODES += [range(0x400, 0x483), range(0x48A, 0x530), range(0x1E00, 0x1F00)]
DRAWN = "".join(chr(code) for codes in CODES for code in codes)
HOSTILE = "aW\xa0\u0301\u0323\u0334\u20dd\u0e33\u0e40็ー\uff08﷽\u202e\u2066\u2069\u200d\ufe0f🏽👩"

drawn = st.text(DRAWN, min_size=1, max_size=60)
hostile = st.one_of(
    st.text(st.characters(), max_size=60), st.text(HOSTILE, max_size=200), st.integers(1, 900).map(lambda n: "W" * n)
)


def menu(texts, entries):
    """Return a strategy for menus with these texts, and these entries of lists."""
    values = st.none() | st.lists(entries, max_size=12)
    members = {"ingredients": values, "allergens": values, "approved": st.booleans(), "description": texts}
    return st.lists(st.builds(menu_item, texts, **members), min_size=1, max_size=5)


@settings(max_examples=20, deadline=None)
@given(menu(drawn, drawn.filter(str.strip)))
@example([menu_item("0", ingredients=["A-"], description="A-")])
def test_what_is_read_back_is_what_was_put_in(items):
    """A label without a problem has all texts, whatever their length."""
    result = printed(items)

    assert not result.outside
    assert not result.undefined
    for item, text, problems in zip(items, result.labels, result.problems, strict=True):
        assert all(problem.startswith("does not fit: ") for _, problem in problems)
        assert (text == whole(item)) is not bool(problems)


@settings(max_examples=20, deadline=None)
@given(menu(hostile, hostile))
@example([menu_item("W" * 900, allergens=["ー" * 300], ingredients=["\uff08" * 300, "\xa0".join("abcd" * 200)])])
@example([menu_item("a" + "\u0301" * 50, allergens=["\ud800"], ingredients=["﷽" * 30])])
@example([menu_item("", allergens=[""], ingredients=[])])
@example(
    [menu_item("", allergens=["\u3164"], ingredients=["\u17b4"], description="\U000e0100", heating="\u180b\u206a")]
)
@example([menu_item("\u106a \u0323")])
@example([menu_item("\u20dd", approved=False)])
@example([menu_item(" \u0301", allergens=["\u0301"], ingredients=["\u20dd", "1\u20e3"])])
def test_nothing_leaves_its_label_or_is_lost(items):
    """What cannot be drawn is a problem and is named on the label, and what is cut is marked."""
    result = printed(items)

    assert not result.outside
    assert not result.undefined
    for text, problems in zip(result.labels, result.problems, strict=True):
        named = {field for field, problem in problems if problem.startswith("cannot be drawn: ")}
        cut = {field for field, problem in problems if problem.startswith("does not fit: ")}
        assert "Allergens:" in text
        assert "Allergens:Ingredients:" not in text
        assert (MARKER in text) is bool(cut)
        assert cut or bool(named) is ("notdrawable" in text)
