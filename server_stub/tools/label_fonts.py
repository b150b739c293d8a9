"""Writes the fonts of the label sheets: the Latin, Greek and Cyrillic of Noto Sans, and the anchors of its marks.

Run it when the fonts change, with fonttools installed:

    npm pack @expo-google-fonts/noto-sans@0.4.2 && tar xzf expo-google-fonts-noto-sans-0.4.2.tgz
    python server_stub/tools/label_fonts.py package

Right-to-left and Indic scripts are left out, because the sheets are set without shaping. The anchors are copied from the
table GPOS into `marks.json`, because reportlab does not read them. The outline of a mark is moved so that its anchor, or
its centre if it has none, is at x = 0: readers of a PDF sort the texts of a line by their origins.
"""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

TARGET = Path(__file__).parents[1] / "project_platform_stub/operations/support/fonts"
WEIGHTS = {"Regular": "400Regular/NotoSans_400Regular.ttf", "Bold": "700Bold/NotoSans_700Bold.ttf"}
LEFT_OUT = (
    *(range(0x20), range(0x7F, 0xA0)),  # control characters
    *(range(0x900, 0x980), range(0x1CD0, 0x1D00), range(0xA830, 0xA840), range(0xA8E0, 0xA900)),  # Devanagari
    *(range(0x200B, 0x2010), range(0x2028, 0x202F), range(0x2060, 0x2070), range(0xFE00, 0xFE10)),  # invisible
    *(range(0x1000, 0x1100), range(0xA92E, 0xA92F), range(0x25CC, 0x25CD), range(0xFB1D, 0xFE00)),  # other scripts
    *(range(0xFEFF, 0xFF00), range(0xFFF0, 0xFFFD), range(0x10000, 0x110000)),  # invisible; not in one unit of UTF-16
)


def write(package: Path) -> None:
    """Write the fonts, their licence and `marks.json`."""
    TARGET.mkdir(exist_ok=True)
    marks: dict[str, Any] = {}
    for weight, path in WEIGHTS.items():
        font = TTFont(package / path, recalcTimestamp=False)
        codes = {code for code in font.getBestCmap() if not any(code in codes for codes in LEFT_OUT)}
        for code in sorted(codes):
            if unicodedata.category(chr(code)) in {"Mn", "Me"}:
                centre_mark(font, font.getBestCmap()[code])
        marks[weight] = anchors(font, codes)
        options = Options(
            layout_features=[], hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True
        )
        options.drop_tables += ["GPOS", "GSUB", "GDEF", "STAT", "DSIG", "prep", "gasp"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(font)
        font.save(TARGET / f"NotoSans-{weight}.ttf")
    (TARGET / "marks.json").write_text(json.dumps(marks, separators=(",", ":")) + "\n", "utf-8")
    shutil.copy(package / "LICENSE_FONT", TARGET / "OFL.txt")


def anchors(font: TTFont, codes: set[int]) -> dict[str, Any]:
    """Return the anchors of letters and marks, in units of the em.

    A mark is placed so that its anchor of a class meets the anchor of that class on the letter, or on the mark below it.

    Returns:
        `marks`: code point of a mark, class, anchor; `bases`: code point of a letter or a mark, class, anchor.
    """
    code_of = {name: code for code, name in sorted(font.getBestCmap().items(), reverse=True) if code in codes}
    marks: dict[int, dict[int, list[int]]] = defaultdict(dict)
    bases: dict[int, dict[int, list[int]]] = defaultdict(dict)
    first = 0  # number of the first class of a subtable
    for subtable in mark_subtables(font):
        is_to_mark = hasattr(subtable, "Mark1Coverage")
        attached = subtable.Mark1Coverage if is_to_mark else subtable.MarkCoverage
        records = (subtable.Mark1Array if is_to_mark else subtable.MarkArray).MarkRecord
        for name, record in zip(attached.glyphs, records, strict=True):
            if name in code_of:
                marks[code_of[name]][first + record.Class] = point(record.MarkAnchor)
        carriers = subtable.Mark2Coverage if is_to_mark else subtable.BaseCoverage
        places = subtable.Mark2Array.Mark2Record if is_to_mark else subtable.BaseArray.BaseRecord
        for name, place in zip(carriers.glyphs, places, strict=True):
            for at, anchor in enumerate(place.Mark2Anchor if is_to_mark else place.BaseAnchor):
                if name in code_of and anchor is not None:
                    bases[code_of[name]][first + at] = point(anchor)
        first += subtable.ClassCount
    return {"marks": marks, "bases": bases}


def centre_mark(font: TTFont, name: str) -> None:
    """Move the outline of a mark and its anchors, so that its first anchor, or its centre, is at x = 0."""
    glyph = font["glyf"][name]
    own, others = [], []
    for subtable in mark_subtables(font):
        is_to_mark = hasattr(subtable, "Mark1Coverage")
        attached = subtable.Mark1Coverage if is_to_mark else subtable.MarkCoverage
        records = (subtable.Mark1Array if is_to_mark else subtable.MarkArray).MarkRecord
        if name in attached.glyphs:
            own.append(records[attached.glyphs.index(name)].MarkAnchor)
        if is_to_mark and name in subtable.Mark2Coverage.glyphs:
            place = subtable.Mark2Array.Mark2Record[subtable.Mark2Coverage.glyphs.index(name)]
            others += [anchor for anchor in place.Mark2Anchor if anchor is not None]
    shift = -own[0].XCoordinate if own else -(glyph.xMin + glyph.xMax) // 2
    for anchor in {id(anchor): anchor for anchor in own + others}.values():
        anchor.XCoordinate += shift
    if glyph.isComposite():
        for component in glyph.components:
            component.x += shift
    else:
        glyph.coordinates.translate((shift, 0))
    for other in map(font["glyf"].__getitem__, font.getGlyphOrder()):  # composed letters stay as they are
        for component in other.components if other.isComposite() else ():
            if component.glyphName == name:
                (xx, xy), _ = getattr(component, "transform", ((1, 0), (0, 1)))
                component.x -= round(shift * xx)
                component.y -= round(shift * xy)
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (font["hmtx"][name][0], glyph.xMin)


def mark_subtables(font: TTFont) -> Iterator[Any]:
    """Yield the subtables that attach marks to letters and to other marks, of the features `mark` and `mkmk`."""
    table = font["GPOS"].table
    wanted = {
        index
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag in {"mark", "mkmk"}
        for index in record.Feature.LookupListIndex
    }
    for index in sorted(wanted):
        for subtable in table.LookupList.Lookup[index].SubTable:
            inner = getattr(subtable, "ExtSubTable", subtable)
            if inner.LookupType in {4, 6}:  # mark to base, mark to mark
                yield inner


def point(anchor: Any) -> list[int]:
    """Return the coordinates of an anchor."""
    return [anchor.XCoordinate, anchor.YCoordinate]


if __name__ == "__main__":
    write(Path(sys.argv[1]))
