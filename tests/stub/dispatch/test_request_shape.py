"""Paths, methods and bodies that fit no operation are refused; nothing that is sent makes a 500."""

from __future__ import annotations

import json

import httpx
import pytest


def test_an_unknown_path_is_not_found(api, refused):
    """A path that no operation has is a 404, before anyone is asked who they are."""
    for path in (
        "/",
        "/projects",
        "/nowhere",
        "/auth/check-permission/",
        "/projects//agents",
        "//auth/check-permission",
    ):
        refused(api.get(path), 404)


def test_a_wrong_method_is_refused_with_those_that_are_allowed(api, refused, contract):
    """405 names the methods of the path in `Allow`."""
    for path, item in contract["paths"].items():
        url = path.replace("{", "").replace("}", "")
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - {verb.upper() for verb in item}:
            response = api.request(method, url)
            refused(response, 405)
            assert response.headers["Allow"] == ", ".join(verb.upper() for verb in item)


def test_head_is_no_method_of_any_path(api):
    """HEAD is refused as well, without a body."""
    response = api.head(api.path("agents"))

    assert (response.status_code, response.content) == (405, b"")


def test_a_path_that_is_not_utf8_is_refused(api, refused):
    """Bytes that are no UTF-8 are a 400, not a 404 and not a 500."""
    refused(api.patch(f"{api.path('memory-entries')}/%ff", json={}), 400, "path: ")


def test_a_query_that_is_not_utf8_is_refused(api, refused):
    """Bytes that are no UTF-8 are a 400."""
    refused(api.get(f"{api.path('agents')}?limit=%ff"), 400, "query: ")


def test_a_parameter_that_is_given_twice_is_refused(api, refused):
    """Which of the two was meant cannot be known."""
    refused(api.get(f"{api.path('agents')}?limit=1&limit=2"), 400, "query.limit: ")


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", "body: is required"),
        (b"{", "body: is not JSON"),
        (b"name=x", "body: is not JSON"),
        (b"[]", "body: must be object, not array"),
        (b"null", "body: must be object, not null"),
        (b'"x"', "body: must be object, not string"),
        (b'{"typeSlug":"deal","data":{"a":NaN}}', "body: is not JSON: NaN"),
        (b'{"typeSlug":"deal","data":{"a":Infinity}}', "body: is not JSON: Infinity"),
        (b'{"typeSlug":"deal","data":{"a":-Infinity}}', "body: is not JSON: -Infinity"),
        (b'{"typeSlug":"de\xffal"}', "body: is not UTF-8"),
        ("{}".encode("utf-16"), "body: is not UTF-8"),
        (b'\xef\xbb\xbf{"typeSlug":"deal"}', "body: is not JSON"),
        (b'{"typeSlug":"deal","data":{"a":"\\ud800"}}', "body: holds half of a surrogate pair"),
        (b'{"typeSlug":"deal","data":{"\\udc00":1}}', "body: holds half of a surrogate pair"),
        (b'{"typeSlug":"deal","data":{"a":1e99999999999999999999}}', "body: holds a number"),
        (b'{"typeSlug":"deal","data":' + b'{"a":' * 200 + b"1" + b"}" * 201, "body: is nested"),
        (b'{"typeSlug":"deal","data":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", "body: is nested"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(api, refused, content, place):
    """What cannot be read as a JSON object is a 400 that says why."""
    headers = {"Content-Type": "application/json"}

    refused(api.post(api.path("object-records"), content=content, headers=headers), 400, place)


@pytest.mark.parametrize("headers", [{"Content-Type": "text/plain"}, {}, {"Content-Encoding": "gzip"}])
def test_a_body_of_another_type_is_refused(api, refused, headers):
    """Bodies are JSON and say so; they come uncompressed."""
    if "Content-Encoding" in headers:
        headers["Content-Type"] = "application/json"

    refused(api.post(api.path("object-records"), content=b'{"typeSlug":"deal"}', headers=headers), 415)


def test_parameters_of_the_content_type_do_not_matter(api):
    """`application/json; charset=utf-8` is JSON."""
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}

    response = api.post(api.path("object-records"), content=b'{"typeSlug":"deal"}', headers=headers)

    assert response.status_code == 201


def test_a_body_over_one_mebibyte_is_refused(api, refused):
    """A body of 1 MiB is taken, one more byte is a 413."""
    frame = json.dumps({"typeSlug": "deal", "data": {"a": ""}})
    headers = {"Content-Type": "application/json"}

    def send(size):
        content = frame.replace('""', f'"{"x" * (size - len(frame))}"').encode()
        assert len(content) == size
        return api.post(api.path("object-records"), content=content, headers=headers)

    assert send(1024 * 1024).status_code == 201
    refused(send(1024 * 1024 + 1), 413)


def test_unknown_fields_are_ignored(api):
    """A field that the contract does not name is accepted and has no effect."""
    record = api.create(data={"a": 1}, nonsense={"id": "mine"}, id="mine")

    assert record["id"] != "mine"
    assert "nonsense" not in record


def test_numbers_keep_their_digits(api):
    """A number goes out with the digits it came in with, also where a float could not hold them."""
    sent = (
        b'{"a":0.1234567890123456789,"b":1.10,"c":12345678901234567890123,"d":-0.0,"e":1E+400,"f":-0,"g":'
        + b"7" * 5000
        + b"}"
    )
    content = b'{"typeSlug":"deal","data":' + sent + b"}"

    response = api.post(api.path("object-records"), content=content, headers={"Content-Type": "application/json"})

    assert sent in response.content


def test_of_duplicate_keys_the_last_wins(api):
    """As in PostgreSQL's jsonb."""
    content = b'{"typeSlug":"person","typeSlug":"deal","data":{"a":1,"a":2}}'

    response = api.post(api.path("object-records"), content=content, headers={"Content-Type": "application/json"})

    assert (response.json()["record"]["typeSlug"], response.json()["record"]["data"]) == ("deal", {"a": 2})


def test_text_of_any_script_survives(api):
    """Text is UTF-8 both ways, and not brought into a normal form."""
    data = {"é": "e\u0301", "emoji": "🌾", "nul": "\x00", "quote": '"\\', "rtl": "שלום"}

    assert api.create(data=data)["data"] == data


def test_health_needs_no_token(sign_in):
    """`/_stub/health` tells that the stub answers."""
    response = sign_in(token=None).get("/_stub/health")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/a%0Ab", "/projects/x%0Ay/agents", "/%0a"])
def test_a_path_with_an_encoded_line_break_gets_an_error_body(stub, path):
    """Whatever the path holds, the answer over a socket is the service's own, with a message."""
    with stub.serve() as server:
        answer = httpx.get(f"{server.base_url}{path}", trust_env=False)

    assert answer.status_code in {400, 401, 404}
    assert answer.json()["message"]
    assert answer.headers["x-request-id"]
