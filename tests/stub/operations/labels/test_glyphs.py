"""Glyphs of the labels: scripts that the font has, marks, and boxes for what it does not have."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest

from project_platform_stub.operations.support import label_fonts
from project_platform_stub.operations.support.label_layout import lay_out
from project_platform_stub.operations.support.label_pdf import label_pdf

from .printed import NOW, menu_item, print_one, printed, squeezed, whole

TORTURE = json.loads((Path(__file__).parent / "torture.json").read_text("utf-8"))
DRAWN = ("polish", "vietnamese", "vietnamese decomposed", "greek", "cyrillic", "combining marks", "german compound")
DRAWN += ("300 letters", "markup")
BLOCKS = {
    "Basic Latin": (0x21, 0x7F),
    "Latin-1 Supplement": (0xA1, 0x100),
    "Latin Extended-A": (0x100, 0x180),
    "Latin Extended-B": (0x180, 0x250),
    "IPA Extensions": (0x250, 0x2B0),
    "Greek and Coptic": (0x370, 0x400),
    "Cyrillic": (0x400, 0x500),
    "Cyrillic Supplement": (0x500, 0x530),
    "Phonetic Extensions": (0x1D00, 0x1DC0),
    "Latin Extended Additional": (0x1E00, 0x1F00),
    "Greek Extended": (0x1F00, 0x2000),
    "Latin Extended-C": (0x2C60, 0x2C80),
    "Latin Extended-D": (0xA720, 0xA7C0),
    "Latin Extended-E": (0xAB30, 0xAB68),
}


def letters(block):
    """Return the assigned characters of a block, without Coptic, the marks of old Cyrillic numerals and the soft hyphen."""
    return [
        chr(code)
        for code in range(*BLOCKS[block])
        if unicodedata.category(chr(code)) not in {"Cn", "Cf"} and not (0x3E2 <= code < 0x3F0 or 0x483 <= code < 0x48A)
    ]


@pytest.mark.parametrize("key", DRAWN)
def test_what_the_font_has_is_printed_as_it_is(key):
    """The text that is read back equals the text of the item, without problems."""
    members = {"ingredients": [TORTURE[key], key, TORTURE[key]], "allergens": [TORTURE[key], "milk"]}

    text, problems = print_one(TORTURE[key], **members)

    assert text == whole(menu_item(TORTURE[key], **members))
    assert not problems


@pytest.mark.parametrize("key", sorted(TORTURE.keys() - set(DRAWN)))
def test_what_the_font_does_not_have_is_a_box_and_a_problem(key):
    """Each character is drawn, or it is a box with its code point; the problem lists the boxes."""
    text, problems = print_one(TORTURE[key])

    assert problems.keys() == {"name"}
    assert problems["name"].startswith("cannot be drawn: U+")
    named = problems["name"].removeprefix("cannot be drawn: ").split(", ")
    in_text = "".join(f"U+{ord(c):04X}" if f"U+{ord(c):04X}" in named else c for c in TORTURE[key])
    assert text == squeezed(in_text) + whole(menu_item(""))
    assert len(named) == len(set(named))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("block", BLOCKS)
def test_latin_greek_and_cyrillic_are_complete(block, form):
    """Composed and decomposed letters are printed as they are, regular and bold."""
    text = [unicodedata.normalize(form, letter) for letter in letters(block)]
    groups = [text[start : start + 60] for start in range(0, len(text), 60)]
    items = [menu_item("".join(group), ingredients=group) for group in groups]

    result = printed(items)

    assert not result.outside
    assert not result.undefined
    assert result.problems == [[]] * len(items)
    assert result.labels == [whole(item) for item in items]


def ink(text):
    """Return the boxes of the glyphs in the name of a label, by character."""
    document = pypdfium2.PdfDocument(label_pdf([lay_out(menu_item(text))], b"{}", NOW))
    try:
        page = document[0].get_textpage()
        codes = [pypdfium2.raw.FPDFText_GetUnicode(page, index) for index in range(page.count_chars())]
        return {character: page.get_charbox(codes.index(ord(character))) for character in text}
    finally:
        document.close()


@pytest.mark.parametrize(
    ("base", "mark"), [("u", "\u0329"), ("m", "\u0304"), ("M", "\u030b"), ("\u0440", "\u0301"), ("n", "\u0308")]
)
def test_a_mark_without_a_composed_letter_stands_on_its_letter(base, mark):
    """The anchors of the font place it: centred, and above or below the letter without touching it."""
    drawn = ink(base + mark)

    left, bottom, right, top = drawn[base]
    mark_left, mark_bottom, mark_right, mark_top = drawn[mark]
    assert (mark_left + mark_right) / 2 == pytest.approx((left + right) / 2, abs=2)  # a tenth of an em
    assert mark_top < bottom if mark == "\u0329" else top < mark_bottom


def test_marks_stack_on_each_other():
    """The second mark above a letter stands on the first one, although a mark below is between them."""
    drawn = ink("q\u0304\u0323\u0301")

    assert drawn["q"][3] < drawn["\u0304"][1] < drawn["\u0304"][3] < drawn["\u0301"][1] + 0.5
    assert drawn["\u0323"][3] < drawn["q"][1]


def test_more_than_four_marks_are_boxes():
    """More would extend beyond the edge of the label; the letter and four marks are drawn."""
    text, problems = print_one("x" + "\u0301" * 7)

    assert text == squeezed("x" + "\u0301" * 4) + "U+0301" * 3 + whole(menu_item(""))
    assert problems == {"name": "cannot be drawn: U+0301"}


@pytest.mark.parametrize(
    "text", ["\x00", "\x07", "\x7f", "\x9b", "\ud800", "\u202e", "\u2066", "\ue000", "\uffff", "\U000f0000"]
)
def test_characters_without_a_glyph_are_never_silent(text):
    """Control characters, unpaired surrogates, bidirectional overrides, private and unassigned characters."""
    printed_text, problems = print_one(f"a{text}b", allergens=[text])

    code = f"U+{ord(text):04X}"
    assert printed_text.startswith(f"a{code}bAllergens:{code}Ingredients:")
    assert problems == {"name": f"cannot be drawn: {code}", "allergens": f"cannot be drawn: {code}"}


@pytest.mark.parametrize("space", ["\t", "\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029", "\u3000", "\u1680"])
def test_all_spaces_are_spaces(space):
    """Tabs and line breaks separate words."""
    (line, *_) = lay_out(menu_item(f"a{space}b")).lines

    assert [word.plain for word in line.words] == ["a", "b"]
    assert not print_one(f"a{space}b")[1]


def test_the_torture_set_stays_inside_its_labels():
    """On one set of sheets, with fonts of more than 256 glyphs."""
    items = [
        menu_item(text, ingredients=[text] * 5, allergens=[text, "milk"], approved=False) for text in TORTURE.values()
    ]

    result = printed(items)

    assert not result.outside
    assert not result.undefined


def test_the_same_moment_gives_the_same_bytes():
    """The PDF depends on the labels and the time only."""
    layouts = [lay_out(menu_item(text)) for text in TORTURE.values()]

    assert label_pdf(layouts, b"{}", NOW) == label_pdf(layouts, b"{}", NOW)
    assert label_pdf(layouts, b"{}", NOW) != label_pdf(layouts, b"{}", datetime(2027, 1, 1, tzinfo=UTC))


@pytest.fixture
def without_fonts(monkeypatch):
    """The extra `fonts` is not installed."""

    def forget():
        for cached in (label_fonts._font, label_fonts._pieces, label_fonts._cached_word, label_fonts.space_width):
            cached.cache_clear()
        label_fonts.font_name.cache_clear()

    monkeypatch.setattr(label_fonts, "find_spec", lambda name: None)
    forget()
    yield
    monkeypatch.undo()
    forget()


def test_without_the_extra_the_letters_of_western_europe_are_printed(without_fonts):
    """In the font of every reader of PDFs; other letters are boxes, and their problem names the extra."""
    layout = lay_out(menu_item("Crème brûlée, 3 €", ingredients=["phở", "x\u0301"]))
    document = pypdfium2.PdfDocument(label_pdf([layout], b"{}", NOW))
    try:
        text = document[0].get_textpage().get_text_bounded()
    finally:
        document.close()

    assert text.startswith("Crème brûlée, 3 €")
    assert [(problem.field, problem.text) for problem in layout.problems] == [
        (
            "ingredients",
            "cannot be drawn: U+1EDF, U+0301; for more letters: pip install 'project-platform[fonts]'",
        )
    ]
