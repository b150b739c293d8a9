"""Headless Chromium on the page of a stub server."""

from __future__ import annotations

import pytest

from ....browser import Browser, running_driver


@pytest.fixture(scope="module")
def driver():
    """A client of chromedriver."""
    with running_driver() as client:
        yield client


@pytest.fixture(scope="module")
def browser(driver, tmp_path_factory):
    """A desktop browser."""
    browser = Browser(driver, str(tmp_path_factory.mktemp("desktop")))
    yield browser
    browser.close()


@pytest.fixture
def address(stub):
    """The address of the stub on a socket."""
    with stub.serve() as server:
        yield server.base_url
