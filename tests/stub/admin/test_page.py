"""The page under `/_stub/`: what it shows, what its forms do, and that nothing in it runs."""

from __future__ import annotations

from urllib.parse import urlencode

import httpx
import pytest

from project_platform_stub.admin.page.rendering import laid_out, shown
from project_platform_stub.faults import drop_after_apply, status
from project_platform_stub.world.domain import Invitation

FORM = "application/x-www-form-urlencoded"
PAGES = [
    "/_stub/",
    "/_stub/unmatched-requests",
    *(f"/_stub/page/demo{rest}" for rest in ["", "/journal", "/outbox", "/faults"]),
]
NASTY = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "' autofocus onfocus='document.title=1",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "</pre></textarea></title><svg onload=alert(1)>",
    "&lt;b&gt; &amp;",
    "invoice\u202egnp.exe",
    "\u2066\u200f\u0000\u2028\x1b[31m",
]


@pytest.fixture
def headers(stub):
    """The owner's credentials, for requests whose answers were planned and need not fit the contract."""
    return {"Authorization": f"Bearer {stub.token('owner')}"}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_there_from_the_start(get, path):
    """Also while nothing has happened."""
    assert "Stub server" in get(path).text


@pytest.mark.parametrize(
    "path", ["/_stub/page/nowhere", "/_stub/page/demo/journal/1", "/_stub/page/demo/journal?status=x"]
)
def test_what_cannot_be_shown_is_told_as_a_page(admin, path):
    """Somebody at a browser gets no JSON."""
    response = admin.get(path)

    assert response.status_code in {400, 404}
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("nasty", NASTY)
def test_nothing_that_a_request_holds_runs(admin, api, get, stub, nasty):
    """Names, slugs, paths, bodies and queries are text, whatever they hold; what cannot be seen is shown as a code."""
    record = {"typeSlug": "deal", "data": {"title": nasty}}
    api.post(api.path("object-records"), json=record)
    api.post(api.path("object-records"), json={**record, "externalId": nasty})
    api.patch(api.path("memory-entries", nasty), json={"title": nasty})
    admin.get(api.path(nasty, nasty), headers={"Content-Type": nasty.encode("ascii", "replace")})
    stub.world.snapshot(nasty)
    stub.world.outbox.append(Invitation(nasty, "invitation", nasty, nasty, nasty, nasty))
    entries = [f"/_stub/page/demo/journal/{entry.number}" for entry in stub.world.journal]
    unmatched_requests = [f"/_stub/unmatched-requests/{entry.number}" for entry in stub.unmatched_requests]

    for path in [*PAGES, *entries, *unmatched_requests, f"/_stub/page/demo/journal?{urlencode({'q': nasty})}"]:
        text = get(path).text
        assert not set(text) & set("\u202e\u2066\u200f\x00\u2028\x1b")

    assert shown(nasty) in get("/_stub/page/demo/outbox").text


def test_what_is_unseen_is_shown():
    """Controls and characters that turn the writing direction are codes; letters of all scripts are as they were."""
    assert shown("a\u202eb\u0000\x1b\u2028\ufeff\U000e0041") == "a\\u202eb\\u0000\\u001b\\u2028\\ufeff\\U000e0041"
    assert shown("Köln שלום 日本 👩\u200d🚀\n\t") == "Köln שלום 日本 👩\u200d🚀\n\t"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"a":[1.50,{}],"b":{"c":"x, {y}: \\"z\\""},"d":[]}',
         '{\n  "a": [\n    1.50,\n    {}\n  ],\n  "b": {\n    "c": "x, {y}: \\"z\\""\n  },\n  "d": []\n}'),
        (b"[[],[[]]]", "[\n  [],\n  [\n    []\n  ]\n]"),
        (b'{"a":1,"a":123456789012345678901234567890.10}', '{\n  "a": 1,\n  "a": 123456789012345678901234567890.10\n}'),
        (b'"text"', '"text"'),
        (b"not json: [1", "not json: [1"),
        (b"\xff", "\\xff"),
        (b"[" * 10_000, "[" * 10_000),
    ],
)  # fmt: skip
def test_a_body_is_laid_out_and_nothing_else_is_changed(body, text):
    """Every digit and every duplicate key is there; what is no JSON is shown as it came."""
    assert laid_out(body) == text


def test_the_journal_is_filtered(api, get):
    """By what the form asks for; the form shows what that was."""
    api.create(data={"title": "Roof"})
    api.get(api.path("agents"), params={"limt": 3})

    page = get("/_stub/page/demo/journal?operation=&status=&identity=&q=&near=1")

    assert "1 of 2 requests" in page.text
    assert "did you mean limit?" in page.text
    assert "records_create" in get("/_stub/page/demo/journal?q=roof&status=201").text
    assert "None of 2 requests is like that." in get("/_stub/page/demo/journal?status=500").text


def test_the_newest_are_shown_of_many(api, get):
    """The page stays small, and says how many there are."""
    for _ in range(201):
        api.get(api.path("agents"))

    page = get("/_stub/page/demo/journal")

    links = [attributes["href"] for _, attributes in page.found if "/journal/" in (attributes.get("href") or "")]
    assert (len(links), links[0], links[-1]) == (200, "/_stub/page/demo/journal/201", "/_stub/page/demo/journal/2")
    assert "201 of 201 requests, the newest 200 of them shown" in page.text


def test_an_entry_tells_all_that_matters(admin, api, get, stub, headers):
    """Verdict, message, hints, fault, headers and body."""
    stub.world.faults.plan("agents_list", status(503, retry_after=2))
    response = admin.get(api.path("agents"), headers=headers)
    stub.world.faults.plan("records_create", drop_after_apply())
    with pytest.raises(httpx.TransportError):
        api.create(data={"title": "Roof"})
    api.get(api.path("agents"), params={"limt": 3})

    first, second, third = [get(f"/_stub/page/demo/journal/{number}").text for number in (1, 2, 3)]

    assert "Retry-After2 s" in first
    assert response.headers["X-Request-Id"] in first
    assert "faultdrop_after_apply" in second.lower()
    assert '"title": "Roof"' in second
    assert "did you mean limit?" in third


def test_attempts_tell_whether_retry_after_was_kept(admin, api, get, stub, headers):
    """Who comes too early is told so."""
    stub.world.faults.plan("agents_list", status(503, retry_after=60))
    admin.get(api.path("agents"), headers=headers)
    admin.get(api.path("agents"), headers=headers)

    assert "TOO EARLY" in get("/_stub/page/demo/faults").text


def test_looking_changes_nothing(admin, get, refused, stub):
    """A page can be reloaded and linked to: what changes something is a POST."""
    before = stub.world.state
    for path in PAGES:
        get(path)
    for path in ["reset", "clock", "delete", "faults/clear", "faults/land", "journal/clear"]:
        assert admin.get(f"/_stub/page/demo/{path}").status_code in {404, 405}

    assert stub.world.state is before
    assert stub.worlds.get("demo") is stub.world
