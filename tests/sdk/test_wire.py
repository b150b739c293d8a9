"""What goes over the wire for each operation, byte by byte, and that it fits the contract.

The contract is read as plain YAML and checked with a validator of its own: the generated code has no say in it.
"""

from __future__ import annotations

import datetime
import json
import re
import socket
import threading
from operator import attrgetter
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote
from uuid import UUID

import anyio
import httpx
import pytest
import respx
import yaml
from openapi_schema_validator import OAS31Validator, oas31_format_checker

from project_platform import AsyncClient, AuthenticationError, Client, PlatformError, StatusError, UsageError

CONTRACT = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
ACCOUNT = "22222222-2222-4222-8222-222222222222"
P = f"/projects/{PROJECT}"
NINE = datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
SECTIONS = [{"id": "s1", "label": "Main", "items": [{"label": "Home", "icon": "house", "id": "i1", "href": "/"}]}]
PDF = b"%PDF-1.7"

# Method of the client, its arguments, the request (method, target, body), the answer, and the result's first look.
OPERATIONS = {
    "auth_check_permission": (
        ("auth.check_permission", ["sub_projects:write"], {}),
        ("GET", "/auth/check-permission?permission=sub_projects%3Awrite", b""),
        {"allowed": False},
        lambda result: result is False,
    ),
    "workflows_create": (
        (
            "workflows.create",
            [],
            {
                "name": "Größe",
                "trigger_type_slug": "form",
                "trigger_event_type": "form.sent",
                "actions": [{"type": "mail", "delay": 1.50}],
                "description": "",
                "tags": ["a"],
                "trigger_condition": None,
                "is_active": False,
            },
        ),
        (
            "POST",
            f"{P}/workflows",
            (
                '{"name":"Größe","triggerTypeSlug":"form","triggerEventType":"form.sent","actions":[{"type":"mail","delay":'
                '1.5}],"description":"","tags":["a"],"triggerCondition":null,"isActive":false}'
            ),
        ),
        {"workflow": {"id": "w1", "revision": "3", "createdAt": "2026-11-20T09:00:00Z"}},
        lambda result: (result.id, result.revision, result.created_at.year) == ("w1", "3", 2026),
    ),
    "records_create": (
        ("records.create", [], {"type_slug": "deal", "data": {"a": None}, "external_id": "x", "relations": {}}),
        ("POST", f"{P}/object-records", '{"typeSlug":"deal","data":{"a":null},"externalId":"x","relations":{}}'),
        {"record": {"id": "r1", "typeSlug": "deal", "amountCents": "1200", "data": {"a": 1}}},
        lambda result: (result.id, result.amount_cents, result.data) == ("r1", "1200", {"a": 1}),
    ),
    "records_update": (
        (
            "records.update",
            ["r 1/2"],
            {
                "data": {"stage": "won"},
                "external_id": None,
                "expected_data": {"stage": "open"},
                "expected_status": "active",
                "relations": {"company": ["c1"]},
            },
        ),
        (
            "PATCH",
            f"{P}/object-records/r%201%2F2",
            (
                '{"data":{"stage":"won"},"externalId":null,"expectedData":{"stage":"open"},"expectedStatus":"active",'
                '"relations":{"company":["c1"]}}'
            ),
        ),
        {"record": {"id": "r 1/2", "data": {"stage": "won"}, "newField": 7}},
        lambda result: (result.data, result.model_extra) == ({"stage": "won"}, {"newField": 7}),
    ),
    "calendar_book": (
        (
            "calendar.book",
            [],
            {
                "start": NINE,
                "summary": "Tasting",
                "end": "2026-11-20T10:00:00+01:00",
                "duration_minutes": 60,
                "time_zone": "Europe/Berlin",
                "description": "D",
                "calendar_id": "primary",
                "attendee": {"name": "Ada", "email": "ada@b.example", "phone": "+49 1"},
                "metadata": {"k": [1]},
                "conflict_check": True,
            },
        ),
        (
            "POST",
            f"{P}/calendar/provider/events",
            (
                '{"start":"2026-11-20T09:00:00+01:00","summary":"Tasting","end":"2026-11-20T10:00:00+01:00",'
                '"durationMinutes":60,"timeZone":"Europe/Berlin","description":"D","calendarId":"primary",'
                '"attendee":{"name":"Ada","email":"ada@b.example","phone":"+49 1"},"metadata":{"k":[1]},"conflictCheck":true}'
            ),
        ),
        {"bookingUid": "b1", "start": "2026-11-20T09:00:00+01:00", "htmlLink": "https://c.example/b1"},
        lambda result: (result.booking_uid, result.start) == ("b1", "2026-11-20T09:00:00+01:00"),
    ),
    "calendar_reschedule": (
        (
            "calendar.reschedule",
            ["b1@provider"],
            {
                "calendar_id": "primary",
                "start": NINE,
                "end": NINE,
                "duration_minutes": 30,
                "time_zone": "Europe/Berlin",
                "summary": "S",
                "description": "D",
                "conflict_check": False,
                "notify_attendees": False,
            },
        ),
        (
            "PATCH",
            f"{P}/calendar/provider/events/b1%40provider",
            (
                '{"calendarId":"primary","start":"2026-11-20T09:00:00+01:00","end":"2026-11-20T09:00:00+01:00",'
                '"durationMinutes":30,"timeZone":"Europe/Berlin","summary":"S","description":"D","conflictCheck":false,'
                '"notifyAttendees":false}'
            ),
        ),
        {"bookingUid": "b1@provider", "calendarId": "primary"},
        lambda result: result.calendar_id == "primary",
    ),
    "calendar_busy": (
        ("calendar.busy", [], {"time_min": NINE, "time_max": "2026-11-21T00:00:00Z", "calendar_id": "a&b=c"}),
        (
            "GET",
            (
                f"{P}/calendar/provider/busy?timeMin=2026-11-20T09%3A00%3A00%2B01%3A00&timeMax=2026-11-21T00%3A00%3A00Z"
                "&calendarId=a%26b%3Dc"
            ),
            b"",
        ),
        {"busy": [{"start": "a", "end": "b"}, {}]},
        lambda result: [getattr(interval, "end", None) for interval in result] == ["b", None],
    ),
    "sidebar_replace": (
        ("sidebar.replace", [], {"sections": SECTIONS}),
        (
            "PUT",
            f"{P}/sidebar",
            '{"sections":[{"id":"s1","label":"Main","items":[{"label":"Home","icon":"house","id":"i1","href":"/"}]}]}',
        ),
        {"success": True, "data": {"sections": SECTIONS}},
        lambda result: result.sections[0].items[0].icon == "house",
    ),
    "templates_apply": (
        ("templates.apply", ["t1"], {"name": "North", "variable_values": {"city": "Kiel", "seats": 40}}),
        ("POST", f"{P}/templates/t1/apply", '{"name":"North","variableValues":{"city":"Kiel","seats":40}}'),
        {
            "success": True,
            "data": {
                "project": {"id": ACCOUNT, "createdAt": "2026-11-20T09:00:00Z"},
                "templateApply": {"status": "applied", "report": {"counts": {"roles": 2}, "missingVariables": ["x"]}},
            },
        },
        lambda result: (result.project.id, result.template_apply.report.counts.roles) == (UUID(ACCOUNT), 2),
    ),
    "memory_update": (
        ("memory.update", ["brand/voice"], {"title": "T", "description": None, "content": "C", "metadata": {"k": 1}}),
        (
            "PATCH",
            f"{P}/memory-entries/brand%2Fvoice",
            '{"title":"T","description":null,"content":"C","metadata":{"k":1}}',
        ),
        {"entry": {"slug": "brand/voice", "title": "T", "metadata": {"k": 1}}},
        lambda result: (result.slug, result.metadata) == ("brand/voice", {"k": 1}),
    ),
    "engagement_like": (
        ("engagement.like", ["123_456"], {"account_id": UUID(ACCOUNT)}),
        ("POST", f"/socials/engagement/pagenet/{PROJECT}/123_456/like", f'{{"accountId":"{ACCOUNT}"}}'),
        {"success": True},
        lambda result: result is True,
    ),
    "agents_list": (
        ("agents.list", [], {"limit": 100, "offset": 0}),
        ("GET", f"{P}/agents?limit=100&offset=0", b""),
        {"agents": [{"id": "a1", "toolCategories": ["memory"], "access": "project_member"}], "pagination": {}},
        lambda result: [(agent.id, agent.tool_categories) for agent in result] == [("a1", ["memory"])],
    ),
    "web_analytics_get_config": (
        ("web_analytics.get_config", [], {}),
        ("GET", f"/web-analytics/config/{PROJECT}", b""),
        {"config": {"id": "c1", "enabled": True, "searchSiteUrl": "https://s.example"}},
        lambda result: (result.enabled, result.search_site_url) == (True, "https://s.example"),
    ),
    "posts_list": (
        ("posts.list", [], {"filters": {"status": "failed", "platform": "a b"}}),
        ("GET", f"/socials/posts/{PROJECT}?status=failed&platform=a%20b", b""),
        {"success": True, "data": {"posts": [{"id": ACCOUNT, "media": [{"sizeBytes": 7}], "account": None}]}},
        lambda result: (result[0].id, result[0].media[0].size_bytes) == (UUID(ACCOUNT), 7),
    ),
    "photo_analytics_list_media": (
        ("photo_analytics.list_media", [ACCOUNT], {"filters": {"since": "2026-11-01"}}),
        ("GET", f"/socials/analytics/photonet/{PROJECT}/{ACCOUNT}/media?since=2026-11-01", b""),
        {"success": True, "data": {"media": [{"mediaId": "m1", "likeCount": 7}]}},
        lambda result: (result[0].media_id, result[0].like_count) == ("m1", 7),
    ),
    "labels_export": (
        (
            "labels.export",
            [],
            {"menu_month": "2026-11", "item_ids": [UUID(ACCOUNT)], "include_unapproved": True, "stock": "5x3.5"},
        ),
        (
            "POST",
            f"{P}/menu-items/label-export",
            f'{{"menuMonth":"2026-11","itemIds":["{ACCOUNT}"],"includeUnapproved":true,"stock":"5x3.5"}}',
        ),
        PDF,
        lambda result: result.content == PDF,
    ),
}


class Contract:
    """Requests and answers against `openapi.yaml`."""

    def operation(self, method, path):
        """Return the operation that a path without its query belongs to, and its path arguments."""
        for template, item in CONTRACT["paths"].items():
            found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template), path)
            if found and method.lower() in item:
                return item[method.lower()], {name: unquote(value) for name, value in found.groupdict().items()}
        raise AssertionError(f"the contract has no {method} {path}")

    def check(self, method, target, body, answer):
        """Fail unless request and answer fit; return the identifier of the operation."""
        path, _, query = target.partition("?")
        operation, in_path = self.operation(method, path)
        in_query = dict(parse_qsl(query, strict_parsing=bool(query)))
        for parameter in map(self.resolved, operation.get("parameters", [])):
            given = in_path if parameter["in"] == "path" else in_query
            if parameter.get("explode"):
                self.fits(parameter["schema"], dict(given))
                given.clear()
            elif parameter.get("required") or parameter["name"] in given:
                self.fits(parameter["schema"], self.parsed(given.pop(parameter["name"]), parameter["schema"]))
        assert (in_path, in_query) == ({}, {}), "arguments that the contract does not know"
        if "requestBody" in operation:
            self.fits(operation["requestBody"]["content"]["application/json"]["schema"], json.loads(body))
        else:
            assert not body
        success = next(answer for status, answer in operation["responses"].items() if status in {"2XX", "200"})
        if "application/json" in success["content"]:
            self.fits(success["content"]["application/json"]["schema"], answer)
        return operation["operationId"]

    @staticmethod
    def resolved(node):
        """Return what a reference stands for."""
        while "$ref" in node:
            _, *path = node["$ref"].split("/")
            node = CONTRACT
            for part in path:
                node = node[part]
        return node

    @staticmethod
    def parsed(text, schema):
        """Return the value that a text of the query or the path stands for."""
        return int(text) if schema.get("type") == "integer" else text

    @staticmethod
    def fits(schema, value):
        """Fail unless a value fits a schema."""
        whole = {**schema, "components": CONTRACT["components"]}
        OAS31Validator(whole, format_checker=oas31_format_checker).validate(value)


@pytest.fixture
def router():
    """The service as respx plays it; a route that is not called fails the test."""
    return respx.MockRouter(base_url="https://platform.example", assert_all_mocked=True)


@pytest.fixture
def wired(connect, router, way):
    """A client whose requests respx answers."""
    handler = router.handler if way == "sync" else router.async_handler
    with router:
        yield connect("https://platform.example", transport=httpx.MockTransport(handler))


def called(client, method, args, kwargs):
    """Call a method by its dotted name, of the client or of the project; a pager is read to its end."""
    scope = client if method.startswith("auth.") else client.project(PROJECT)
    result = attrgetter(method)(scope)(*args, **kwargs)
    return list(result) if method == "agents.list" else result


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_each_operation_sends_and_returns(wired, router, name):
    """Method, target and body are these byte by byte, sync and async; the result is the member that the contract unwraps."""
    call, (method, target, body), answer, fits = OPERATIONS[name]
    content = {"content": answer} if isinstance(answer, bytes) else {"json": answer}
    route = router.route(method=method).respond(200, **content)

    result = called(wired, *call)

    request = route.calls.last.request
    assert (request.method, request.url.raw_path.decode()) == (method, target)
    assert request.content.decode() == (body if isinstance(body, str) else body.decode())
    assert fits(result)
    assert route.call_count == 1


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_headers_of_each_operation(wired, router, token, name):
    """Each request has the credential, the accepted type, the content type and the user agent."""
    call, sent, answer, _ = OPERATIONS[name]
    content = {"content": answer} if isinstance(answer, bytes) else {"json": answer}
    route = router.route(method=sent[0]).respond(200, **content)

    called(wired, *call)

    headers = route.calls.last.request.headers
    wanted = "application/pdf, application/json" if isinstance(answer, bytes) else "application/json"
    assert headers.get_list("authorization") == [f"Bearer {token}"]
    assert headers.get_list("accept") == [wanted]
    assert headers.get_list("content-type") == (["application/json"] if sent[2] else [])
    assert headers.get("content-length") == (str(len(sent[2].encode())) if sent[2] else None)
    assert re.fullmatch(r"project-platform/\S+ python/3\S+", headers["user-agent"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_request_and_answer_fits_the_contract(name):
    """The requests and answers of the table above fit `openapi.yaml`."""
    _, (method, target, body), answer, _ = OPERATIONS[name]

    assert Contract().check(method, target, body, answer) == name


def test_every_operation_of_the_contract_is_in_the_table():
    """The table has exactly the operations of the contract."""
    known = {operation["operationId"] for item in CONTRACT["paths"].values() for operation in item.values()}

    assert set(OPERATIONS) == known


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (("workflows.create", [], {"name": "N", "trigger_type_slug": "t", "trigger_event_type": "e"}), None),
        (("records.create", [], {"type_slug": "deal"}), '{"typeSlug":"deal"}'),
        (("records.update", ["r1"], {}), "{}"),
        (("calendar.book", [], {"start": NINE, "summary": "S"}), '{"start":"2026-11-20T09:00:00+01:00","summary":"S"}'),
        (("calendar.reschedule", ["b1"], {"summary": "S"}), '{"summary":"S"}'),
        (("sidebar.replace", [], {"sections": []}), '{"sections":[]}'),
        (("templates.apply", ["t1"], {"name": "N"}), '{"name":"N"}'),
        (("memory.update", ["s"], {"content": None}), '{"content":null}'),
        (("memory.update", ["s"], {}), "{}"),
        (("labels.export", [], {}), "{}"),
    ],
)
def test_what_is_not_given_is_not_sent(wired, router, call, body):
    """The SDK sends no default values; null is sent if null was given."""
    route = router.route().respond(400, json={"message": "enough seen"})

    with pytest.raises(StatusError, match="enough seen"):
        called(wired, *call)

    request = route.calls.last.request
    expected = body or '{"name":"N","triggerTypeSlug":"t","triggerEventType":"e"}'
    assert request.content.decode() == expected
    operation, _ = Contract().operation(request.method, request.url.raw_path.decode())
    Contract.fits(operation["requestBody"]["content"]["application/json"]["schema"], json.loads(request.content))


@pytest.mark.parametrize(
    "slug", ["a/b", "a/../b", "größe", "100%", "a?b#c", "a+b", "a%2Fb", " ", "日本/語", "...", "a\\b"]
)
def test_a_slug_travels_as_one_segment(wired, router, slug):
    """The service decodes the segment once and has the slug."""
    route = router.patch().respond(200, json={"entry": {}})

    called(wired, "memory.update", [slug], {"title": "T"})

    raw = route.calls.last.request.url.raw_path.decode()
    prefix = f"{P}/memory-entries/"
    assert raw == prefix + quote(slug, safe="")
    assert unquote(raw.removeprefix(prefix)) == slug


@pytest.mark.parametrize("slug", ["", ".", ".."])
def test_a_dot_segment_is_never_sent(wired, router, slug):
    """It would be removed from the path, which would address something else."""
    with pytest.raises(UsageError, match="slug is"):
        called(wired, "memory.update", [slug], {"title": "T"})

    assert router.calls.call_count == 0


def test_a_value_that_nobody_knew_is_let_through(wired, router):
    """Unknown values of an open enumeration are kept, so that a newer service does not break an older client."""
    agent = {
        "id": "a1",
        "toolCategories": ["memory", "newer"],
        "access": "newest",
        "mcpServers": [{"headers": {"a": 1}}],
    }
    router.get(f"{P}/agents").respond(200, json={"agents": [agent], "pagination": {}})

    (read,) = called(wired, "agents.list", [], {})

    assert (read.tool_categories, read.access) == (["memory", "newer"], "newest")


@pytest.mark.parametrize("filters", [{}, {"a&b": "c=d", "größe": "ü"}, {"x": ""}])
def test_filters_are_passed_through(wired, router, filters):
    """Names and values are sent unchanged."""
    route = router.get(path=f"/socials/posts/{PROJECT}").respond(200, json={"data": {"posts": []}})

    assert called(wired, "posts.list", [], {"filters": filters}) == []

    assert dict(route.calls.last.request.url.params) == filters


@pytest.mark.parametrize("status", [200, 201, 202, 299])
def test_any_2xx_will_do(wired, router, status):
    """The specification does not say which 2xx an operation returns."""
    router.post(f"{P}/object-records").respond(status, json={"record": {"id": "r1"}})

    assert called(wired, "records.create", [], {"type_slug": "deal"}).id == "r1"


def test_an_analytics_configuration_may_be_null(wired, router):
    """A missing configuration is a result, not an error."""
    router.get(f"/web-analytics/config/{PROJECT}").respond(200, json={"config": None})

    assert called(wired, "web_analytics.get_config", [], {}) is None


@pytest.mark.parametrize(
    "call", [("posts.list", [], {}), ("memory.update", ["s"], {"title": "T"}), ("labels.export", [], {})]
)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_token_never_goes_to_another_origin(wired, router, call, status):
    """No redirect to another origin is followed, neither for reads nor for writes."""
    router.route(host="platform.example").respond(status, headers={"Location": "https://evil.example/take"})

    with pytest.raises(PlatformError, match=r"redirects \w+ to https://evil\.example, which is not followed"):
        called(wired, *call)

    assert {sent.request.url.host for sent in router.calls} == {"platform.example"}


def test_a_redirect_within_the_origin_is_followed_with_the_token(wired, router, token):
    """A redirect of a read within the origin is followed."""
    router.get(f"/socials/posts/{PROJECT}").respond(308, headers={"Location": "/moved"})
    moved = router.get("/moved").respond(200, json={"data": {"posts": [{"caption": "hello"}]}})

    (post,) = called(wired, "posts.list", [], {})

    assert post.caption == "hello"
    assert moved.calls.last.request.headers["authorization"] == f"Bearer {token}"


def test_a_query_belongs_to_the_place_it_was_meant_for(wired, router):
    """The URL of a redirect is used with its query."""
    router.get(f"/socials/posts/{PROJECT}").respond(302, headers={"Location": "/moved?v=2"})
    moved = router.get("/moved").respond(200, json={"data": {"posts": []}})

    assert called(wired, "posts.list", [], {"filters": {"status": "failed"}}) == []

    assert moved.calls.last.request.url.raw_path == b"/moved?v=2"


def test_nothing_resolves_an_encoded_slash_on_the_way(connect):
    """Over a real connection, too, the request line has the encoded segment."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(
                    b'HTTP/1.1 401 No\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"message":"no"}'
                )

        thread = threading.Thread(target=answer)
        thread.start()
        client = connect(f"http://127.0.0.1:{server.getsockname()[1]}/v1", transport=None)
        with pytest.raises(AuthenticationError):
            called(client, "memory.update", ["a/../b"], {"title": "T"})
        thread.join(5)

    assert heard[0].startswith(f"PATCH /v1{P}/memory-entries/a%2F..%2Fb HTTP/1.1\r\n".encode())


@pytest.mark.parametrize("runner", ["sync", "asyncio", "trio"])
def test_respx_answers_a_client_that_was_given_no_transport(runner, project_id):
    """Tests of an application can mock the service with respx, as for httpx, without passing a transport."""
    page = {"agents": [{"id": "a1"}], "pagination": {"limit": 50, "offset": 0, "hasMore": False}}

    async def listed() -> list[str | None]:
        async with AsyncClient("https://platform.example", token="t") as client:
            return [agent.id async for agent in client.project(project_id).agents.list()]

    with respx.mock:
        route = respx.get(f"https://platform.example/projects/{project_id}/agents").respond(json=page)
        if runner == "sync":
            with Client("https://platform.example", token="t") as client:
                found = [agent.id for agent in client.project(project_id).agents.list()]
        else:
            found = anyio.run(listed, backend=runner)

    assert found == ["a1"]
    assert route.calls.last.request.headers["authorization"] == "Bearer t"
