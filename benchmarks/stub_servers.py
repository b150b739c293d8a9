"""The servers under test, each in a separate process: the stub, Prism and moto_server.

Prism and moto are installed into `.venv/peers/` if they are missing, in the versions given here. Each version has its own
folder, so that the reported version is the one that was measured.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import stub_requests
from .stub_load import Address, NextExchange, once

PRISM, MOTO = "5.14.2", "5.2.5"

_ROOT = Path(__file__).parents[1]
_PEERS = _ROOT / ".venv" / "peers"
_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_START_TIMEOUT = 60.0  # Seconds until a server must accept connections.
_INSTALL_TIMEOUT = 600.0  # Seconds for an installation.


class NotInstalledError(Exception):
    """A peer cannot be installed; the message gives the reason."""


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        name: Its name in the tables.
        pid: Its process ID.
        address: The address on which it listens.
        operations: The requests of each operation, by the name of the operation.
    """

    name: str
    pid: int
    address: Address
    operations: Mapping[str, NextExchange]

    def cpu(self) -> float:
        """Return the seconds of CPU time used so far by the process and its descendants."""
        parents: dict[int, int] = {}
        used: dict[int, int] = {}
        for file in _PROC.glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # the process has just ended
                pid = int(file.parent.name)
                # proc(5): after the name in brackets come state, ppid and, eleven further, utime, stime, cutime, cstime.
                fields = file.read_text().rpartition(")")[2].split()
                parents[pid], used[pid] = int(fields[1]), sum(map(int, fields[11:15]))
        family = {self.pid}
        while grown := {pid for pid, parent in parents.items() if parent in family} - family:
            family |= grown
        return sum(used.get(pid, 0) for pid in family) / _TICKS


@contextlib.contextmanager
def stub() -> Iterator[tuple[Server, dict[str, Any]]]:
    """Run the stub, and yield it with its description."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stub.json"
        command = [_beside_python("project-platform"), "stub", "--quiet", "--port", "0", "--describe", str(file)]
        with _running(command) as process:
            _wait(process, file.exists)
            description = json.loads(file.read_text(encoding="utf-8"))
            address = ("127.0.0.1", int(description["base_url"].rpartition(":")[2]))
            yield Server("stub", process.pid, address, stub_requests.for_stub(address, description)), description


@contextlib.contextmanager
def prism(description: dict[str, Any]) -> Iterator[Server]:
    """Run Prism with `openapi.yaml`, for the same requests as the stub.

    It uses its fastest configuration: one process (`--multiprocess` adds one for the log), no log, no CORS headers.
    """
    folder = _PEERS / f"prism-{PRISM}"
    program = folder / "node_modules" / ".bin" / "prism"
    if not program.exists():
        package = f"@stoplight/prism-cli@{PRISM}"
        _install(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), package])
    address = _free_address()
    command = [str(program), "mock", str(_ROOT / "openapi.yaml"), "--port", str(address[1]), "--cors", "false"]
    with _running([*command, "--verboseLevel", "silent"], {"NODE_ENV": "production"}) as process:
        _wait(process, lambda: _listens(address))
        yield Server("Prism", process.pid, address, stub_requests.for_prism(description))


@contextlib.contextmanager
def moto() -> Iterator[Server]:
    """Run moto_server, which has no options for speed and checks no signatures by default."""
    folder = _PEERS / f"moto-{MOTO}"
    program = folder / "bin" / "moto_server"
    if not program.exists():
        _install([sys.executable, "-m", "venv", str(folder)])
        _install([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", f"moto[server]=={MOTO}"])
    address = _free_address()
    with _running([str(program), "--port", str(address[1])]) as process:
        _wait(process, lambda: _listens(address))
        for exchange in stub_requests.moto_tables():
            once(address, exchange)
        yield Server("moto_server", process.pid, address, stub_requests.for_moto())


def _beside_python(program: str) -> str:
    return str(Path(sys.executable).parent / program)


def _install(command: Sequence[str]) -> None:
    if shutil.which(command[0]) is None:
        raise NotInstalledError(f"{command[0]} is not on the PATH")
    _PEERS.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT)
    except subprocess.CalledProcessError as error:
        output = (error.stderr or error.stdout).strip().splitlines()
        last_line = output[-1] if output else ""
        raise NotInstalledError(f"{command[0]} ended with status {error.returncode}: {last_line}") from error
    except subprocess.TimeoutExpired as error:
        raise NotInstalledError(f"{command[0]} took more than {_INSTALL_TIMEOUT:.0f} seconds") from error


@contextlib.contextmanager
def _running(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], ready: Any) -> None:
    until = time.monotonic() + _START_TIMEOUT
    while not ready():
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"The server did not start: {process.args!r}; run the command in a shell to see why.")
        time.sleep(0.05)


def _free_address() -> Address:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return ("127.0.0.1", int(taken.getsockname()[1]))


def _listens(address: Address) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(address, 1.0):
        return True
    return False
