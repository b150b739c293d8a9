"""The page in a browser: scripts, policy and forms."""

from __future__ import annotations

import pytest

from ....browser import Browser, running_driver

pytestmark = pytest.mark.one_python

PAGES = [
    "/",
    "/page/demo",
    *(f"/page/demo/{tab}" for tab in ["journal", "journal/1", "outbox", "faults"]),
    "/unmatched-requests",
]


@pytest.fixture
def browser(tmp_path):
    with running_driver() as driver:
        browser = Browser(driver, str(tmp_path / "desktop"))
        yield browser
        browser.close()


@pytest.fixture
def address(stub):
    with stub.serve() as server:
        yield server.base_url


def test_every_page_is_shown_without_console_messages(stub, api, browser, address):
    """The console has no errors and no violations of the policy, also not for the icon."""
    api.create(data={"title": "Roof"})
    browser.open("about:blank")
    assert browser.console is not None

    for path in PAGES:
        browser.open(f"{address}/_stub{path}")
        assert browser.run("return document.styleSheets.length") == 1
        assert browser.run("return document.images[0].naturalWidth") > 0
        assert browser.console == [], path
    assert list(stub.unmatched_requests) == [], "the browser sent other requests"


def test_the_forms_of_the_page_are_accepted(stub, browser, address):
    browser.open(f"{address}/_stub/page/demo/faults")
    browser.choose("//select[@name='operation']/option[@value='agents_list']")
    browser.type("//input[@name='retryAfter']", "2")
    browser.click("//button[normalize-space()='Plan']")
    assert "status 503 Retry-After 2 s" in browser.text
    assert [operation for operation, _ in stub.world.faults.left] == ["agents_list"]

    browser.click("//a[normalize-space()='Overview']")
    browser.click("//button[normalize-space()='Freeze']")
    assert stub.world.clock.frozen
    browser.click("//button[normalize-space()='Reset world']")
    assert not stub.world.clock.frozen
    assert browser.console == []
