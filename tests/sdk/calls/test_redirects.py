"""Redirects of reads are followed within the origin of the base URL; other redirects are not followed."""

from __future__ import annotations

import pytest

from project_platform import Response, StatusError
from project_platform.calls.flow import call
from project_platform.calls.headers import Headers

from .outcomes import DONE, refusal


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://platform.example/elsewhere", "/elsewhere"),
        ("/elsewhere", "/elsewhere"),
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
def test_a_read_follows_a_redirect_within_its_origin(a_call, settings, play, *, status, location, target):
    """The token may go there: only the path and the query are taken from the location, letter for letter."""
    commands, response = play(call(a_call(), settings), refusal(status, location=location), DONE)

    assert commands[1].request.url == "https://platform.example" + target
    assert commands[1].request.headers["authorization"] == settings.token.authorization()
    assert response.value == b"done"


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
    ("location", "attempts"),
    [
        *(
            (it, 1)
            for it in ("//[no-host/things", "/caf\xe9", "/a b", "/a\tb", "mailto:somebody", "javascript:alert(1)")
        ),
        ("", 6),
        ("/things", 6),
    ],
)
def test_an_invalid_redirect_and_a_loop_are_status_errors(a_call, settings, play, location, attempts):
    """A call follows at most five redirects."""
    with pytest.raises(StatusError) as raised:
        play(call(a_call(), settings), *[Response(302, Headers({"location": location}))] * attempts)

    assert (raised.value.status, raised.value.applied, len(raised.value.attempts)) == (302, "no", attempts)
