"""Large requests are refused quickly, and their responses and journal entries are short."""

from __future__ import annotations

import time

import pytest

from project_platform_stub import Stub


def test_a_body_that_is_invalid_throughout_is_refused_quickly(api, refused):
    """Only the first problem is reported; collecting all of them would take minutes."""
    began = time.process_time()

    refused(api.put(api.path("sidebar"), json={"sections": [1] * 400_000}), 400, "body.sections[0]: must be object")
    refused(api.book(attendee={"email": "a" * 10**6}), 400, "body.attendee.email: is no")

    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "fields", [{f"field{number}": 1 for number in range(50_000)}, {"x" * 900_000: 1}], ids=["many names", "a long name"]
)
def test_the_journal_stores_little_of_a_large_request(api, stub: Stub, fields):
    """It lists only the first unknown names, and shortens them."""
    api.create(**fields)

    (entry,) = stub.world.journal
    assert entry.hints[0].startswith("body.field0: is not known" if len(fields) > 1 else "body.xxx")
    assert entry.body is None
    assert len(str(entry)) < 2000
    if len(fields) > 1:
        assert entry.hints[-1] == "body: 49990 more names are not known, and was ignored"


def test_a_message_shortens_a_long_name(api, refused):
    body = refused(api.get(f"/socials/posts/{api.stub.project.id}", params={"x" * 50_000: "1"}), 400, "query.xxx")

    assert len(body["message"]) < 300
    assert body["message"].endswith("x...: is not a field to filter by")
