"""The decisions of the fuse about a request."""

from __future__ import annotations

import httpx
import pytest

from project_platform_contract.fuse import BlockedError, Fuse, Limits
from project_platform_contract.operations import EFFECTS, operations

from .fuse_requests import AGENTS, BASE, FOREIGN, PROJECT, RECORDS, blocked, fuse, request


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


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/projects"),
        ("GET", f"{AGENTS}/"),
        ("GET", f"/projects//{PROJECT}/agents"),
        ("HEAD", AGENTS),
        ("OPTIONS", AGENTS),
        ("DELETE", f"{RECORDS}/rec"),
        ("POST", AGENTS),
        ("TRACE", AGENTS),
        ("POST", "/api/auth/token"),
        ("GET", f"/projects/{PROJECT}/agents/%2e%2e/members"),
    ],
)
def test_an_unknown_operation_counts_as_irreversible(method, path):
    assert "'irreversible'" in blocked(fuse({"read", "write", "notify"}), method, path)


def test_the_token_endpoint_and_the_key_set_may_be_read():
    """The specification names them, although they are not operations."""
    reading = fuse({"read"})

    for path in ("/api/auth/token", "/api/auth/jwks"):
        assert reading.check(request("GET", path)).effect == "read"


@pytest.mark.parametrize(
    "url",
    [
        f"https://elsewhere.example/api-v2{AGENTS}",
        f"http://platform.example/api-v2{AGENTS}",
        f"https://platform.example:8443/api-v2{AGENTS}",
        f"https://platform.example.evil.example/api-v2{AGENTS}",
        f"https://platform.example@evil.example/api-v2{AGENTS}",
        f"https://platform.example{AGENTS}",
        f"https://platform.example/api-v22{AGENTS}",
        f"https://platform.example/api-v2/../admin{AGENTS}",
    ],
)
def test_a_request_to_another_target_is_blocked(url):
    """Another scheme, host, port or path prefix."""
    assert "the target" in blocked(fuse(), "GET", url)


@pytest.mark.parametrize(
    "url", [f"https://PLATFORM.example:443/api-v2{AGENTS}", f"https://u:p@platform.example/api-v2{AGENTS}"]
)
def test_another_spelling_of_the_target_is_allowed(url):
    """Upper case, the default port, or credentials."""
    assert fuse({"read"}).check(request("GET", url)).number == 1


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
    is_form = what == "form body"
    path = f"/projects/{PROJECT}/menu-items/label-export" if is_form else AGENTS

    reason = blocked(fuse({"read"}), "POST" if is_form else "GET", path, **options)

    assert what in reason.lower()
    assert "route the request elsewhere" in reason


@pytest.mark.parametrize(
    "segment",
    ["%2e%2e", "%2E.", "..%2f..", "a%2F..%2Fb", "%252e%252e", "a%2Fb", "a%5Cb", "x%00", "a%0d%0ab", "%2F", "a%252Fb"],
)
def test_an_ambiguous_path_segment_is_blocked(segment):
    """A server or proxy may decode it, once or twice, and then resolve dot segments."""
    assert "another path" in blocked(fuse(), "PATCH", f"{RECORDS}/{segment}", json={})


def test_a_slug_may_contain_slashes():
    """But no dot segments."""
    entries = f"/projects/{PROJECT}/memory-entries"

    fused = fuse(resources={"slug": ["brand/voice"]})
    assert fused.check(request("PATCH", f"{entries}/brand%2Fvoice", json={})).number == 1
    assert "another path" in blocked(fuse(), "PATCH", f"{entries}/brand%2F..%2F..%2Fsidebar", json={})


@pytest.mark.parametrize("project", [PROJECT.upper(), PROJECT.replace("0", "%30", 1)])
def test_another_spelling_of_the_project_is_allowed(project):
    """In upper case, or with a percent-encoded digit."""
    assert fuse().check(request("POST", f"/projects/{project}/object-records", json={})).number == 1


@pytest.mark.parametrize("project", [FOREIGN, "", "%2e", f"{PROJECT}x", f"{{{PROJECT}}}", f"x%20{PROJECT}"])
def test_a_write_to_another_project_is_blocked(project):
    reason = blocked(fuse(), "POST", f"/projects/{project}/object-records", json={})

    assert "not in a project that may be written to" in reason or "another path" in reason


def test_only_the_project_in_the_path_counts():
    """Not another parameter, and not the query."""
    for path in (
        f"/projects/{FOREIGN}/object-records/{PROJECT}",
        f"/projects/{FOREIGN}/object-records/rec?x=/projects/{PROJECT}",
    ):
        assert "not in a project that may be written to" in blocked(fuse(), "PATCH", path, json={})
    assert fuse().check(request("GET", f"/projects/{FOREIGN}/agents")).effect == "read"


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
