"""How do I print the meal labels of a month? Exports them, saves the PDF, and lists the skipped items.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It changes nothing in the service and writes `labels.pdf` to the current folder, or to the path given as
argument. Reading the review needs the extra `pdf`.
"""

from __future__ import annotations

import os
import sys

from project_platform import Client
from project_platform_stub import Stub

MONTH = "2026-11"


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def main(path: str) -> None:
    """Export in memory, then as a stream."""
    with connect() as client:
        labels = client.project().labels

        sheet = labels.export(menu_month=MONTH, stock="5x3.5")
        print(f"{sheet.summary.label_count} labels on {sheet.summary.sheet_count} sheets")
        for item in sheet.review["skipped"]:
            print(f"left out: {item['name']} ({item['reason']})")
        print(f"saved to {sheet.save(path)}")

        # The same without holding the PDF in memory.
        with labels.stream(menu_month=MONTH, include_unapproved=True) as stream:
            print(f"streamed {stream.summary.label_count} labels to {stream.save(path)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "labels.pdf")
