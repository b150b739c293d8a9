"""The decisions of the fuse about a request."""

import httpx
import pytest

from project_platform_contract.fuse import BlockedError, Fuse, Limits
from project_platform_contract.operations import EFFECTS, operations

from .fuse_requests import AGENTS, ALL, BASE, CALENDAR, EVENTS, FOREIGN, PROJECT, RECORDS, blocked, fuse, request


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.id)
def test_an_operation_is_allowed_if_its_effect_is(operation):
    """The contract defines the effect, not the method: the label export is a POST that reads."""
    path = operation.path.format(
        projectId=PROJECT,
        recordId="contract-tag",
        eventId="contract-tag",
        templateId="contract-tag",
        slug="contract-tag%2Fb",
        postId="post-1",
        accountId="a",
    )
    content = b"{}" if operation.method != "GET" else b""
    worse = [effect for effect in EFFECTS if EFFECTS.index(effect) < EFFECTS.index(operation.effect)]

    assert (
        fuse(EFFECTS[: len(worse) + 1]).check(request(operation.method, path, content=content)).operation == operation
    )
    assert f"is {operation.effect!r}" in blocked(fuse(worse), operation.method, path, content=content)


ENTRIES = f"/projects/{PROJECT}/memory-entries"
ADDRESS = b'{"attendee": {"email": "other@example.com"}}'

# By the reason: the allowed effects, and requests that are blocked, each with its options.
BLOCKED = {
    "'irreversible'": [  # unknown operations
        ({"read", "write", "notify"}, method, path, {})
        for method, path in (
            *(("GET", "/projects"), ("GET", f"{AGENTS}/"), ("GET", f"/projects//{PROJECT}/agents"), ("HEAD", AGENTS)),
            *(("OPTIONS", AGENTS), ("DELETE", f"{RECORDS}/rec"), ("POST", AGENTS), ("TRACE", AGENTS)),
            *(("POST", "/api/auth/token"), ("GET", f"/projects/{PROJECT}/agents/%2e%2e/members")),
        )
    ],
    "the target": [  # another scheme, host, port or path prefix
        (ALL, "GET", f"{url}{AGENTS}", {})
        for url in (
            "https://elsewhere.example/api-v2",
            "http://platform.example/api-v2",
            "https://platform.example:8443/api-v2",
            "https://platform.example.evil.example/api-v2",
            "https://platform.example@evil.example/api-v2",
            "https://platform.example",
            "https://platform.example/api-v22",
            "https://platform.example/api-v2/../admin",
        )
    ],
    "another path": [  # a server or proxy may decode it, once or twice, and then resolve dot segments
        *(
            (ALL, "PATCH", f"{RECORDS}/{segment}", {"json": {}})
            for segment in (
                *("%2e%2e", "%2E.", "..%2f..", "a%2F..%2Fb", "%252e%252e", "a%2Fb", "a%5Cb", "x%00", "a%0d%0ab"),
                *("%2F", "a%252Fb"),
            )
        ),
        (ALL, "PATCH", f"{ENTRIES}/brand%2F..%2F..%2Fsidebar", {"json": {}}),
        (ALL, "POST", "/projects/%2e/object-records", {"json": {}}),
    ],
    "not in a project that may be written to": [  # only the project in the path counts
        *(
            (ALL, "POST", f"/projects/{project}/object-records", {"json": {}})
            for project in (FOREIGN, "", f"{PROJECT}x", f"{{{PROJECT}}}", f"x%20{PROJECT}")
        ),
        (ALL, "PATCH", f"/projects/{FOREIGN}/object-records/{PROJECT}", {"json": {}}),
        (ALL, "PATCH", f"/projects/{FOREIGN}/object-records/rec?x=/projects/{PROJECT}", {"json": {}}),
    ],
    "not one of the allowed recipients": [  # wherever the address is in the body, and however it is encoded
        (ALL, "POST", EVENTS, {"content": content})
        for content in (
            ADDRESS,
            b'{"attendee": {"email": "other@example.com"}, "attendee": {"email": "guest@example.com"}}',
            b'{"attendee": {"email": "guest@example.com"}, "attendee": {"email": "other@example.com"}}',
            b'{"attendee": {"email": "other@example.com", "email": "guest@example.com"}}',
            b'{"attendee": [{"email": "guest@example.com"}, {"email": "other@example.com"}]}',
            b'{"attendees": ["other@example.com"]}',
            b'{"metadata": {"cc": {"other@example.com": true}}}',
            b'{"description": "copy: other@example.com"}',
            b'{"attendee": {"email": "guest@example.com, other@example.com"}}',
            b'{"attendee": {"email": "GUEST@example.com.evil.example"}}',
            b'{"attendee": {"email": "other\\u0040example.com"}}',
            '{"attendee": {"email": "other\uff20example.com"}}'.encode(),
            '{"attendee": {"email": "other\ufe6bexample.com"}}'.encode(),
            b'{"calendarId": ["other@example.com"]}',
            b'"other@example.com"',
        )
    ],
    "the recipients and identifiers in the body cannot be read": [  # the server might read it in another way
        *(
            (ALL, "POST", EVENTS, {"content": content})
            for content in (
                b"attendee: other@example.com",
                b"{",
                b'{"a": ' * 100_000,
                ADDRESS.decode().encode("utf-16"),
            )
        ),
        (ALL, "POST", EVENTS, {"content": b"\xff\xfe"}),
        (ALL, "POST", EVENTS, {"content": b"{}", "headers": {"Content-Encoding": "gzip"}}),
        (
            *(ALL, "POST", EVENTS),
            {
                "content": b'{"attendee": {"email": "other+AEA-example.com"}}',
                "headers": {"Content-Type": "application/json; charset=utf-7"},
            },
        ),
    ],
}


@pytest.mark.parametrize(
    ("reason", "effects", "method", "path", "options"),
    [(reason, *blocked) for reason, rows in BLOCKED.items() for blocked in rows],
)
def test_a_request_is_blocked_with_the_reason(reason, effects, method, path, options):
    assert reason in blocked(fuse(effects), method, path, **options)


@pytest.mark.parametrize(
    ("effect", "method", "path", "options"),
    [
        # Upper case, the default port, or credentials are another spelling of the target.
        ("read", "GET", f"https://PLATFORM.example:443/api-v2{AGENTS}", {}),
        ("read", "GET", f"https://u:p@platform.example/api-v2{AGENTS}", {}),
        # The specification names the token endpoint and the key set, although they are not operations.
        ("read", "GET", "/api/auth/token", {}),
        ("read", "GET", "/api/auth/jwks", {}),
        ("read", "GET", f"/projects/{FOREIGN}/agents", {}),
        ("write", "POST", f"/projects/{PROJECT.upper()}/object-records", {"json": {}}),
        ("write", "POST", f"/projects/{PROJECT.replace('0', '%30', 1)}/object-records", {"json": {}}),
        ("write", "PATCH", f"{ENTRIES}/brand%2Fvoice", {"json": {}}),  # a slug may contain slashes
        # No message is sent to an address in a record, and the identifier of a calendar only looks like one.
        ("write", "POST", RECORDS, {"json": {"data": {"email": "new@example.com"}}}),
        ("notify", "POST", EVENTS, {"json": {"attendee": {"email": "guest@example.com"}, "calendarId": CALENDAR}}),
    ],
)
def test_a_request_is_allowed(effect, method, path, options):
    """Whose effect is the worst that is allowed."""
    assert fuse(EFFECTS[: EFFECTS.index(effect) + 1]).check(request(method, path, **options)).effect == effect


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"headers": {"X-HTTP-Method-Override": "DELETE"}}, "method-override"),
        ({"headers": {"X-HTTP-Method": "DELETE"}}, "x-http-method"),
        ({"headers": {"x-method-override": "PUT"}}, "x-method-override"),
        ({"headers": {"X-Original-URL": "/admin"}}, "x-original-url"),
        ({"headers": {"X-Rewrite-URL": "/admin"}}, "x-rewrite-url"),
        ({"headers": {"X-Forwarded-Host": "evil.example"}}, "x-forwarded-host"),
        ({"headers": {"Host": "evil.example"}}, "evil.example"),
        ({"headers": [("Host", "platform.example"), ("Host", "evil.example")]}, "evil.example"),
        ({"headers": {"Upgrade": "h2c"}}, "upgrade"),
        ({"headers": {"Content-Length": "3", "Transfer-Encoding": "chunked"}}, "transfer-encoding"),
        ({"extensions": {"target": b"/admin"}}, "extension"),
        ({"extensions": {"sni_hostname": "evil.example"}}, "extension"),
        ({"params": {"_method": "DELETE"}}, "query parameter _method"),
        ({"data": {"_method": "DELETE"}}, "form body"),
        ({"files": {"_method": b"DELETE"}}, "form body"),
    ],
)
def test_what_may_override_the_request_is_blocked(options, what):
    """Some servers and proxies take the method, path or host from there. A POST that reads may have a body."""
    call = ("POST", f"/projects/{PROJECT}/menu-items/label-export") if what == "form body" else ("GET", AGENTS)

    reason = blocked(fuse({"read"}), *call, **options)

    assert what in reason.lower()
    assert "route the request elsewhere" in reason


def test_a_spent_budget_blocks_requests():
    """Blocked requests do not count."""
    fused = fuse({"read"}, requests=2)
    for _ in range(2):
        fused.check(request("GET", AGENTS))
        with pytest.raises(BlockedError, match="'write'"):
            fused.check(request("POST", RECORDS, json={}))

    with pytest.raises(BlockedError, match="the budget of 2 requests is spent"):
        fused.check(request("GET", AGENTS))
    assert fused.passed == 2


def test_requests_are_delayed_to_keep_the_pace():
    now = [100.0]
    fused = Fuse(Limits(BASE, frozenset({"read"}), pace=2.0), clock=lambda: now[0])

    assert [fused.check(request("GET", AGENTS)).delay for _ in range(3)] == [0.0, 2.0, 4.0]
    now[0] = 105.0
    assert fused.check(request("GET", AGENTS)).delay == 1.0
    now[0] = 200.0
    assert fused.check(request("GET", AGENTS)).delay == 0.0


def test_a_redirected_write_is_not_repeated():
    """Neither at another path nor at the same one."""
    fused = fuse({"read", "write"})
    create = request("POST", RECORDS, json={})
    for location in (f"/api-v2{RECORDS}", f"/api-v2/projects/{PROJECT}/workflows"):
        passed = fused.check(request("POST", f"/projects/{PROJECT}/object-records?{location}", json={}))
        fused.record_response(passed, create, httpx.Response(307, headers={"Location": location}))

        with pytest.raises(BlockedError, match="not repeated"):
            fused.check(request("POST", f"https://platform.example{location}", json={}))
