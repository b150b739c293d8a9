"""The journal and the outbox over HTTP."""

from __future__ import annotations

import pytest

JOURNAL = "/_stub/worlds/demo/journal"


@pytest.fixture
def numbers(admin):
    def numbers(query=""):
        return [entry["number"] for entry in admin.get(JOURNAL + query).json()["entries"]]

    return numbers


def test_an_entry_has_request_and_response(admin, api, stub):
    api.create(data={"title": "Roof"})

    (entry,) = admin.get(JOURNAL).json()["entries"]

    assert entry | {"requestId": "", "seconds": 0} == {
        "number": 1,
        "at": "2026-11-02T08:30:00.000000Z",
        "method": "POST",
        "path": f"/projects/{stub.project.id}/object-records",
        "operation": "records_create",
        "world": "demo",
        "identity": "owner",
        "status": 201,
        "code": None,
        "message": None,
        "ending": "answered",
        "verdict": "201",
        "fault": None,
        "retryAfter": None,
        "nearMiss": False,
        "hints": [],
        "requestId": "",
        "seconds": 0,
        "contentType": "application/json",
        "traceparent": "",
        "size": len(b'{"typeSlug":"deal","data":{"title":"Roof"}}'),
        "body": '{"typeSlug":"deal","data":{"title":"Roof"}}',
    }


def test_a_binary_body_is_in_base64(admin, api):
    """A binary body is in `bodyBase64`; a body that is too long for the journal is null."""
    headers = {"Content-Type": "application/json"}
    api.post(api.path("object-records"), content=b"\xff\x00", headers=headers)
    api.post(api.path("object-records"), content=b"x" * 20_000, headers=headers)

    first, second = admin.get(JOURNAL).json()["entries"]

    assert (first["body"], first["bodyBase64"]) == (None, "/wA=")
    assert (second["body"], second["size"]) == (None, 20_000)


def test_entries_are_filtered(api, sign_in, numbers):
    """Criteria are operation, status or class of status, identity, text and near misses; all of them have to match."""
    record = api.create(data={"title": "Roof"})  # 1
    api.update(record, expectedData={"title": "Cellar"}, data={})  # 2: 409
    api.get(api.path("agents"), params={"limt": 3})  # 3: a hint
    sign_in("viewer").get(api.path("agents"))  # 4
    api.get(api.path("agents"), params={"limit": 0})  # 5: 400

    assert numbers() == numbers("?operation=&status=&identity=&q=&near=") == [1, 2, 3, 4, 5]
    assert numbers("?operation=agents_list") == [3, 4, 5]
    assert numbers("?status=409") == [2]
    assert numbers("?status=4xx") == [2, 5]
    assert numbers("?identity=viewer") == [4]
    assert numbers("?q=ROOF") == [1]
    assert numbers("?q=did%20you%20mean") == [3]
    assert numbers("?near=1") == [3, 5]
    assert numbers("?operation=agents_list&near=1&status=200") == [3]
    assert numbers("?q=nowhere") == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?operaton=x", 'query.operaton: is not known here; did you mean "operation"?'),
        ("?status=ok", "query.status: must be a status"),
        ("?status=4x", "query.status: must be a status"),
        ("?status=9xx", "query.status: must be a status"),
        ("?near=yes", "query.near: must be 0 or 1"),
        ("?q=a&q=b", "query.q: must be given only once"),
    ],
)
def test_an_invalid_filter_is_refused(admin, refused, query, message):
    refused(admin.get(JOURNAL + query), 400, message)


def test_unmatched_requests_have_a_journal(admin, stub):
    """A request with a wrong path or token belongs to no world."""
    admin.get(f"/project/{stub.project.id}/agents")

    (entry,) = admin.get("/_stub/journal?near=1").json()["entries"]

    assert (entry["status"], entry["world"]) == (404, None)
    assert "did you mean GET /projects/{projectId}/agents?" in entry["message"]
    assert admin.delete("/_stub/journal").json() == admin.get("/_stub/journal").json() == {"entries": []}


def test_the_journal_is_cleared(admin, api, numbers):
    """Later entries continue the numbering."""
    api.get(api.path("agents"))
    admin.delete(JOURNAL)
    assert numbers() == []

    api.get(api.path("agents"))

    assert numbers() == [2]


def test_mails_are_listed_and_cleared(admin, api):
    """An invitation that the service would have sent is in the outbox."""
    booking = api.book(attendee={"name": "Ada", "email": "ada@example.com"}).json()

    assert admin.get("/_stub/worlds/demo/outbox").json() == {
        "mails": [
            {
                "to": "ada@example.com",
                "kind": "invitation",
                "bookingUid": booking["bookingUid"],
                "summary": "Tasting",
                "start": booking["start"],
                "end": booking["end"],
            }
        ]
    }
    assert admin.delete("/_stub/worlds/demo/outbox").json() == {"mails": []}
    assert admin.get("/_stub/worlds/demo/outbox").json() == {"mails": []}
