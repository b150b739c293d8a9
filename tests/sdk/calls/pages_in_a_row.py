"""Read 500 pages one after another, and print the number of full garbage collections: `early` or `late` on the command line."""

from __future__ import annotations

import gc
import json
import sys

from project_platform import Request, Response
from project_platform.calls.decoding import read
from project_platform.operations import agents_list

PROJECT = "0b9c4c6e-0000-4000-8000-000000000000"
AGENT = {
    "id": "a",
    "name": "Concierge",
    "memoryFiles": ["menu", "rules"],
    "toolCategories": ["memory"],
    "mcpServers": [{"name": "calendar", "url": "https://calendar.example", "headers": {"x-tenant": "house"}}],
    "metadata": {"description": "x" * 200},
}
PAGE = json.dumps({"agents": [AGENT] * 100, "pagination": {"limit": 100, "offset": 0, "hasMore": False}}).encode()


def main() -> None:
    call, request = agents_list(PROJECT), Request("GET", "https://platform.example/", {})
    full = 0

    def count(phase: str, info: dict[str, int]) -> None:
        nonlocal full
        full += phase == "start" and info["generation"] == 2

    read(call, request, Response(200, body=PAGE), ())  # imports
    gc.collect()
    gc.callbacks.append(count)
    for _ in range(500):
        read(call, request, Response(200, body=PAGE), (), collect_before=sys.argv[1] == "early")
    gc.callbacks.remove(count)
    print(full)


if __name__ == "__main__":
    main()
