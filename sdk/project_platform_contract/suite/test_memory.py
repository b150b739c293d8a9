"""Endpoint 10: an update of a memory entry, and what the specification leaves open of it. Every entry is restored."""

from __future__ import annotations

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, Fact

from .support.memory import MemoryOf


@pytest.mark.rule("memory.update.changes")
def test_metadata_in_the_request_is_stored(memory: MemoryOf, api: Api, fact: Fact, tag: str) -> None:
    """Whether it is merged or replaced is recorded as a fact."""
    with memory("memory_slug") as entry:
        if entry.merges:
            entry.read()
            fact("memoryMetadata", "merged", api.exchanges[-1].response)
        entry.update(metadata={"other": tag})
        updated = entry.update(metadata={"run": tag})["metadata"]
        stored = entry.read()["metadata"]
        fact("memoryMetadata", "merged" if "other" in stored else "replaced", api.exchanges[-1].response)

    assert (updated.get("run"), stored.get("run")) == (tag, tag)


@pytest.mark.rule("memory.update.slash-in-slug")
def test_a_slug_may_contain_a_slash(api: Api, data: Data, fact: Fact) -> None:
    """The slash is sent percent-encoded."""
    response = api("memory_update", slug=data["memory_slug_with_slash"], json={})

    fact("encodedSlash", "data" if response.is_success else "separator", response)
    assert response.is_success
