"""The pages under `/_stub/`: their content, and untrusted text in them."""

from __future__ import annotations

from urllib.parse import urlencode

import httpx
import pytest

from project_platform_stub.admin.page.rendering import pretty_body, visible
from project_platform_stub.faults import drop_after_apply, status
from project_platform_stub.world.domain import Invitation

FORM = "application/x-www-form-urlencoded"
PAGES = [
    "/_stub/",
    "/_stub/unmatched-requests",
    *(f"/_stub/page/demo{rest}" for rest in ["", "/journal", "/outbox", "/faults"]),
]
UNTRUSTED = [
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


@pytest.mark.parametrize("untrusted", UNTRUSTED)
def test_untrusted_text_is_escaped(admin, api, get, stub, untrusted):
    """Names, slugs, paths, bodies and queries are shown as text, with escapes for invisible characters."""
    record = {"typeSlug": "deal", "data": {"title": untrusted}}
    api.post(api.path("object-records"), json=record)
    api.post(api.path("object-records"), json={**record, "externalId": untrusted})
    api.patch(api.path("memory-entries", untrusted), json={"title": untrusted})
    admin.get(api.path(untrusted, untrusted), headers={"Content-Type": untrusted.encode("ascii", "replace")})
    stub.world.snapshot(untrusted)
    stub.world.outbox.append(Invitation(untrusted, "invitation", untrusted, untrusted, untrusted, untrusted))
    entries = [f"/_stub/page/demo/journal/{entry.number}" for entry in stub.world.journal]
    unmatched_requests = [f"/_stub/unmatched-requests/{entry.number}" for entry in stub.unmatched_requests]

    project = f"/_stub/page/demo/projects/{stub.project.id}"
    contents = [f"{project}/{kind}" for kind in ("records", "memory")]
    contents += [f"{project}/records/{id}" for id in stub.project.records]

    for path in [
        *PAGES,
        *entries,
        *unmatched_requests,
        *contents,
        f"/_stub/page/demo/journal?{urlencode({'q': untrusted})}",
    ]:
        text = get(path).text
        assert not set(text) & set("\u202e\u2066\u200f\x00\u2028\x1b")

    assert visible(untrusted) in get("/_stub/page/demo/outbox").text


def test_invisible_characters_are_escaped():
    """Controls and changes of the writing direction are escaped; letters of all scripts are unchanged."""
    assert visible("a\u202eb\u0000\x1b\u2028\ufeff\U000e0041") == "a\\u202eb\\u0000\\u001b\\u2028\\ufeff\\U000e0041"
    assert visible("Köln שלום 日本 👩\u200d🚀\n\t") == "Köln שלום 日本 👩\u200d🚀\n\t"


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
def test_a_json_body_is_indented(body, text):
    """Digits and duplicate keys are unchanged, and so is a body that is not JSON."""
    assert pretty_body(body) == text


def test_the_journal_is_filtered(api, get):
    api.create(data={"title": "Roof"})
    api.get(api.path("agents"), params={"limt": 3})

    page = get("/_stub/page/demo/journal?operation=&status=&identity=&q=&near=1")

    assert "1 of 2 requests" in page.text
    assert "did you mean limit?" in page.text
    assert "records_create" in get("/_stub/page/demo/journal?q=roof&status=201").text
    assert "None of 2 requests matches the filter." in get("/_stub/page/demo/journal?status=500").text


def test_the_newest_200_entries_are_shown(api, get):
    for _ in range(201):
        api.get(api.path("agents"))

    page = get("/_stub/page/demo/journal")

    links = [attributes["href"] for _, attributes in page.found if "/journal/" in (attributes.get("href") or "")]
    assert (len(links), links[0], links[-1]) == (200, "/_stub/page/demo/journal/201", "/_stub/page/demo/journal/2")
    assert "201 of 201 requests, the newest 200 of them shown" in page.text


def test_an_entry_has_all_details(api, get, stub):
    stub.world.faults.plan("agents_list", status(503, retry_after=2))
    response = api.get(api.path("agents"))
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


def test_attempts_show_a_retry_before_retry_after(api, get, stub):
    stub.world.faults.plan("agents_list", status(503, retry_after=60))
    api.get(api.path("agents"))
    api.get(api.path("agents"))

    assert "TOO EARLY" in get("/_stub/page/demo/faults").text


def test_get_requests_change_nothing(admin, get, refused, stub):
    """A page can be reloaded and linked to, because changes need a POST."""
    before = stub.world.state
    for path in PAGES:
        get(path)
    for path in ["reset", "clock", "delete", "faults/clear", "faults/land", "journal/clear"]:
        assert admin.get(f"/_stub/page/demo/{path}").status_code in {404, 405}

    assert stub.world.state is before
    assert stub.worlds.get("demo") is stub.world
