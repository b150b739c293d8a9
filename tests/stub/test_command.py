"""The command `project-platform stub`: its options, its request lines, and `exec`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from project_platform_stub.cli import main

STUB = [sys.executable, "-m", "project_platform.cli", "stub"]
SCRIPT = """
import os, sys
from project_platform import Client
print(os.environ["PROJECT_PLATFORM_BASE_URL"])
with Client() as client:
    print(len(list(client.project().agents.list())))
print(sys.argv[1:])
raise SystemExit(7)
"""


class Running:
    """A running stub server, whose output is in two files."""

    def __init__(self, folder, *arguments):
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen([*STUB, "--port", "0", *arguments], stdout=out, stderr=err)
        deadline = time.monotonic() + 20
        while "is ready" not in self.out.read_text() + self.err.read_text():
            assert self.process.poll() is None, self.err.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


def is_served(described):
    """Return whether the server that wrote a description is at its address, which that of another test may have got since."""
    about = json.loads(described.read_text("utf-8"))
    url = f"{about['base_url']}/projects/{about['project_id']}/agents"
    try:
        return httpx.get(url, headers={"Authorization": f"Bearer {about['tokens']['owner']}"}).is_success
    except httpx.HTTPError:
        return False


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the command, and stops it after the test."""
    started = []

    def start(*arguments):
        started.append(Running(tmp_path, *arguments))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.process.wait()


def exports(text):
    """Return the variables that a shell has after it ran `export` commands."""
    shown = subprocess.run(["sh", "-c", f"{text}\nenv"], capture_output=True, text=True, check=True, env={})
    return {
        name: value
        for name, _, value in (line.partition("=") for line in shown.stdout.splitlines())
        if name.startswith("PROJECT_PLATFORM_")
    }


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_command_runs_until_a_signal_stops_it(start, tmp_path, stop):
    """It prints how to try the stub, writes the description before it is ready, and exits with status 0."""
    running = start("--quiet", "--describe", str(tmp_path / "stub.json"))
    description = json.loads((tmp_path / "stub.json").read_text("utf-8"))
    url, project, tokens = description["base_url"], description["project_id"], description["tokens"]
    health = httpx.get(f"{url}/_stub/health")
    headers = {"Authorization": f"Bearer {tokens['viewer']}"}
    agents = httpx.get(f"{url}/projects/{project}/agents", headers=headers)

    running.process.send_signal(stop)

    assert (health.status_code, agents.status_code, running.process.wait(20)) == (200, 200, 0)
    printed = running.out.read_text()
    for part in (url, project, *list(tokens.values())[:3], "curl "):
        assert part in printed
    assert printed.endswith("The stub server is ready. Press Ctrl+C to stop it.\n")
    assert running.err.read_text() == ""
    assert {file.name for file in tmp_path.iterdir()} == {"stub.json", "out.txt", "err.txt"}


def test_a_port_that_is_taken_is_reported(capsys):
    """It prints one line and exits with status 1."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status = main(["--port", str(port)])

    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"Cannot listen on 127.0.0.1:{port}: ")


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        *(("--max-worlds", number, "is not a number from 1") for number in ("0", "-1", "many", "1.5")),
        ("--allow-origin", "localhost", "is not an origin; write the scheme, the host and the port"),
    ],
)
def test_an_invalid_option_is_a_usage_error(option, value, problem, capsys):
    """The message names the option and the value."""
    with pytest.raises(SystemExit, match="2"):
        main([option, value])

    assert f"{option}: {value!r} {problem}" in capsys.readouterr().err


def test_options_are_passed_on(start):
    """A name as the address, a maximum of worlds, several allowed origins, and no line for a request."""
    origins = ("http://localhost:5173", "http://localhost:4321")
    allowed = [f"--allow-origin={origin}" for origin in origins]
    running = start("--host", "localhost", "--env", "--quiet", "--max-worlds", "1", *allowed)
    url, before = exports(running.out.read_text())["PROJECT_PLATFORM_BASE_URL"], running.err.read_text()

    for origin in origins:
        response = httpx.get(f"{url}/auth/check-permission", headers={"Origin": origin})
        assert response.headers["Access-Control-Allow-Origin"] == origin
    refusal = httpx.post(f"{url}/_stub/worlds", json={})
    assert (refusal.status_code, "the maximum is 1" in refusal.text) == (409, True)
    assert running.stop() == 0
    assert running.err.read_text() == before


def test_env_prints_three_export_lines_and_nothing_else(start):
    """A shell that reads them can call the server; warnings and requests are on the other stream."""
    running = start("--env")

    printed = running.out.read_text()
    variables = exports(printed)
    assert [line.partition("=")[0] for line in printed.splitlines()] == [
        "export PROJECT_PLATFORM_BASE_URL",
        "export PROJECT_PLATFORM_TOKEN",
        "export PROJECT_PLATFORM_PROJECT",
    ]
    agents = httpx.get(
        f"{variables['PROJECT_PLATFORM_BASE_URL']}/projects/{variables['PROJECT_PLATFORM_PROJECT']}/agents",
        headers={"Authorization": f"Bearer {variables['PROJECT_PLATFORM_TOKEN']}"},
    )
    assert agents.status_code == 200
    assert running.stop() == 0
    assert running.out.read_text() == printed


def test_a_line_is_printed_for_each_request(start):
    """With identity, method, path, status and error; a request cannot add a line or change the terminal."""
    running = start("--env")
    variables = exports(running.out.read_text())
    headers = {"Authorization": f"Bearer {variables['PROJECT_PLATFORM_TOKEN']}"}
    before = len(running.err.read_text().splitlines())
    with httpx.Client(base_url=variables["PROJECT_PLATFORM_BASE_URL"], headers=headers) as client:
        project = f"/projects/{variables['PROJECT_PLATFORM_PROJECT']}"
        client.get(f"{project}/agents?limit=0")
        client.post(f"{project}/object-records", json={"typeSlug": "deal", "\u001b[31m\r\nx": 1})
        client.get("/nowhere", headers={"Authorization": ""})
        client.get("/_stub/health")

    first, second, third = running.err.read_text().splitlines()[before:]
    assert f"owner  GET  {project}/agents?limit=0  400 invalid_request" in first
    assert first.endswith("query.limit: is 0; the minimum is 1")
    assert "  201  " in second
    assert "body.\\u001b[31m\\u000d\\u000ax: is not known" in second
    assert "-  GET  /nowhere  404 no_such_path" in third


def test_exec_runs_a_command_against_a_stub(tmp_path):
    """The SDK finds the server by its environment; the exit status is the command's, and the server is stopped.

    Options of the server are before the two hyphens; after them everything belongs to the command.
    """
    described = tmp_path / "stub.json"
    command = [sys.executable, "-c", SCRIPT, "--", "--seed"]
    ended = subprocess.run(
        [*STUB, "exec", "--describe", str(described), "--", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    url, agents, arguments = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr, arguments) == (7, "", "['--', '--seed']")
    assert json.loads(described.read_text("utf-8"))["base_url"] == url
    assert int(agents) > 0
    assert not is_served(described)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "the command is missing; write it after two hyphens"),
        (["--"], 2, "the command is missing"),
        (["pytest"], 2, "unrecognized arguments: pytest"),
        (["--", "./no-such-command"], 127, "Cannot run ./no-such-command: No such file"),
        (["--", os.devnull], 126, f"Cannot run {os.devnull}: Permission denied"),
        (["--", "sh", "-c", "kill -KILL $$"], 137, ""),
    ],
)
def test_exec_ends_with_the_status_of_a_shell(arguments, status, message):
    """As `env` and `nohup` do: 126 and 127 for a command that cannot run, 128 and the number for a signal."""
    ended = subprocess.run([*STUB, "exec", *arguments], capture_output=True, text=True, check=False, timeout=60)

    assert ended.returncode == status
    assert message in ended.stderr


@pytest.mark.parametrize("how", ["terminate", "interrupt"])
def test_exec_passes_signals_on_and_stops_the_server(tmp_path, how):
    """SIGTERM is passed on, and the SIGINT of a terminal reaches both; the command decides how it ends."""
    started, script, described = tmp_path / "started", tmp_path / "command.py", tmp_path / "stub.json"
    script.write_text(
        "import os, pathlib, signal, sys, time\n"
        "for number in (signal.SIGTERM, signal.SIGINT):\n"
        "    signal.signal(number, lambda number, frame: sys.exit(40 + number))\n"
        f"pathlib.Path({str(started)!r}).touch()\n"
        "time.sleep(60)\n"
    )
    command = [*STUB, "exec", "--describe", str(described), "--", sys.executable, str(script)]
    process = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 20
    while not started.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert is_served(described)

    if how == "terminate":
        process.send_signal(signal.SIGTERM)
    else:
        os.killpg(process.pid, signal.SIGINT)

    assert process.wait(20) == 40 + (signal.SIGTERM if how == "terminate" else signal.SIGINT)
    assert not is_served(described)


def test_an_import_without_the_extra_names_it():
    """The SDK can be installed alone, and a notebook imports the stub server itself."""
    code = "import sys; sys.modules['yaml'] = None; import project_platform_stub"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "project_platform_stub needs yaml: pip install 'project-platform[stub]'" in run.stderr
