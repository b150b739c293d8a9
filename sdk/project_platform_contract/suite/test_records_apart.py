"""Endpoints 3 and 4: records that must not affect each other: of other projects, of requests at the same time or of refused ones."""

from __future__ import annotations

import pytest

from .support.reading import refused
from .support.records import Records, record_of


@pytest.mark.rule("records.create.external-id")
def test_an_empty_external_id_is_refused_or_stored(records: Records, tag: str) -> None:
    """When a record is updated, and when one is created: if that replaces another record, it is the one of this test."""
    record = records.create(externalId=f"{tag}-not-empty")
    for response in (records.update(record, externalId=""), records.post(data={"title": tag}, externalId="")):
        assert refused(response) or record_of(response)["externalId"] == ""
