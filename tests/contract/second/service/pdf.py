"""Writes sheets of labels as a PDF: portrait pages that are rotated, and a form for each label."""

from __future__ import annotations

import zlib
from typing import Any

PER_SHEET = 4
LABEL = (360, 252)  # 5 by 3.5 inches, in points
PAPER = (612, 792)  # Letter; a viewer rotates it by 90 degrees
MARGIN = (36, 54)


def lines_of(item: dict[str, Any]) -> list[str]:
    """Return the lines of a label."""
    return [item["name"], "Contains: " + (", ".join(item["allergens"]) or "no allergens"), *item["ingredients"]]


def sheets(labels: list[list[str]], attachments: dict[str, bytes]) -> bytes:
    """Return a PDF with sheets of labels; at least one."""
    objects: list[bytes] = []

    def add(content: bytes) -> int:
        objects.append(content)
        return len(objects)

    def stream(head: str, content: bytes) -> int:
        packed = zlib.compress(content)
        return add(
            f"<< {head} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode() + packed + b"\nendstream"
        )

    pages_id = 2
    objects += [b"", b""]
    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    pages = []
    for first in range(0, max(1, len(labels)), PER_SHEET):
        forms = [
            stream(
                f"/Type /XObject /Subtype /Form /BBox [0 0 {LABEL[0]} {LABEL[1]}] /Resources << /Font << /F {font} 0 R >> >>",
                form(lines),
            )
            for lines in labels[first : first + PER_SHEET]
        ]
        # In the coordinates of the reader: x to the right, y up, on a landscape sheet.
        drawn = [f"q 0 1 -1 0 {PAPER[0]} 0 cm"]
        for place, _ in enumerate(forms):
            x, y = position(place)
            drawn.append(f"q 1 0 0 1 {x} {y} cm /L{place} Do Q")
        content = stream("", " ".join([*drawn, "Q"]).encode())
        named = " ".join(f"/L{place} {id} 0 R" for place, id in enumerate(forms))
        pages.append(
            add(
                f"<< /Type /Page /Parent {pages_id} 0 R /MediaBox [0 0 {PAPER[0]} {PAPER[1]}] /Rotate 90 "
                f"/Contents {content} 0 R /Resources << /XObject << {named} >> >> >>".encode()
            )
        )
    files = []
    for name, content in attachments.items():
        file = stream("/Type /EmbeddedFile /Subtype /application#2Fjson", content)
        files.append(
            f"({name}) {add(f'<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {file} 0 R >> >>'.encode())} 0 R"
        )
    objects[0] = (
        f"<< /Type /Catalog /Pages {pages_id} 0 R /Names << /EmbeddedFiles << /Names [{' '.join(files)}] >> >> >>".encode()
    )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{page} 0 R' for page in pages)}] /Count {len(pages)} >>".encode()
    return _file(objects)


def position(place: int) -> tuple[int, int]:
    """Return left and bottom of a label on the landscape sheet, in points."""
    return MARGIN[0] + LABEL[0] * (place % 2), MARGIN[1] + LABEL[1] * (1 - place // 2)


def form(lines: list[str]) -> bytes:
    """Return the content of a label: its outline and its lines."""
    parts = [f"0 0 {LABEL[0]} {LABEL[1]} re S".encode()]
    for number, line in enumerate(lines):
        text = line.encode("cp1252", "replace").hex()
        parts.append(f"BT /F 11 Tf 12 {LABEL[1] - 20 - 15 * number} Td <{text}> Tj ET".encode())
    return b"\n".join(parts)


def _file(objects: list[bytes]) -> bytes:
    content = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, value in enumerate(objects, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n" % number + value + b"\nendobj\n"
    table = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    content += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(content)
