"""Errors say which operation, which attempts, whether it was applied, and the message of the service. They have no secrets."""

from __future__ import annotations

import builtins
import copy
import inspect
import json
import pickle
import traceback

import httpx
import pytest

from project_platform import (
    AttemptRecord,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    DecodingError,
    NotFoundError,
    PermissionDeniedError,
    PlatformError,
    RateLimitError,
    ServerError,
    SlotTakenError,
    StalePreconditionError,
    StatusError,
    UnprocessableEntityError,
    errors,
)
from project_platform._generated.operations import calendar_book, calendar_reschedule, records_update, templates_apply
from project_platform.calls.error_mapping import read_error_body, status_error_class
from project_platform.calls.headers import Headers
from project_platform.calls.redaction import Redactor

CLASSES = sorted(
    (kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, PlatformError)),
    key=lambda kind: kind.__name__,
)
JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1MSJ9.c2lnbmF0dXJl"
# The arguments of a class in addition to its message.
NEEDED = {
    "status": 503,
    "code": "busy",
    "request_id": "r1",
    "retry_after": 2.5,
    "headers": Headers({"content-type": "text/html", "set-cookie": "session=secret"}),
    "body": b"\xff\x00",
    "cursor": 40,
    "operation_id": "records_update",
    "attempts": (AttemptRecord(1.0, "lost", 503, "r1"), AttemptRecord(2.0, "not sent", error="NotSentError: no")),
    "applied": "unknown",
}


def example(kind):
    """Return an error of a class that carries something in each of its attributes."""
    taken = set()
    for base in kind.__mro__:
        parameters = inspect.signature(base).parameters if "__init__" in vars(base) else {"context": None}
        taken |= set(parameters)
        if "context" not in parameters:  # what a class does not pass on, it does not take
            break
    return kind("what happened", **{name: NEEDED.get(name, {"some": name}) for name in taken - {"message", "context"}})


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequestError),
        (401, AuthenticationError),
        (403, PermissionDeniedError),
        (404, NotFoundError),
        (409, ConflictError),
        (422, UnprocessableEntityError),
        (429, RateLimitError),
        (500, ServerError),
        (503, ServerError),
        (599, ServerError),
        (418, StatusError),
        (302, StatusError),
    ],
)
def test_each_status_has_its_class(status, kind):
    """A status without a specific class is a plain StatusError."""
    assert status_error_class(status) is kind


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (records_update.OPERATION, StalePreconditionError),
        (calendar_book.OPERATION, SlotTakenError),
        (calendar_reschedule.OPERATION, SlotTakenError),
        (templates_apply.OPERATION, ConflictError),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_a_409_has_the_class_of_its_operation(operation, kind):
    assert status_error_class(409, operation.conflict) is kind


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_an_error_is_pickled_and_copied_with_its_attributes(kind, again):
    """Process pools pickle errors and test tools copy them."""
    error = example(kind)

    twin = again(error)

    assert type(twin) is kind
    assert vars(twin) == vars(error)
    assert (str(twin), repr(twin), twin.args) == (str(error), repr(error), error.args)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_error_shows_operation_outcome_and_attempts(kind):
    """One line says which operation was called and whether it was applied."""
    error = example(kind)

    message = "records_update: what happened (applied: unknown, 2 attempts)" if error.operation_id else "what happened"
    assert message in str(error)


def test_a_status_error_shows_the_message_of_the_service():
    error = NotFoundError("no such record", status=404, code="record_missing", request_id="r7", operation_id="x_y")

    assert str(error) == "404 [record_missing] x_y: no such record (applied: no) (request r7)"
    assert (error.message, error.code, error.request_id) == ("no such record", "record_missing", "r7")


@pytest.mark.parametrize(
    ("failure", "builtin"),
    [(httpx.ReadTimeout("slow"), TimeoutError), (httpx.ReadError("reset"), ConnectionError)],
    ids=["timeout", "connection lost"],
)
@pytest.mark.parametrize("writes", [False, True], ids=["read", "write"])
def test_a_builtin_except_clause_catches_network_failures(project, service, failure, builtin, writes):
    """`except TimeoutError` and `except ConnectionError` need no import from the SDK, also around a write."""
    service.will(*[failure] * (1 if writes else 3))

    with pytest.raises(builtin) as raised:
        project.records.create(type_slug="deal") if writes else project.posts.list()

    assert isinstance(raised.value, errors.TransportError)
    assert raised.value.applied == ("unknown" if writes else "no")
    assert str(raised.value).startswith("records_create: " if writes else "posts_list: ")


@pytest.mark.parametrize(
    "kind", [kind for kind in CLASSES if issubclass(kind, OSError)], ids=lambda kind: kind.__name__
)
def test_an_os_error_has_nothing_else_of_an_os_error(kind):
    """`OSError` reads two arguments as errno and strerror, and shows a file name."""
    error = example(kind)

    assert (error.errno, error.strerror, error.filename, error.filename2) == (None, None, None, None)
    assert issubclass(kind, builtins.TimeoutError) or issubclass(kind, errors.ConnectionLostError)


@pytest.mark.parametrize("character", [*"\n\r\0\x1b\x7f\x85\x9b\u200f\u2028\u202e\u2066\ud800\udfff"], ids=ascii)
def test_a_message_has_no_character_that_changes_what_is_shown(project, service, character):
    """A line feed, a mark of direction or an escape could show another verdict, and a lone surrogate cannot be printed."""
    said = f"failed{character} (applied: yes)"
    body = json.dumps({"message": said, "code": f"c{character}d"}).encode()
    service.will(httpx.Response(409, content=body, headers={"X-Request-Id": "r1"}))

    with pytest.raises(ConflictError) as raised:
        project.records.update("r1", data={})

    error = raised.value
    for text in (str(error), error.message, error.code, repr(error), str(again(error))):
        assert character not in text
        text.encode()
    assert error.message == f"failed{character.encode('unicode_escape').decode()} (applied: yes)"
    assert error.request_id == "r1"


def again(error):
    return pickle.loads(pickle.dumps(error))


def test_readable_characters_of_every_script_stay():
    said = "größer\t\u4e2d\u6587 \u0627\u0644 \U0001f469\u200d\U0001f4bb\xa0\u20ac \\n"

    assert ServerError(said, status=500).message == said


def test_a_message_and_a_body_have_a_limit(project, service):
    """An error is logged and sent to another process: it has 4,000 characters and 64 KiB of the body at most."""
    service.will(httpx.Response(400, json={"message": "x" * 60_000, "code": "c" * 5_000}))
    with pytest.raises(BadRequestError, match=r"xxx\.\.\. \(56000 characters more\)") as refused:
        project.records.create(type_slug="deal")
    service.will(httpx.Response(400, json={"message": "\u202e" * 4_000}))
    with pytest.raises(BadRequestError) as escaped:
        project.records.create(type_slug="deal")
    assert len(str(escaped.value)) < 5_000
    service.will(httpx.Response(200, content=b"z" * 1_000_000))
    with pytest.raises(DecodingError) as unreadable:
        project.agents.list().first_page()

    assert len(str(refused.value)) < 9_000
    assert unreadable.value.body == b"z" * 64 * 1024
    # Where distributed is imported, a pickle holds the traceback, too; a second copy of the body would not fit.
    assert len(pickle.dumps(unreadable.value)) < 2 * 64 * 1024


@pytest.mark.parametrize("kept", [34, 33, 20])
def test_a_token_that_a_service_repeats_in_part_is_redacted(kept):
    """Half of a long token identifies it, whether the rest was cut off or not; the text around it stays."""
    opaque = "Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdWw"[:34]
    redactor = Redactor({"authorization": f"Bearer {opaque}"})
    said = f"the token '{opaque[:kept]}' is unknown"

    assert redactor.text(said) == "the token '[redacted]' is unknown"
    assert redactor.body(said.encode()) == b"the token '[redacted]' is unknown"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"message": "no", "code": "c1"}', ("no", "c1")),
        (b'{"message": "no"}', ("no", None)),
        (b'{"message": "", "code": ""}', (None, None)),
        (b'{"message": 7, "code": {"a": 1}}', (None, None)),
        (b'["message"]', (None, None)),
        (b"<html>502 Bad Gateway</html>", (None, None)),
        (b"", (None, None)),
        (b"\xff\xfe", (None, None)),
        (b"[" * 100_000, (None, None)),
        ('{"message": "größer"}'.encode(), ("größer", None)),
    ],
)
def test_an_error_body_is_read_if_it_is_one(body, said):
    """The body may be the HTML of a proxy, or empty."""
    assert read_error_body(body) == said


def test_an_error_without_an_error_body_describes_the_body(project, service):
    """The class is that of the status, and the message describes the page without quoting it."""
    page = httpx.Response(502, html="<html>upstream s3cret</html>")
    service.will(page, page, page)

    with pytest.raises(ServerError, match=r"no error message \(text/html, 28 bytes\)") as raised:
        project.agents.list().first_page()

    assert (raised.value.status, raised.value.code, len(raised.value.attempts)) == (502, None, 3)
    assert "s3cret" not in "".join(traceback.format_exception(raised.value))
