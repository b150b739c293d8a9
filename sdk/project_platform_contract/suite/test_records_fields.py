"""Endpoints 3 and 4: the fields of a body take effect together and apart, and none of them sets another one."""

from __future__ import annotations

import pytest

from .support.json_equality import differences
from .support.reading import refused
from .support.records import Records, record_of


@pytest.mark.rule("records.create.external-id")
def test_a_long_external_id_is_stored_whole_or_refused(records: Records, tag: str) -> None:
    """The specification shows no maximum length."""
    sent = {length: f"{tag}-{'x' * length}-end" for length in (40, 300)}
    record = records.create(externalId=f"{tag}-short")

    created = {length: records.post(data={"title": tag}, externalId=text) for length, text in sent.items()}
    updated = {length: records.update(record, externalId=f"{text}-2") for length, text in sent.items()}

    for length, text in sent.items():
        for response, expected in ((created[length], text), (updated[length], f"{text}-2")):
            assert refused(response) or record_of(response).get("externalId") == expected, length


@pytest.mark.rule("records.create.external-id-blanks")
def test_blanks_around_an_external_id_are_kept_or_refused(records: Records, tag: str) -> None:
    sent = [f" {tag}-before", f"\t{tag}-both\n"]
    record = records.create()

    responses = [(text, records.post(data={"title": tag}, externalId=text)) for text in sent]
    responses += [(f" {text} 2 ", records.update(record, externalId=f" {text} 2 ")) for text in sent]

    stored = [(text, record_of(response).get("externalId")) for text, response in responses if not refused(response)]
    assert differences([text for text, _ in stored], [external for _, external in stored]) == []
