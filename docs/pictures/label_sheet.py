"""Writes `label_sheet.png`, the picture in the guide: the labels that the stub server prints for `label_sheet.yaml`.

It needs pypdfium2, which is a development package, and Pillow:

    .venv/bin/python docs/pictures/label_sheet.py
"""

from __future__ import annotations

from pathlib import Path

import pypdfium2
from PIL import Image

from project_platform import Client, LabelSheet
from project_platform_stub import Stub
from project_platform_stub.world_file import load_world_file

PICTURE = Path(__file__).with_suffix(".png")
PIXELS_PER_POINT = 1.5
MARGIN = 30  # points of the sheet that the picture leaves out


def export() -> LabelSheet:
    """Export the labels of `label_sheet.yaml`."""
    with Stub(world=load_world_file(PICTURE.with_suffix(".yaml"))) as stub:
        client = Client("https://stub.example", token=stub.token("owner"), transport=stub.transport())
        return client.project(stub.project.id).labels.export(include_unapproved=True)


def render(sheet: LabelSheet) -> Image.Image:
    """Render the first page of a label sheet."""
    with pypdfium2.PdfDocument(sheet.content) as document:
        page = document[0].render(scale=PIXELS_PER_POINT, crop=(MARGIN,) * 4)
        return page.to_pil().convert("L").quantize(16)


if __name__ == "__main__":
    labels = export()
    for problem in labels.review["problems"]:
        print(f"{problem['position']} {problem['field']}: {problem['problem']}")
    render(labels).save(PICTURE, optimize=True)
    print(PICTURE, PICTURE.stat().st_size)
