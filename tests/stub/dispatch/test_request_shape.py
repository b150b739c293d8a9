"""Paths, methods and bodies that fit no operation are refused; no request makes a 500."""

from __future__ import annotations

import json

import pytest

from project_platform_contract.operations import operation_by_id, operations, resolved

from ..conftest import LEAST_BODIES, MISSING


def create(api, content, media_type="application/json"):
    """Create a record with a raw body."""
    return api.post(api.path("object-records"), content=content, headers={"Content-Type": media_type})


def test_an_unknown_path_is_not_found(api, refused):
    """A 404 comes before authentication."""
    for path in (
        "/",
        "/projects",
        "/nowhere",
        "/auth/check-permission/",
        "/projects//agents",
        "//auth/check-permission",
    ):
        refused(api.get(path), 404)


def test_a_wrong_method_is_refused_with_the_allowed_ones(api, refused, contract):
    """A 405 lists the methods of the path in `Allow`: HEAD where there is GET, and OPTIONS everywhere."""
    for path, item in contract["paths"].items():
        url = path.replace("{", "").replace("}", "")
        (method,) = (verb.upper() for verb in item)
        supported = [method, "HEAD", "OPTIONS"] if method == "GET" else [method, "OPTIONS"]
        for other in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - set(supported):
            response = api.request(other, url)
            refused(response, 405)
            assert response.headers["Allow"] == ", ".join(supported)


@pytest.mark.parametrize(
    ("method", "path", "place"),
    [
        ("PATCH", "/memory-entries/%ff", "path: "),
        ("GET", "/agents?limit=%ff", "query: "),
        ("GET", "/agents?limit=1&limit=2", "query.limit: "),
    ],
)
def test_a_path_or_a_query_that_is_not_utf8_or_ambiguous_is_refused(api, refused, method, path, place):
    refused(api.request(method, f"{api.path()}{path}"), 400, place)


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
        (b'{"typeSlug":"deal","data":{"a":"\\ud800"}}', "body: contains an unpaired surrogate"),
        (b'{"typeSlug":"deal","data":{"\\udc00":1}}', "body: contains an unpaired surrogate"),
        (b'{"typeSlug":"deal","data":{"a":1e99999999999999999999}}', "body: contains a number"),
        (b'{"typeSlug":"deal","data":' + b'{"a":' * 200 + b"1" + b"}" * 201, "body: is nested"),
        (b'{"typeSlug":"deal","data":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", "body: is nested"),
    ],
)
def test_a_body_that_is_not_a_json_object_is_refused(api, refused, content, place):
    refused(create(api, content), 400, place)


def test_parameters_of_the_content_type_do_not_matter(api):
    assert create(api, b'{"typeSlug":"deal"}', "Application/JSON; charset=utf-8").status_code == 201


def test_a_body_over_one_mebibyte_is_refused(api, refused):
    frame = json.dumps({"typeSlug": "deal", "data": {"a": ""}})

    def send(size):
        content = frame.replace('""', f'"{"x" * (size - len(frame))}"').encode()
        assert len(content) == size
        return create(api, content)

    assert send(1024 * 1024).status_code == 201
    refused(send(1024 * 1024 + 1), 413)


VALUES = {"string": "x", "object": {}, "array": [], "boolean": True, "number": 0.5, "null": None}


@pytest.mark.parametrize("operation", [each.id for each in operations() if "requestBody" in each.node])
def test_a_field_of_another_type_is_refused_and_so_is_a_body_without_a_required_one(api, refused, stub, operation):
    """For each field of the body in the contract, the message names the field; nothing is written."""
    before = stub.world.state
    body = operation_by_id(operation).node["requestBody"]
    schema = resolved(body["content"]["application/json"]["schema"]["$ref"])
    required = schema.get("required", ())
    assert LEAST_BODIES[operation].keys() == set(required)

    for field, rules in schema["properties"].items():
        for value in (value for kind, value in VALUES.items() if kind not in rules.get("type", VALUES)):
            refused(api.call(operation, **{field: value}), 400, f"body.{field}: must be")
    for field in required:
        refused(api.call(operation, **{field: MISSING}), 400, f"body.{field}: is required")
    assert stub.world.state is before


def test_numbers_keep_their_digits(api):
    sent = (
        b'{"a":0.1234567890123456789,"b":1.10,"c":12345678901234567890123,"d":-0.0,"e":1E+400,"f":-0,"g":'
        + b"7" * 5000
        + b"}"
    )

    assert sent in create(api, b'{"typeSlug":"deal","data":' + sent + b"}").content


def test_the_last_of_duplicate_keys_wins(api):
    """As in PostgreSQL's jsonb."""
    record = create(api, b'{"typeSlug":"person","typeSlug":"deal","data":{"a":1,"a":2}}').json()["record"]

    assert (record["typeSlug"], record["data"]) == ("deal", {"a": 2})


def test_text_of_any_script_survives(api):
    """UTF-8 in and out, without Unicode normalization."""
    data = {"é": "e\u0301", "emoji": "🌾", "nul": "\x00", "quote": '"\\', "rtl": "שלום"}

    assert api.create(data=data)["data"] == data


def test_health_needs_no_token(sign_in):
    response = sign_in(token=None).get("/_stub/health")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})
