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
            mode, _, detail = target.split("/")[1].partition("-")
            if mode == "silent":
                line.until_closed()
            if mode == "garbage":
                line.send(f"HTTP/1.1 200 OK\r\nheard {heard} as no field\r\n{heard}\x00\r\n\r\n".encode())
            if mode in RESPONSES:
                line.send(_response(int(detail) if detail.isdigit() else 200, heard, *RESPONSES[mode](heard, detail)))
            if mode in {"close", "garbage", "cut"}:
                line.sock.close()


def _response(status: int, heard: str, body: str, fields: dict[str, str]) -> bytes:
    fields = {
        "content-type": "application/json",
        "content-length": str(len(body.encode())),
        "x-request-id": f"request-of-{heard}",
        "x-heard": heard,
        "set-cookie": heard,
        "www-authenticate": heard,
        **fields,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {REASONS.get(status, 'No')}\r\n{head}\r\n{body}".encode()


def _credential(heard: str) -> str:
    return heard.removeprefix("Bearer ").split(" ")[0]


def _repeated(heard: str) -> dict[str, object]:
    credential = _credential(heard)
    return {
        "message": f"refused: {heard}; {credential}; {quote(credential, safe='')}; {credential.upper()}; {_as_html(credential)}",
        "code": credential,
        "error": heard,
        "detail": {"heard": [heard, {"token": credential}], heard: 1},
    }


def _as_html(credential: str) -> str:
    return "".join(sign if sign.isalnum() else f"&#{ord(sign)};" for sign in credential)


def _misfit(heard: str) -> str:
    body = json.dumps({"record": {"id": 7, "externalId": heard}, "agents": heard, heard: _repeated(heard)})
    return body.replace("/", r"\/").replace("+", r"\u002B")


def _page_of_agents(heard: str) -> str:
    server = {"name": "tools", "url": "https://tools.example", "headers": {"Authorization": heard}}
    agent = {"id": "a1", "name": "Helper", "mcpServers": [server], "headers": heard, "more": {"headers": {"a": heard}}}
    return json.dumps({"agents": [agent], "pagination": {"limit": 1, "offset": 0, "total": 1, "hasMore": False}})


def _elsewhere(credential: str) -> str:
    return f"http://{quote(credential, safe='')}.example/?token={credential}"


# The body and the header fields of a response; a number behind the hyphen of a mode is its status.
RESPONSES: dict[str, Callable[[str, str], tuple[str, dict[str, str]]]] = {
    "status": lambda heard, _: (json.dumps(_repeated(heard)), {}),
    "page": lambda heard, _: (f"<html>{heard}</html>", {"content-type": f"text/html+{heard}"}),
    "unsuccessful": lambda heard, _: (json.dumps({"success": False, **_repeated(heard)}), {}),
    "misfit": lambda heard, _: (_misfit(heard), {}),
    "broken": lambda heard, _: (f'{{"record": "{heard}', {}),
    "cut": lambda heard, _: (f'{{"record": "{heard}', {"content-length": "9999"}),
    "redirect": lambda heard, _: ("", {"location": _elsewhere(_credential(heard))}),
    "relative": lambda heard, status: ("", {"location": f"/relative-{status}/?token={_credential(heard)}"}),
    "token": lambda heard, member: (
        json.dumps({member: FRESH + ("\n" if member == "token" else ""), "heard": heard}),
        {},
    ),
    "agents": lambda heard, _: (_page_of_agents(heard), {}),
}
