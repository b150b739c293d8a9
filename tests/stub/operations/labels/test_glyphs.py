"""Glyphs of the labels: scripts that the fonts have, marks, direction, and words for what no font has."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pypdf
import pypdfium2
import pytest

from project_platform_stub.operations.support import label_fonts, label_text
from project_platform_stub.operations.support.label_layout import lay_out
from project_platform_stub.operations.support.label_pdf import label_pdf

from .printed import NOW, menu_item, print_one, printed, whole

TORTURE = json.loads((Path(__file__).parent / "torture.json").read_text("utf-8"))
DRAWN = ("polish", "vietnamese", "vietnamese decomposed", "greek", "cyrillic", "combining marks", "german compound")
DRAWN += ("300 letters", "markup", "thai", "devanagari", "japanese", "chinese", "korean")
RIGHT_TO_LEFT = ("arabic", "arabic long", "hebrew", "rtl in ltr")


@pytest.mark.parametrize("key", DRAWN)
def test_what_the_font_has_is_printed_as_it_is(key):
    members = {"ingredients": [TORTURE[key], key, TORTURE[key]], "allergens": [TORTURE[key], "milk"]}

    text, problems = print_one(TORTURE[key], **members)

    assert text == whole(menu_item(TORTURE[key], **members))
    assert not problems


@pytest.mark.parametrize("key", RIGHT_TO_LEFT)
def test_what_is_read_from_right_to_left_is_printed_without_problems(key):
    """In names and in entries of lists; pdfium reads marks in another order, and mirrors brackets."""
    members = {"ingredients": [TORTURE[key], key], "allergens": [TORTURE[key], "milk"]}

    text, problems = print_one(TORTURE[key], **members)

    expected = whole(menu_item(TORTURE[key], **members))
    assert sorted(text.replace(")", "(")) == sorted(expected.replace(")", "("))
    assert not problems


WORDS = {
    "arabic": ["دجاج", "مشوي", "سلامة", "ألا"],
    "hebrew": ["שניצל", "עוף", "אורז"],
    "thai": ["ข้าวผัดกุ้ง", "น้ำปลา"],
    "devanagari": ["क्षत्रिय", "श्री", "ट्रिप्ल", "र्क"],
    "hangul": ["김치찌개와", "현미밥"],
    "han and kana": ["卵", "小麦", "ラーメン", "宫保鸡丁"],
}


def sheet(item):
    return label_pdf([lay_out(item)], b"{}", NOW)


def text_of_pdfium(pdf):
    with pypdfium2.PdfDocument(pdf) as document:
        return document[0].get_textpage().get_text_bounded()


def text_of_pypdf(pdf):
    return pypdf.PdfReader(BytesIO(pdf)).pages[0].extract_text()


@pytest.mark.parametrize("read", [text_of_pdfium, text_of_pypdf])
@pytest.mark.parametrize("script", WORDS)
def test_two_libraries_read_each_script_back(script, read):
    """Names and allergens can be found and copied."""
    words = WORDS[script]

    text = read(sheet(menu_item(" ".join(words), allergens=words)))

    assert [text.count(word) for word in words] == [2] * len(words)


def edges(item, text):
    """Return the left and right edges of the characters of a text, which a label has once."""
    with pypdfium2.PdfDocument(sheet(item)) as document:
        page = document[0].get_textpage()
        codes = [pypdfium2.raw.FPDFText_GetUnicode(page, index) for index in range(page.count_chars())]
        boxes = (page.get_charbox(codes.index(ord(character))) for character in text)
        return [(left, right) for left, _, right, _ in boxes]


@pytest.mark.parametrize("name", ["دجاج ورز", "עוף אפוי"])
def test_a_name_from_right_to_left_starts_at_the_right(name):
    """Its first letter is the rightmost, at the edge of the label; each word is left of the word before it."""
    first, second, last = edges(menu_item(name), [name[0], name.split()[1][0], name[-1]])

    assert first[1] == pytest.approx(36 + 360 - 18, abs=4)
    assert first[0] > second[1] > last[0]


def test_numbers_and_latin_letters_keep_their_direction():
    """Inside a name that is read from right to left, where brackets open to their text."""
    text = edges(menu_item("עוף 120 גרם (kcal)"), "120kcal")

    assert text[:3] == sorted(text[:3])
    assert text[3:4] + text[5:] == sorted(text[3:4] + text[5:])
    assert text[2][1] > text[3][0]


def test_the_entries_of_a_list_keep_their_order():
    """Whatever the direction of each."""
    first, second, third = edges(menu_item("Soup", allergens=["בצל", "שום", "walnuts", "דג"]), "בשw")

    assert first[0] < second[0] < third[0]


def test_arabic_letters_are_joined():
    """The shape of a letter depends on its neighbours."""
    joined, apart = (
        [piece.glyphs for piece in label_text.shape(text, bold=False).pieces if piece.text != " "]
        for text in ("حححح", "ح ح ح ح")
    )

    assert len({glyphs[0][0] for glyphs in joined}) == 3
    assert len({glyphs[0][0] for glyphs in apart}) == 1


@pytest.mark.parametrize(
    ("text", "stated", "codes"),
    [
        ("Spicy 🌶 curry", "Spicy(notdrawable)curry", "U+1F336"),
        ("சாம்பார்", "Name:notdrawable,seelabel-review.json", "U+0B9A, U+0BBE, U+0BAE, U+0BCD, U+0BAA, U+0BB0"),
        ("a 🌱 🌶b", "a(notdrawable)b", "U+1F331, U+1F336"),
    ],
)
def test_what_no_font_has_is_named_in_words(text, stated, codes):
    """Neighbouring characters in one place; the problem has the code points."""
    printed_text, problems = print_one(text)

    assert printed_text == stated + whole(menu_item(""))
    assert problems == {"name": f"cannot be drawn: {codes}"}


def test_marks_that_would_leave_the_label_are_not_drawn():
    """Nor is their letter."""
    text, problems = print_one("ax" + "\u0301" * 9)

    assert text == "a(notdrawable)" + whole(menu_item(""))
    assert problems == {"name": "cannot be drawn: U+0078, U+0301"}


@pytest.mark.parametrize(
    "text", ["\x00", "\x07", "\x7f", "\x9b", "\ud800", "\u202e", "\u2066", "\ue000", "\uffff", "\U000f0000"]
)
def test_characters_without_a_glyph_are_never_silent(text):
    """Control characters, unpaired surrogates, bidirectional overrides, private and unassigned characters."""
    printed_text, problems = print_one(f"a{text}b", allergens=[text])

    code = f"U+{ord(text):04X}"
    assert printed_text.startswith("a(notdrawable)bAllergens:(notdrawable)Ingredients:")
    assert problems == {"name": f"cannot be drawn: {code}", "allergens": f"cannot be drawn: {code}"}


@pytest.mark.parametrize("space", ["\t", "\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029", "\u3000", "\u1680"])
def test_all_spaces_are_spaces(space):
    (line, *_) = lay_out(menu_item(f"a{space}b")).lines

    assert [piece.text for piece in line.pieces] == ["a", " ", "b"]
    assert not print_one(f"a{space}b")[1]


def test_the_torture_set_stays_inside_its_labels():
    """On one set of sheets, with fonts of more than 256 glyphs."""
    items = [
        menu_item(text, ingredients=[text] * 5, allergens=[text, "milk"], approved=False) for text in TORTURE.values()
    ]

    result = printed(items)

    assert not result.outside
    assert not result.undefined


@pytest.fixture
def without_fonts(monkeypatch):
    """The extra `fonts` is not installed."""

    def forget():
        for cached in (label_fonts.has_fonts, label_fonts.font_for, label_text._cached_pieces):
            cached.cache_clear()

    monkeypatch.setattr(label_fonts, "find_spec", lambda name: None)
    forget()
    yield
    monkeypatch.undo()
    forget()


def test_without_the_extra_the_letters_of_western_europe_are_printed(without_fonts):
    """In the font of every reader of PDFs; other texts are named in words, and their problem names the extra."""
    item = menu_item(
        "親子丼", description="Crème brûlée, 3 €", allergens=["حليب", "fish"], ingredients=["phở", "x\u0301"]
    )
    layout = lay_out(item)
    text = text_of_pdfium(label_pdf([layout], b"{}", NOW))

    assert text.replace("\r\n", "\n").startswith(
        "Name: not drawable, see\nlabel-review.json\nAllergens: (not drawable), fish\n"
        "Ingredients: ph(not drawable), (not drawable)\nCrème brûlée, 3 €\n"
    )
    advice = "; for more letters: pip install 'project-platform[fonts]'"
    assert [(problem.field, problem.text) for problem in layout.problems] == [
        ("name", f"cannot be drawn: U+89AA, U+5B50, U+4E3C{advice}"),
        ("allergens", f"cannot be drawn: U+062D, U+0644, U+064A, U+0628{advice}"),
        ("ingredients", f"cannot be drawn: U+1EDF, U+0078, U+0301{advice}"),
    ]
