"""No log record has a secret, at any level and of any library."""

from __future__ import annotations

import logging

import pytest

from project_platform import PlatformError, TokenEndpoint

from .showing import SESSION, TOKEN, secrets_in

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


@pytest.mark.parametrize(
    "mode", ["status-500", "page-502", "misfit", "garbage", "close", "redirect-302", "token-token"]
)
@pytest.mark.parametrize("source", [TOKEN, TokenEndpoint(SESSION)], ids=["token", "endpoint"])
def test_no_secret_is_logged(client_of, caplog, mode, source):
    """The default connections log nothing of a request and of its answer."""
    caplog.set_level(logging.DEBUG)
    for name in [*logging.root.manager.loggerDict]:
        caplog.set_level(logging.DEBUG, logger=name)

    with pytest.raises(PlatformError):
        client_of(mode, token=source).project(PROJECT).records.create(type_slug="deal")

    assert secrets_in(caplog.text) == []
    assert all(secrets_in(repr(vars(record))) == [] for record in caplog.records)
