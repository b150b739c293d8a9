"""Decoding accepts what the specification leaves open: unknown enumeration values, any 2xx status and a null result."""

from __future__ import annotations

import dataclasses
from typing import Any

import httpx
import pytest

from project_platform import DecodingError, OutcomeUnknownError, Response, ResponseTooLargeError, UnsuccessfulError
from project_platform.calls import flow

from ..wire import PROJECT, P, call_by_name


def test_an_unknown_enumeration_value_is_accepted(wired, router):
    """An open enumeration preserves unknown values, so that a newer service does not break an older client."""
    agent = {
        "id": "a1",
        "toolCategories": ["memory", "newer"],
        "access": "newest",
        "mcpServers": [{"headers": {"a": 1}}],
    }
    router.get(f"{P}/agents").respond(200, json={"agents": [agent], "pagination": {}})

    (read,) = call_by_name(wired, "agents.list", [], {})

    assert (read.tool_categories, read.access) == (["memory", "newer"], "newest")


@pytest.mark.parametrize("found", [{"id": "rec_2", "data": {"stage": "won"}}, {"id": "rec_1x"}])
def test_an_update_that_is_answered_with_another_record_is_unknown(wired, router, found):
    """It may answer another request, so it proves nothing about this one."""
    route = router.patch(f"{P}/object-records/rec_1").respond(200, json={"record": found})

    with pytest.raises(OutcomeUnknownError, match=f"{found['id']} instead of rec_1") as raised:
        call_by_name(wired, "records.update", ["rec_1"], {"data": {"stage": "won"}, "expected_data": {"stage": "open"}})

    assert (raised.value.applied, raised.value.seen.id) == ("unknown", found["id"])
    assert raised.value.operation_id == "records_update"
    assert route.call_count == 1


@pytest.mark.parametrize("success", [False, 0, "false", "no"])
def test_every_form_of_success_false_leaves_the_outcome_open(wired, router, success):
    """What the SDK reads as false is never returned as a success."""
    router.post(f"/socials/engagement/pagenet/{PROJECT}/post_1/like").respond(200, json={"success": success})
    router.put(f"{P}/sidebar").respond(200, json={"success": success, "data": {"sections": []}, "message": "locked"})

    with pytest.raises(UnsuccessfulError) as like:
        call_by_name(wired, "engagement.like", ["post_1"], {"account_id": PROJECT})
    with pytest.raises(UnsuccessfulError, match="locked") as sidebar:
        call_by_name(wired, "sidebar.replace", [], {"sections": []})

    assert (like.value.applied, sidebar.value.applied) == ("unknown", "unknown")


def test_a_response_that_takes_more_memory_than_there_is_was_applied(a_call, settings, play):
    """Parsing takes several times the memory of the document, and its end says nothing about the write."""

    def read(response):
        raise MemoryError

    call = a_call(effect="write", retry="never")
    call = dataclasses.replace(call, operation=dataclasses.replace(call.operation, read=read))

    with pytest.raises(ResponseTooLargeError, match="reading it takes more memory than is left") as raised:
        play(flow.call(call, settings), Response(201, body=b"[]"))

    assert (raised.value.applied, raised.value.status) == ("yes", 201)


class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body whose connection breaks."""

    def __iter__(self):
        yield b'{"rec'
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    async def __aiter__(self):
        for chunk in self:
            yield chunk


def test_the_status_of_a_response_that_was_cut_off_is_known(project, service):
    service.will(httpx.Response(200, stream=Cut()))

    with pytest.raises(DecodingError, match="the response 200 was cut off after 5 bytes") as raised:
        project.records.create(type_slug="deal")

    assert (raised.value.applied, raised.value.body) == ("yes", b'{"rec')
    assert "time limit" not in str(raised.value)


HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGES: dict[str, tuple[dict[str, Any], str]] = {
    "a page": ({"headers": HTML, "text": "<html>Sign in</html>"}, "is text/html, as if from a proxy or another site"),
    "a page that is cut off": ({"headers": HTML, "stream": Cut()}, "is text/html"),
    "a page without a body": ({"headers": HTML, "text": ""}, "is text/html"),
    "a page without a type": ({"content": b"\r\n<!doctype html>"}, "is markup"),
    "a page with many braces": ({"headers": HTML, "text": "<script>" + "if(a){b(1,2)};" * 60_000}, "is text/html"),
    "no success, and more bytes": ({"content": b'{"success": false} {'}, "says success: false"),
    "no success, and a part of it": ({"content": b'{"success": false, "a": ['}, "says success: false"),
    "no success as a number": ({"content": b'{"success": 0, "x": 1'}, "says success: false"),
    "no success as a text": ({"content": b'{"success": "No", "x": 1'}, "says success: false"),
    "no success, and many values": (
        {"content": b'{"success":false,"a":[' + b"{}," * 70_000 + b"{}]}"},
        "says success: false",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_response_that_may_not_be_to_a_write_does_not_say_that_it_was_applied(project, service, name):
    """A page to log in has the status 200. What only reads has a response that cannot be decoded."""
    page, why = PAGES[name]
    for _ in range(4 if "stream" in page else 2):  # a read that was cut off is sent again
        service.will(httpx.Response(200, **page))

    with pytest.raises(OutcomeUnknownError, match=why) as raised:
        project.records.create(type_slug="deal")
    assert (raised.value.applied, raised.value.call.operation.id) == ("unknown", "records_create")
    with pytest.raises((DecodingError, ResponseTooLargeError)):
        project.posts.list()


def nested(depth):
    return b"[" * depth + b"]" * depth


READABLE = {
    "a lone surrogate in a value": rb'{"id": "a1", "name": "a\ud800b"}',
    "a lone surrogate in an unknown member": rb'{"id": "a1", "x": {"y": ["\udfff"]}}',
    "a lone surrogate in an unknown key": rb'{"id": "a1", "x\ud800": 1}',
    "a depth of 900 in an unknown key": b'{"id": "a1", "x": ' + nested(900) + b"}",
}


@pytest.mark.parametrize("item", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "byte order mark"])
def test_what_is_json_is_read(wired, router, item, mark):
    """One unusual value does not make a list unreadable, and a record is read as a list is."""
    router.get(f"{P}/agents").respond(
        200, content=mark + b'{"agents": [{"id": "a0"}, ' + item + b'], "pagination": {}}'
    )
    router.post(f"{P}/object-records").respond(201, content=mark + b'{"record": ' + item + b"}")

    assert [agent.id for agent in call_by_name(wired, "agents.list", [], {})] == ["a0", "a1"]
    assert call_by_name(wired, "records.create", [], {"type_slug": "deal"}).id == "a1"


def test_lone_surrogates_are_replaced_in_values_that_are_not_sent_back(wired, router):
    """A text that is printed or written to a file has U+FFFD instead; pairs are characters.

    Of two members of one name the last one counts, as for the parsers of Python and pydantic.
    """
    agents = rb'[{"name": "a\ud800b\ud83d\ude00"}, {"x\udfff": ["\ud800", "\u00e9"]}, {"\ud800": 1, "\ufffd": 2}]'
    router.get(f"{P}/agents").respond(200, content=b'{"agents": %b, "pagination": {}}' % agents)

    one, other, twice = call_by_name(wired, "agents.list", [], {})

    assert one.name == "a\ufffdb\U0001f600"
    assert other.model_extra == {"x\ufffd": ["\ufffd", "\xe9"]}
    assert twice.model_extra == {"\ufffd": 2}


def test_values_that_may_be_sent_back_keep_their_lone_surrogates(wired, router):
    """Another value as a precondition would never hold. Only the names of unknown members are repaired."""
    record = rb'{"record": {"id": "r1", "data": {"note\ud800": "a\ud800"}, "x\ud800": "\ud800"}}'
    router.post(f"{P}/object-records").respond(201, content=record)

    created = call_by_name(wired, "records.create", [], {"type_slug": "deal"})

    assert (created.data, created.model_extra) == ({"note\ud800": "a\ud800"}, {"x\ufffd": "\ud800"})


UNREADABLE = {
    "cut off": (b'{"record": {"id": "r1"', "not JSON: Expecting ',' delimiter at line 1 column 23"),
    "a comma": (b'{\n "record": {"id": "r1",}}', "not JSON: .* at line 2 column"),
    "a control character": (b'{"record": {"id": "r\n1"}}', "not JSON: Invalid control character at line 1 column 21"),
    "not UTF-8": (b'{"record": {"id": "r\xff"}}', "not JSON: the byte at 20 is not UTF-8"),
    "too many digits": (b'{"record": {"x": ' + b"1" * 5000 + b"}}", "not JSON: .*4300 digits"),
    "too many values": (b'{"record": ' + b"[" * 100_000, "it has more values than are decoded with max_response_bytes"),
    "endless depth": (b'{"record": {"x": ' + nested(20_000) + b"}}", "it is nested too deeply"),
}


@pytest.mark.parametrize(("body", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_the_error_of_an_unreadable_body_says_what_is_wrong_and_where(wired, router, body, message):
    """The message has the place and none of the content; it is the same for every operation."""
    router.post(f"{P}/object-records").respond(201, content=body)
    router.get(f"{P}/agents").respond(200, content=body)

    with pytest.raises(DecodingError, match=message) as written:
        call_by_name(wired, "records.create", [], {"type_slug": "deal"})
    with pytest.raises(DecodingError, match=message) as listed:
        list(call_by_name(wired, "agents.list", [], {}))

    assert (written.value.applied, listed.value.applied) == ("yes", "yes")
    assert "r1" not in f"{written.value} {listed.value}"
