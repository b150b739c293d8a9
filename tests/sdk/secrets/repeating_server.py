"""A server that repeats the credentials of a request in its response: in messages, nested JSON, headers and broken bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote

from ..transports.server import Line, Server
from .showing import FRESH

REASONS = {200: "OK", 302: "Found", 307: "Temporary Redirect"}


class RepeatingServer(Server):
    """The first segment of the path says how a request ends; the rest is that of the operation."""

    def __init__(self) -> None:
        super().__init__(self._serve)
        self.base_url = f"http://127.0.0.1:{self.port}"

    def _serve(self, line: Line) -> None:
        while True:
            head, _ = line.request()
            _, target, _ = head.decode().split("\r\n")[0].split(" ")
            fields = dict(field.split(": ", 1) for field in head.decode("latin-1").split("\r\n")[1:])
            fields = {name.lower(): value for name, value in fields.items()}
            heard = " ".join(fields.get(name, "") for name in ("authorization", "x-api-key", "cookie"))
            mode = target.split("/")[1]
            _ANSWERS[mode.partition("-")[0]](line, heard, mode.partition("-")[2])


def _answer(line: Line, status: int, heard: str, body: bytes, **fields: str) -> None:
    fields = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "x-request-id": f"request-of-{heard}",
        "x-heard": heard,
        "set-cookie": heard,
        "www-authenticate": heard,
        **fields,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    line.send(f"HTTP/1.1 {status} {REASONS.get(status, 'No')}\r\n{head}\r\n".encode() + body)


def _repeated(heard: str) -> dict[str, object]:
    (credential, *_) = heard.removeprefix("Bearer ").split(" ")
    return {
        "message": f"refused: {heard}; {credential}; {quote(credential, safe='')}; {credential.upper()}; {_as_html(credential)}",
        "code": credential,
        "error": heard,
        "detail": {"heard": [heard, {"token": credential}], heard: 1},
    }


def _as_html(credential: str) -> str:
    return "".join(sign if sign.isalnum() else f"&#{ord(sign)};" for sign in credential)


def _status(line: Line, heard: str, status: str) -> None:
    _answer(line, int(status), heard, json.dumps(_repeated(heard)).encode())


def _page(line: Line, heard: str, status: str) -> None:
    _answer(line, int(status), heard, f"<html>{heard}</html>".encode(), **{"content-type": f"text/html+{heard}"})


def _unsuccessful(line: Line, heard: str, _: str) -> None:
    _answer(line, 200, heard, json.dumps({"success": False, **_repeated(heard)}).encode())


def _misfit(line: Line, heard: str, _: str) -> None:
    body = json.dumps({"record": {"id": 7, "externalId": heard}, "agents": heard, heard: _repeated(heard)})
    _answer(line, 200, heard, body.replace("/", r"\/").replace("+", r"\u002B").encode())


def _broken(line: Line, heard: str, _: str) -> None:
    _answer(line, 200, heard, f'{{"record": "{heard}'.encode())


def _cut(line: Line, heard: str, _: str) -> None:
    _answer(line, 200, heard, f'{{"record": "{heard}'.encode(), **{"content-length": "9999"})
    line.sock.close()


def _garbage(line: Line, heard: str, _: str) -> None:
    line.send(f"HTTP/1.1 200 OK\r\nheard {heard} as no field\r\n{heard}\x00\r\n\r\n".encode())
    line.sock.close()


def _close(line: Line, heard: str, _: str) -> None:
    line.sock.close()


def _silent(line: Line, heard: str, _: str) -> None:
    line.until_closed()


def _redirect(line: Line, heard: str, status: str) -> None:
    credential = heard.removeprefix("Bearer ").split(" ")[0]
    _answer(line, int(status), heard, b"", location=f"http://{quote(credential, safe='')}.example/?token={credential}")


def _relative(line: Line, heard: str, status: str) -> None:
    credential = heard.removeprefix("Bearer ").split(" ")[0]
    _answer(line, int(status), heard, b"", location=f"/relative-{status}/?token={credential}")


def _token(line: Line, heard: str, member: str) -> None:
    value = FRESH + "\n" if member == "token" else FRESH
    _answer(line, 200, heard, json.dumps({member: value, "heard": heard}).encode())


def _agents(line: Line, heard: str, _: str) -> None:
    server = {"name": "tools", "url": "https://tools.example", "headers": {"Authorization": heard}}
    agent = {"id": "a1", "name": "Helper", "mcpServers": [server], "headers": heard, "more": {"headers": {"a": heard}}}
    page = {"agents": [agent], "pagination": {"limit": 1, "offset": 0, "total": 1, "hasMore": False}}
    _answer(line, 200, heard, json.dumps(page).encode())


_ANSWERS: dict[str, Callable[[Line, str, str], None]] = {
    "status": _status,
    "page": _page,
    "unsuccessful": _unsuccessful,
    "misfit": _misfit,
    "broken": _broken,
    "cut": _cut,
    "garbage": _garbage,
    "close": _close,
    "silent": _silent,
    "redirect": _redirect,
    "relative": _relative,
    "token": _token,
    "agents": _agents,
}
