"""Runs the example of an operation against a stub server, and records its requests, responses and output."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import httpx

from ..complaints import GenerationError

if TYPE_CHECKING:
    from project_platform_stub import Stub

_BASE: Final = "https://platform.example"
_NOW: Final = datetime(2026, 11, 22, 9, tzinfo=UTC)
_MAX_TEXT: Final = 64
_PAGER: Final = ("first", "first_page", "to_list")  # Methods of a pager, which are awaited.
_CALL: Final = re.compile(r"\b(?:project|client)\.\w+\.\w+\(")


@dataclass(frozen=True)
class RecordedCall:
    """A call as a page shows it: the programs, their output, and the messages on the wire."""

    sync_program: str
    async_program: str
    output: str
    request: str
    response: str


class _Recorder(httpx.BaseTransport):
    """Keeps the last request and its response."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.last: tuple[httpx.Request, httpx.Response]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        body = response.read()
        self.last = request, httpx.Response(response.status_code, headers=response.headers, content=body)
        return self.last[1]


def record(operation: Mapping[str, Any]) -> RecordedCall:
    """Run the example of an operation. The clock and the seed of the stub are fixed, so the result is always the same.

    Raises:
        GenerationError: The example ends with an error.
    """
    try:
        code, output, request, response = run_example(operation)
        async_code = _awaited(code)
    except Exception as error:
        problem = f"{operation['operationId']}: x-example ends with {type(error).__name__}: {error}"
        raise GenerationError([problem]) from error
    needs_project = operation["x-sdk"]["resource"] != "auth"
    return RecordedCall(
        sync_program=_sync_program(code, needs_project=needs_project),
        async_program=_async_program(async_code, needs_project=needs_project),
        output=output,
        request=_request_text(request),
        response=_response_text(response),
    )


def run_example(operation: Mapping[str, Any]) -> tuple[str, str, httpx.Request, httpx.Response]:
    """Return the code of an example, what it prints, and the last request of its call with the response."""
    from project_platform import Client

    stub = new_stub()
    recorder = _Recorder(stub.transport())
    described = stub.describe(_BASE)
    page, photos = described["accounts"][:2]
    values = {"template": described["template"], "post": described["posts"][0], "page": page, "photos": photos}
    example = operation["x-example"]
    before, call, after = (_filled(example.get(part, ""), values) for part in ("before", "call", "after"))
    printed = io.StringIO()
    with Client(_BASE, token=stub.token(), project_id=stub.project.id, transport=recorder) as client:
        scope: dict[str, Any] = {"client": client, "project": client.project()}
        with contextlib.redirect_stdout(printed):
            exec(before, scope)  # noqa: S102  # the code is in openapi.yaml
            exec(call, scope)  # noqa: S102
            last = recorder.last
            exec(after, scope)  # noqa: S102
    return before + call + after, printed.getvalue(), *last


def new_stub() -> Stub:
    """Return a stub server with a fixed clock.

    Raises:
        GenerationError: It does not start.
    """
    # Imported here, because the SDK and the stub server read what the generator has just written.
    from project_platform_stub import Stub
    from project_platform_stub.operations import ContractError

    try:
        return Stub(now=lambda: _NOW)
    except ContractError as error:
        raise GenerationError([f"the stub server does not start: {error}"]) from error


def _filled(code: str, values: Mapping[str, str]) -> str:
    return re.sub(rf"\{{({'|'.join(values)})\}}", lambda found: values[found[1]], code)


def _sync_program(code: str, *, needs_project: bool) -> str:
    setup = "project = client.project()\n" if needs_project else ""
    return "from project_platform import Client\n\nwith Client() as client:\n" + textwrap.indent(setup + code, "    ")


def _async_program(code: str, *, needs_project: bool) -> str:
    setup = "project = client.project()\n" if needs_project else ""
    body = "async with AsyncClient() as client:\n" + textwrap.indent(setup + code, "    ")
    return (
        "import asyncio\n\nfrom project_platform import AsyncClient\n\n\nasync def main() -> None:\n"
        f"{textwrap.indent(body, '    ')}\n\nasyncio.run(main())\n"
    )


def _awaited(code: str) -> str:
    """Return the code of an asynchronous program.

    Raises:
        ValueError: The result of a call is used in the same expression.
    """
    for node in ast.walk(ast.parse(code)):
        used = isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Call)
        if used and _CALL.match(ast.unparse(node)) and getattr(node, "attr", "") not in _PAGER:
            raise ValueError(
                f"`{ast.unparse(node)}`; give the result of the call a name, since the other program awaits it"
            )
    return _CALL.sub(r"await \g<0>", code)


def _request_text(request: httpx.Request) -> str:
    target = request.url.raw_path.decode()
    headers = ["Host: platform.example", "Authorization: Bearer ey…"]
    if request.content:
        headers.append(f"Content-Type: {request.headers['Content-Type']}")
    return _message(f"{request.method} {target} HTTP/1.1", headers, request.content)


def _response_text(response: httpx.Response) -> str:
    headers = [f"Content-Type: {response.headers['Content-Type']}"]
    return _message(f"HTTP/1.1 {response.status_code} {response.reason_phrase}", headers, response.content)


def _message(start: str, headers: list[str], body: bytes) -> str:
    head = "\n".join([start, *headers])
    if body.startswith(b"%PDF-"):
        return f"{head}\n\n(a PDF)"
    return f"{head}\n\n{json.dumps(_shortened(json.loads(body)), indent=2, ensure_ascii=False)}" if body else head


def _shortened(value: Any) -> Any:
    """Return JSON in which long arrays have their first element only, and long strings their beginning."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        rest = [f"… {len(value) - 1} more"] if len(value) > 1 else []
        return [*map(_shortened, value[:1]), *rest]
    return f"{value[:_MAX_TEXT]}…" if isinstance(value, str) and len(value) > _MAX_TEXT else value
