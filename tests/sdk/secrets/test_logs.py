"""No log record has a secret, at any level and of any library."""

from __future__ import annotations

import dataclasses
import logging

import pytest

from project_platform import PlatformError, TokenEndpoint

from .showing import API_KEY, SESSION, TOKEN, secrets_in

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.mark.parametrize(
    "mode", ["status-500", "page-502", "misfit", "garbage", "close", "redirect-302", "token-token"]
)
@pytest.mark.parametrize("source", [TOKEN, TokenEndpoint(SESSION)], ids=["token", "endpoint"])
def test_no_secret_is_logged(client_of, caplog, mode, source):
    """The log of the calls has neither a body nor a header, and the default connections log nothing."""
    caplog.set_level(logging.DEBUG)
    for name in [*logging.root.manager.loggerDict]:
        caplog.set_level(logging.DEBUG, logger=name)

    with pytest.raises(PlatformError):
        client_of(mode, token=source).project(PROJECT).records.create(type_slug="deal", data={"note": API_KEY})

    assert {record.name for record in caplog.records} >= {"project_platform"}
    assert secrets_in(caplog.text) == []
    assert all(secrets_in(repr(vars(record))) == [] for record in caplog.records)


def test_no_event_has_a_secret(client_of):
    """Neither its representation nor its fields have what was sent or what the service repeats."""
    events = []

    with pytest.raises(PlatformError):
        client_of("status-500", on_event=events.append).project(PROJECT).records.create(
            type_slug="deal", data={"note": API_KEY}
        )

    assert len(events) == 4
    assert secrets_in(repr([dataclasses.asdict(event) for event in events])) == []
