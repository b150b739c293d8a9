"""Profiles: what the configuration file may say, where it is, and what takes precedence."""

from __future__ import annotations

import json
import os
import sys
import traceback

import anyio
import pytest

from project_platform import AsyncClient, Client, NotSentError, UsageError
from project_platform.calls.profiles import Connection, load_profile

TOKEN = "t0ken-that-stays-secret"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return a function that writes the configuration file, for this user alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "project-platform/config.toml"
    path.parent.mkdir()

    def config(text: str, mode: int = 0o600) -> None:
        path.write_text(text, "utf-8")
        path.chmod(mode)

    return config


STAGING = """
[default]
base_url = "https://platform.example"

[staging]
base_url = "https://staging.example"
project = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
timeout = 10
capabilities = "facts.json"
allow_insecure = true
"""


def test_a_profile_is_chosen_by_its_name(config, tmp_path, monkeypatch):
    config(STAGING)

    assert load_profile().base_url == "https://platform.example"
    staging = load_profile("staging")
    assert staging.base_url == "https://staging.example"
    assert staging.project_id == "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
    assert staging.timeout is not None
    assert staging.timeout.read == 10
    assert staging.capabilities == tmp_path / "project-platform/facts.json"
    assert staging.allow_insecure
    monkeypatch.setenv("PROJECT_PLATFORM_PROFILE", "staging")
    assert load_profile() == staging
    assert load_profile("default").base_url == "https://platform.example"


def test_the_file_is_below_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".config/project-platform"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[default]\nbase_url = "https://home.example"\n')

    for value in ("", "relative"):
        assert load_profile(environment={"XDG_CONFIG_HOME": value}).base_url == "https://home.example"


def test_without_a_file_there_are_no_settings(config):
    assert load_profile() == Connection()
    with pytest.raises(UsageError, match=r"the configuration file .* cannot be read: No such file"):
        load_profile("staging")


@pytest.mark.parametrize("home", ["/dev/null", "/nonexistent", ""])
def test_without_a_home_directory_there_are_no_settings(monkeypatch, home):
    monkeypatch.setenv("HOME", home)
    assert load_profile(environment={}) == Connection()


def test_without_a_default_profile_there_are_no_settings(config):
    config('[staging]\nbase_url = "https://x.example"\n')
    assert load_profile() == Connection()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[staging", "is not TOML"),
        ('[stagin]\nproject = "x"', "has no profile 'staging'; did you mean stagin"),
        ("", "has no profile 'staging'; the profiles are none"),
        ('base_url = "x"\n[staging]', "has 'base_url' outside of a profile; put it into a table"),
        ('[staging]\nurl = "x"', "has the unknown key 'url'"),
        ('[staging]\nbaseurl = "x"', "has the unknown key 'baseurl'; did you mean base_url"),
        ("[staging]\nbase_url = 1", "base_url of profile 'staging' in .* is of type int; give text"),
        ('[staging]\nallow_insecure = "no"', "allow_insecure of .* must be true or false"),
        ("[staging]\ntimeout = 0", "profile 'staging' in .*: timeout is 0"),
        ("[staging]\ntoken_command = 1", "must be a command, or a list of its words"),
        ("[staging]\ntoken_command = []", "must be a command, or a list of its words"),
        ('[staging]\ntoken_command = "pass \'show"', "cannot be split into words"),
        ('[staging]\ntoken = "a"\ntoken_file = "b"', "has token and token_file; leave one of them"),
    ],
)
def test_a_mistake_is_named_with_its_place(config, text, message):
    config(text)
    with pytest.raises(UsageError, match=message):
        load_profile("staging")


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_with_a_token_must_be_private(config, mode):
    """Other files may be read by others. The error, with the locals of its frames, does not have the token."""
    config(f'[default]\ntoken = "{TOKEN}"\n', mode)
    with pytest.raises(UsageError, match="run `chmod 600 ") as caught:
        load_profile()
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert TOKEN not in "".join(shown.format())
    config('[default]\ntoken_file = "token"\n', mode)
    load_profile()


def test_a_token_of_the_file_is_used_and_not_shown(config):
    config(f'[default]\ntoken = "{TOKEN}"\n')
    assert load_profile().token == TOKEN
    assert TOKEN not in repr(load_profile())


def test_a_token_file_is_read_each_time(config, tmp_path):
    """Its path is relative to the configuration file, or to the home directory."""
    config('[default]\ntoken_file = "token"\n')
    source = load_profile().token
    file = tmp_path / "project-platform/token"
    for token in ("first", "second"):
        file.write_text(f"{token}\n")
        assert source.token() == token
    file.unlink()
    with pytest.raises(NotSentError, match=r"token_file of profile 'default' .* cannot be read: No such file"):
        source.token()


def prints(text: str) -> list[str]:
    return [sys.executable, "-c", f"print({text!r})"]


@pytest.fixture
def token_of(config):
    """Return a function that returns what a token command gives, called by both clients."""

    def token_of(command: object, refused: str | None = None, *, asynchronous: bool = False) -> str:
        config(f"[default]\ntoken_command = {json.dumps(command)}\n")
        source = load_profile(asynchronous=asynchronous).token
        return anyio.run(source.token, refused) if asynchronous else source.token(refused)

    return token_of


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_command_prints_the_token(token_of, asynchronous):
    assert token_of(prints(TOKEN), asynchronous=asynchronous) == TOKEN
    assert token_of(f"{sys.executable} -c \"print('a' 'b')\"", asynchronous=asynchronous) == "ab"


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["/no/such/command"], "cannot be run: No such file"),
        ([sys.executable, "-c", "import sys; print('s3cret'); sys.exit(3)"], "ended with status 3"),
        ([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff')"], "not UTF-8"),
    ],
)
def test_a_command_that_fails_sends_nothing(token_of, command, message, asynchronous):
    with pytest.raises(NotSentError, match=message) as caught:
        token_of(command, asynchronous=asynchronous)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_command_is_run_again_for_a_refused_token(config, tmp_path, asynchronous):
    count = tmp_path / "count"
    program = f"import pathlib; p = pathlib.Path({str(count)!r}); n = int(p.read_text()) + 1 if p.exists() else 1; p.write_text(str(n)); print(f't{{n}}')"
    config(f"[default]\ntoken_command = {json.dumps([sys.executable, '-c', program])}\n")
    token = load_profile(asynchronous=asynchronous).token.token

    given = [anyio.run(token, refused) if asynchronous else token(refused) for refused in (None, None, "t1", None)]

    assert given == ["t1", "t1", "t2", "t2"]


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_has_the_settings_of_a_profile(config, tmp_path, monkeypatch, kind):
    """A token that goes to the service of another place may be a mistake, so a warning says it."""
    file = tmp_path / "other.toml"
    file.write_text(f'[default]\nbase_url = "https://other.example/x/"\ntoken_command = "echo {TOKEN}"\n')

    client = kind.from_profile(path=file, max_response_bytes=5)
    assert (client.base_url, client._settings.max_response_bytes) == ("https://other.example/x", 5)
    monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", "https://third.example")
    with pytest.warns(UserWarning, match="base_url: environment variable .* takes precedence over .*'default'"):
        assert kind.from_profile(path=file).base_url == "https://third.example"
    with pytest.raises(
        UsageError, match="no token: give the profile token_file, token_command or token, or set PROJECT_"
    ):
        kind.from_profile()
    with pytest.raises(UsageError, match="base_url is that of the profile"):
        kind.from_profile(path=file, base_url="https://third.example")
