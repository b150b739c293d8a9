"""The page in a browser: scripts, policy and forms."""

from __future__ import annotations

import pytest

from project_platform_stub.faults import status
from project_platform_stub.world.domain import Invitation

pytestmark = pytest.mark.one_python

PAGES = [
    "/",
    "/page/demo",
    *(f"/page/demo/{tab}" for tab in ["journal", "journal/1", "outbox", "faults"]),
    "/unmatched-requests",
]
UNTRUSTED = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "' autofocus onfocus='document.title=\"owned\"",
    "</pre></title></textarea><svg onload=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "invoice\u202egnp.exe",
]


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


def test_untrusted_text_does_not_run(stub, api, admin, browser, address):
    """Scripts in bodies, paths, names and mails are text: the title is unchanged, and no dialog opens."""
    for untrusted in UNTRUSTED:
        api.create(data={"title": untrusted, "site": {untrusted: untrusted}})
        api.patch(api.path("memory-entries", untrusted), json={"title": untrusted})
        api.get(api.path(untrusted))
        stub.world.outbox.append(Invitation(untrusted, "invitation", untrusted, untrusted, untrusted, untrusted))
        stub.world.snapshot(untrusted)
    stub.world.faults.plan("agents_list", status(409, message=UNTRUSTED[0]))
    admin.get(api.path("agents"), headers={"Authorization": f"Bearer {stub.token()}"})
    pages = ["/page/demo", "/page/demo/journal", "/page/demo/outbox", "/page/demo/faults", "/unmatched-requests"]
    pages += [f"/page/demo/journal/{entry.number}" for entry in stub.world.journal]
    pages += [f"/unmatched-requests/{entry.number}" for entry in stub.unmatched_requests]

    for path in pages:
        browser.open(f"{address}/_stub{path}")  # A dialog would make the next step fail.
        assert browser.run("return document.title").endswith("· stub server"), path
        assert (
            browser.run("return document.querySelectorAll('script, svg, [onload], [onerror], [onfocus]').length") == 0
        )
        assert browser.console == [], path
        assert "\u202e" not in browser.text

    browser.open(f"{address}/_stub/page/demo/outbox")
    assert "invoice\\u202egnp.exe" in browser.text
    assert UNTRUSTED[0] in browser.text


def test_the_policy_stops_an_inserted_script(browser, address):
    """The browser does not run a script that is inserted in the page, and reports a violation of the policy."""
    browser.open(f"{address}/_stub/")
    browser.run("const script = document.createElement('script'); script.textContent = \"document.title='owned'\";"
                "document.body.append(script)")  # fmt: skip

    assert browser.run("return document.title") == "Worlds · stub server"
    assert any("Content Security Policy" in message for message in browser.console)


def test_the_forms_of_the_page_are_accepted(stub, browser, address):
    """The browser sends the forms with an `Origin` that the gate accepts."""
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


def test_another_page_in_the_same_browser_changes_nothing(stub, browser, address):
    """A form of another site is refused."""
    form = f"<form method=post action={address}/_stub/page/demo/delete><button>Win</button></form>"
    browser.open(f"data:text/html,{form}")
    browser.click("//button")

    assert "403" in browser.text or "cross_site" in browser.text
    assert stub.worlds.get("demo") is stub.world
