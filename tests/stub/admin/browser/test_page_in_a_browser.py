"""The page in a browser, which alone can tell whether something runs."""

from __future__ import annotations

import pytest

from project_platform_stub.faults import status
from project_platform_stub.world.domain import Invitation

PAGES = [
    "/",
    "/page/demo",
    *(f"/page/demo/{tab}" for tab in ["journal", "journal/1", "outbox", "faults"]),
    "/unmatched-requests",
]
NASTY = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "' autofocus onfocus='document.title=\"owned\"",
    "</pre></title></textarea><svg onload=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "invoice\u202egnp.exe",
]


def test_every_page_is_shown_without_a_complaint(stub, api, browser, address):
    """The console says nothing: no error, and nothing that the policy of the page forbids, not even an icon."""
    api.create(data={"title": "Roof"})
    browser.open("about:blank")
    assert browser.complaints is not None

    for path in PAGES:
        browser.open(f"{address}/_stub{path}")
        assert browser.run("return document.styleSheets.length") == 1
        assert browser.run("return document.images[0].naturalWidth") > 0
        assert browser.complaints == [], path
    assert list(stub.unmatched_requests) == [], "the browser asked for nothing else"


def test_nothing_that_a_request_holds_runs(stub, api, admin, browser, address):
    """Scripts in bodies, paths, names and mails are text: the title stays, and no dialog opens."""
    for nasty in NASTY:
        api.create(data={"title": nasty, "site": {nasty: nasty}})
        api.patch(api.path("memory-entries", nasty), json={"title": nasty})
        api.get(api.path(nasty))
        stub.world.outbox.append(Invitation(nasty, "invitation", nasty, nasty, nasty, nasty))
        stub.world.snapshot(nasty)
    stub.world.faults.plan("agents_list", status(409, message=NASTY[0]))
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
        assert browser.complaints == [], path
        assert "\u202e" not in browser.text

    browser.open(f"{address}/_stub/page/demo/outbox")
    assert "invoice\\u202egnp.exe" in browser.text
    assert NASTY[0] in browser.text


def test_the_policy_stops_what_would_run(browser, address):
    """Even a script that got into a page would not run: the browser refuses it and says so."""
    browser.open(f"{address}/_stub/")
    browser.run("const script = document.createElement('script'); script.textContent = \"document.title='owned'\";"
                "document.body.append(script)")  # fmt: skip

    assert browser.run("return document.title") == "Worlds · stub server"
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)


def test_the_journal_is_filtered_and_a_request_replayed_by_clicking(stub, api, browser, address):
    """From the worlds to the journal, to what is looked for, to a request, and to the same request sent again."""
    api.create(data={"title": "Roof"})
    api.create(data={"title": "Cellar"})
    api.get(api.path("agents"))
    before = len(stub.project.records)

    browser.open(f"{address}/_stub/")
    browser.click("//a[normalize-space()='demo']")
    browser.click("//a[starts-with(normalize-space(), 'Journal')]")
    browser.type("//input[@name='q']", "cellar")
    browser.click("//button[normalize-space()='Filter']")
    assert "1 of 3 requests" in browser.text
    browser.click("//td/a")
    assert '"title": "Cellar"' in browser.text
    browser.click("//button[normalize-space()='Replay']")

    assert "This is the request that was sent again." in browser.text
    assert browser.run("return location.pathname") == "/_stub/page/demo/journal/4"
    assert len(stub.project.records) == before + 1
    assert [(entry.identity, entry.status) for entry in stub.world.journal][-1] == ("owner", 201)


def test_forms_of_the_page_are_let_through(stub, browser, address):
    """A browser sends them with an `Origin` that the gate takes: faults are planned, clock and world are moved."""
    browser.open(f"{address}/_stub/page/demo/faults")
    browser.choose("//select[@name='operation']/option[@value='agents_list']")
    browser.type("//input[@name='retryAfter']", "2")
    browser.click("//button[normalize-space()='Plan']")
    assert "status 503 Retry-After 2 s" in browser.text
    assert [operation for operation, _ in stub.world.faults.left] == ["agents_list"]

    browser.click("//a[normalize-space()='Overview']")
    browser.click("//button[normalize-space()='Freeze']")
    assert stub.world.clock.frozen
    browser.click("//button[normalize-space()='Reset the world']")
    assert not stub.world.clock.frozen
    assert browser.complaints == []


def test_another_page_in_the_same_browser_changes_nothing(stub, browser, address):
    """A form of another site, and of another port of this machine, is refused."""
    form = f"<form method=post action={address}/_stub/page/demo/delete><button>Win</button></form>"
    browser.open(f"data:text/html,{form}")
    browser.click("//button")

    assert "403" in browser.text or "cross_site" in browser.text
    assert stub.worlds.get("demo") is stub.world


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_light_or_dark_as_somebody_likes(browser, address, scheme):
    """By `prefers-color-scheme`, and readable in both: WCAG 2.2 asks for a contrast of 4.5."""
    browser.emulate("prefers-color-scheme", scheme)
    browser.open(f"{address}/_stub/")

    ground = _luminance(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert (ground > 0.5) is (scheme == "light")
    for element in ["body", "td a", "th", "nav a", "button.main"]:
        ink, own = browser.run(f"""
            const each = document.querySelector({element!r});
            let around = each;
            while (getComputedStyle(around).backgroundColor === "rgba(0, 0, 0, 0)") around = around.parentElement;
            return [getComputedStyle(each).color, getComputedStyle(around).backgroundColor];""")
        lighter, darker = sorted([_luminance(ink), _luminance(own)], reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, element


def _luminance(colour: str) -> float:
    """Return the relative luminance of an sRGB colour (WCAG 2.2)."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_page_fits_a_phone(stub, api, phone, address):
    """At 360 pixels nothing has to be scrolled sideways."""
    api.create(data={"title": "Roof" * 100})
    api.get(api.path("agents", "x" * 300))
    stub.world.outbox.append(Invitation("ada@example.com" * 10, "invitation", "b" * 80, "Tasting", "2026", "2026"))
    stub.world.snapshot("s" * 90)
    stub.world.faults.plan("*", status(503, retry_after=2))

    for path in PAGES:
        phone.open(f"{address}/_stub{path}")
        assert phone.run("return innerWidth") == 360
        assert phone.run("return document.documentElement.scrollWidth") == 360, path
