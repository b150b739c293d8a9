"""Redirects of reads are followed within the origin of the base URL; other redirects are not followed."""

from __future__ import annotations

import pytest

from project_platform import Response, StatusError
from project_platform.calls.flow import call
from project_platform.calls.headers import Headers

from .outcomes import DONE, refusal


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["https://platform.example/elsewhere", "/elsewhere"])
def test_a_read_follows_a_redirect_within_its_origin(a_call, settings, play, status, location):
    """The token is meant for this origin, so it may go there."""
    commands, answer = play(call(a_call(), settings), refusal(status, location=location), DONE)

    assert commands[1].request.url == "https://platform.example/elsewhere"
    assert commands[1].request.headers["authorization"] == settings.token.authorization()
    assert answer.value == b"done"


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/things",
        "http://platform.example/things",
        "https://platform.example:444/things",
        "//evil.example/things",
        "https://platform.example@evil.example/things",
        "https://user:secret@platform.example/things",
        "https://platform.example?.evil.example/things",
        "https://platform.example\\.evil.example/things",
        "https://platform.example%2e.evil.example/things",
        "https://platform.example;.evil.example/things",
        "https://platform.example:443@evil.example/things",
        "https://platform.example\t.evil.example/things",
        "\thttps://evil.example/things",
    ],
)
def test_a_redirect_to_another_origin_is_never_followed(a_call, settings, play, location):
    """The other origin must not receive the token; the error names the location without credentials."""
    with pytest.raises(StatusError, match="the token is for the base URL only; correct base_url") as raised:
        play(call(a_call(), settings), Response(302, Headers({"location": location})))

    assert raised.value.status == 302
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(("status", "followed"), [(301, False), (302, False), (303, False), (307, True), (308, True)])
def test_a_read_with_a_body_follows_only_redirects_that_preserve_its_method(a_call, settings, play, status, followed):
    """A GET instead of the POST of an export would be another request."""
    export = a_call(method="POST", body=b"{}")
    redirect = refusal(status, location="/elsewhere")

    if followed:
        commands, _ = play(call(export, settings), redirect, DONE)
        assert (commands[1].request.method, commands[1].request.body) == ("POST", b"{}")
    else:
        with pytest.raises(StatusError):
            play(call(export, settings), redirect)


@pytest.mark.parametrize(
    "location", ["//[no-host/things", "/caf\xe9", "/a b", "/a\tb", "", "mailto:somebody", "javascript:alert(1)"]
)
def test_an_invalid_redirect_location_is_a_status_error(a_call, settings, play, location):
    with pytest.raises(StatusError) as raised:
        play(call(a_call(), settings), *[Response(302, Headers({"location": location}))] * (6 if not location else 1))

    assert (raised.value.status, raised.value.applied) == (302, "no")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://PLATFORM.example/elsewhere", "/elsewhere"),
        ("https://platform.example", "/"),
        ("https://platform.example#.evil.example/things", "/"),
        ("?page=2", "/things?page=2"),
        ("elsewhere?a=https://evil.example/", "/elsewhere?a=https://evil.example/"),
        ("/.//evil.example/things", "//evil.example/things"),
        ("/\\evil.example/things", "/\\evil.example/things"),
        ("/@evil.example/things", "/@evil.example/things"),
        ("https:////evil.example/things", "//evil.example/things"),
        ("https:\\\\evil.example/things", "/\\\\evil.example/things"),
    ],
)
def test_a_redirect_goes_to_the_origin_of_the_request_letter_for_letter(a_call, settings, play, location, target):
    """Only the path and the query are taken from the location, so no other parser can find another host in the URL."""
    commands, _ = play(call(a_call(), settings), refusal(302, location=location), DONE)

    assert commands[1].request.url == "https://platform.example" + target


def test_a_redirect_loop_is_an_error(a_call, settings, play):
    """A call follows at most five redirects."""
    with pytest.raises(StatusError) as raised:
        play(call(a_call(), settings), *[refusal(307, location="/things")] * 6)

    assert len(raised.value.attempts) == 6
