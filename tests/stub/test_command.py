"""The command `project-platform stub`: its request lines, `--env`, `--allow-origin`, and `exec`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest

STUB = [sys.executable, "-m", "project_platform.cli", "stub"]
SCRIPT = """
import os
from project_platform import Client
with Client() as client:
    print(len(list(client.project().agents.list())))
print(os.environ["PROJECT_PLATFORM_BASE_URL"])
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
        """Stop the server, and return its exit status."""
        self.process.terminate()
        return self.process.wait(20)


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


def test_a_port_that_is_taken_is_reported(start):
    """It prints one line and exits with status 1."""
    port = httpx.URL(exports(start("--env").out.read_text())["PROJECT_PLATFORM_BASE_URL"]).port

    finished = subprocess.run([*STUB, "--port", str(port)], capture_output=True, text=True, check=False, timeout=30)

    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith(f"Cannot listen on 127.0.0.1:{port}: ")
    assert finished.stderr.count("\n") == 1


def test_a_description_file_that_cannot_be_written_is_reported(tmp_path):
    """It prints one line and exits with status 1."""
    missing = tmp_path / "missing" / "stub.json"

    finished = subprocess.run(
        [*STUB, "--port", "0", "--describe", str(missing)], capture_output=True, text=True, check=False, timeout=30
    )

    assert finished.returncode == 1
    assert finished.stderr.startswith(f"Cannot write {missing}: ")


def test_the_number_of_worlds_is_limited(start):
    """The route that creates worlds refuses another one."""
    running = start("--env", "--max-worlds", "1")

    response = httpx.post(f"{exports(running.out.read_text())['PROJECT_PLATFORM_BASE_URL']}/_stub/worlds", json={})

    assert (response.status_code, "the maximum is 1" in response.text) == (409, True)


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


def test_quiet_prints_no_requests(start):
    """Only what is printed before the first request."""
    running = start("--env", "--quiet")
    variables = exports(running.out.read_text())
    before = running.err.read_text()

    httpx.get(f"{variables['PROJECT_PLATFORM_BASE_URL']}/nowhere")

    assert running.stop() == 0
    assert running.err.read_text() == before


def test_the_tokens_of_the_first_screen_are_short(start):
    """The signature alone is 86 characters; a token fits on four lines of a terminal, and the command on five."""
    screen = start().out.read_text()
    tokens = re.findall(r"^\w+ +(eyJ\S+)$", screen, re.MULTILINE)

    assert len(tokens) == 4  # the identities of the demo
    assert max(map(len, tokens)) <= 4 * 80
    assert max(map(len, screen.splitlines())) <= 5 * 80


def test_allowed_origins_are_passed_on(start):
    """The option can be repeated."""
    running = start("--env", "--allow-origin", "http://localhost:5173", "--allow-origin", "http://localhost:4321")
    url = exports(running.out.read_text())["PROJECT_PLATFORM_BASE_URL"]

    for origin in ("http://localhost:5173", "http://localhost:4321"):
        answer = httpx.get(f"{url}/auth/check-permission", headers={"Origin": origin})
        assert answer.headers["Access-Control-Allow-Origin"] == origin


def test_a_malformed_origin_is_a_usage_error():
    """The message has the form of an origin."""
    ended = subprocess.run([*STUB, "--allow-origin", "localhost"], capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "'localhost' is not an origin; write the scheme, the host and the port" in ended.stderr


def test_exec_runs_a_command_against_a_stub():
    """The SDK finds the server by its environment; the exit status is the command's, and the server is stopped."""
    ended = subprocess.run(
        [*STUB, "exec", "--", sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )

    agents, url = ended.stdout.split()
    assert (ended.returncode, ended.stderr) == (7, "")
    assert int(agents) > 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_exec_takes_the_options_of_the_server(tmp_path):
    """Options are before the two hyphens; after them everything belongs to the command."""
    described = tmp_path / "stub.json"
    script = f"import sys; print(sys.argv[1:], open({str(described)!r}).read(1))"
    ended = subprocess.run(
        [
            *STUB,
            "exec",
            "--seed",
            "3",
            "--describe",
            str(described),
            "--",
            sys.executable,
            "-c",
            script,
            "--",
            "--seed",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (ended.returncode, ended.stdout) == (0, "['--', '--seed'] {\n")


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
    started, script = tmp_path / "started", tmp_path / "command.py"
    script.write_text(
        "import os, pathlib, signal, sys, time\n"
        "for number in (signal.SIGTERM, signal.SIGINT):\n"
        "    signal.signal(number, lambda number, frame: sys.exit(40 + number))\n"
        f"pathlib.Path({str(started)!r}).write_text(os.environ['PROJECT_PLATFORM_BASE_URL'])\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([*STUB, "exec", "--", sys.executable, str(script)], start_new_session=True)
    deadline = time.monotonic() + 20
    while not started.exists() or not started.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)

    if how == "terminate":
        process.send_signal(signal.SIGTERM)
    else:
        os.killpg(process.pid, signal.SIGINT)

    assert process.wait(20) == 40 + (signal.SIGTERM if how == "terminate" else signal.SIGINT)
    with pytest.raises(httpx.ConnectError):
        httpx.get(started.read_text())


def test_an_import_without_the_extra_names_it():
    """The SDK can be installed alone, and a notebook imports the stub server itself."""
    code = "import sys; sys.modules['yaml'] = None; import project_platform_stub"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "project_platform_stub needs yaml: pip install 'project-platform[stub]'" in run.stderr
