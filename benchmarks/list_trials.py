"""One SDK and a list whose answer is late, or whose pages do not end. `peer_trials.py` runs it with the trials of writes.

Every SDK lists objects of the service that it is made for. The server answers in the format of that service: first a list of two pages, which the
SDK must read completely, then the trials. In the trials of late answers the SDK has a limit of two seconds, set with its own options.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from . import peer_clients
from .json_server import JsonHandler, serve
from .server import AGENT

DEADLINE = 2.0  # Seconds that a call may take.
INTERVAL = 0.5  # Seconds between two bytes of a slow body.
PATIENCE = 10.0  # Seconds after which a trial is cut off.
MAX_REQUESTS = 20  # Requests after which a list is said not to end.
PAGES = (("first", "second"), ("third", "fourth"))  # Names of the objects of a list.
WAITING = f"still waiting after {PATIENCE:.0f} s"
ASKING = f"still asking after {MAX_REQUESTS} requests"

Headers = dict[str, str]


class NotReadError(Exception):
    """An SDK cannot read a list of two pages, so that nothing follows from the other trials."""


class Sdk(NamedTuple):
    """An SDK: the end of the path of a list, a function that returns an iterator over it, and one that returns a page.

    The iterator is given the address of the server and the limit of a call in seconds; None is the default of the SDK. A page is
    given its number, the names of its objects, whether another one follows, and the address. It has a body and header fields.
    """

    path: str
    listing: Callable[[str, float | None], Iterable[Any]]
    page: Callable[[int, tuple[str, ...], bool, str], tuple[Any, Headers]]


class ListServer:
    """Answers requests for a list as a trial says, and counts them. Any other request is answered with 404, and not counted.

    - `pages`: two pages.
    - `loop`: the second page again and again, which names itself as the next one.
    - `slow`: the last page, a byte every `INTERVAL` seconds.
    - `stalled`: the first byte of the last page, and nothing more.
    """

    def __init__(self, trial: str, sdk: Sdk) -> None:
        self.requests = 0
        server = self

        class Handler(JsonHandler):
            def respond(self) -> None:
                self.read_body()
                if not self.path.partition("?")[0].endswith(sdk.path):
                    self.send_error(404)  # google-cloud-storage requests the metadata of the bucket in the background
                    return
                server.requests += 1
                number = 0 if trial in {"pages", "loop"} and server.requests == 1 else 1
                content, headers = sdk.page(number, PAGES[number], number == 0 or trial == "loop", server.url)
                self.answer(200, content, headers)

            do_GET = do_POST = respond  # noqa: N815  # the names of http.server

            def send_body(self, body: bytes) -> None:
                if trial in {"pages", "loop"}:
                    self.wfile.write(body)
                    return
                try:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        time.sleep(INTERVAL if trial == "slow" else 2 * PATIENCE)
                except OSError:  # the SDK has closed the connection
                    self.close_connection = True

        self.url = serve(Handler)


def run(trial: str, sdk: Sdk) -> dict[str, Any]:
    """Run a trial, and return the number of requests and of objects, the seconds that the SDK took, and what the list ended with."""
    server = ListServer(trial, sdk)
    objects = sdk.listing(server.url, DEADLINE if trial in {"slow", "stalled"} else None)
    count = 0
    end: list[tuple[float, str]] = []

    def caller() -> None:
        nonlocal count
        name = "result"
        try:
            for _ in objects:
                count += 1
                if server.requests >= MAX_REQUESTS:
                    name = ASKING
                    break
        except Exception as error:  # noqa: BLE001  # the name of the exception is the finding
            name = type(error).__name__
        end.append((time.monotonic(), name))

    started = time.monotonic()
    thread = threading.Thread(target=caller, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    ended, name = end[0] if end else (started + PATIENCE, WAITING)
    return {"requests": server.requests, "objects": count, "seconds": round(ended - started, 1), "end": name}


def cells(name: str) -> dict[str, dict[str, Any]]:
    """Run the trials of an SDK, those of late answers at the same time.

    Raises:
        NotReadError: The SDK does not read a list of two pages completely.
    """
    sdk = SDKS[name]
    pages = run("pages", sdk)
    if (pages["requests"], pages["objects"], pages["end"]) != (2, 4, "result"):
        raise NotReadError(f"{name} has read a list of two pages with two objects each as {pages}")
    with ThreadPoolExecutor() as pool:
        slow, stalled = pool.map(lambda trial: run(trial, sdk), ("slow", "stalled"))
    return {"pages": pages, "slow": slow, "stalled": stalled, "loop": run("loop", sdk)}


def _ours(url: str, limit: float | None) -> Iterable[Any]:
    platform: Any = importlib.import_module("project_platform")
    options = {} if limit is None else {"retry": platform.RetryPolicy(deadline=limit)}
    listed: Iterable[Any] = peer_clients.project_platform(url, **options).agents.list()
    return listed


def _our_page(number: int, names: tuple[str, ...], more: bool, _: str) -> tuple[Any, Headers]:
    agents = [AGENT | {"id": name} for name in names]
    return {"agents": agents, "pagination": {"limit": 2, "offset": 2 * number, "hasMore": more}}, {}


def _timeout(limit: float | None) -> dict[str, Any]:
    return {} if limit is None else {"timeout": limit}


def _openai(url: str, limit: float | None) -> Iterable[Any]:
    client = peer_clients.openai(url, **_timeout(limit))
    return _calling(client.fine_tuning.jobs.list)


def _openai_page(_: int, names: tuple[str, ...], more: bool, __: str) -> tuple[Any, Headers]:
    return {"object": "list", "data": [{"id": n, "object": "fine_tuning.job"} for n in names], "has_more": more}, {}


def _anthropic(url: str, limit: float | None) -> Iterable[Any]:
    client = peer_clients.anthropic(url, **_timeout(limit))
    return _calling(client.models.list)


def _anthropic_page(_: int, names: tuple[str, ...], more: bool, __: str) -> tuple[Any, Headers]:
    models = [{"id": name, "type": "model", "display_name": name} for name in names]
    return {"data": models, "has_more": more, "first_id": names[0], "last_id": names[-1]}, {}


def _stripe(url: str, limit: float | None) -> Iterable[Any]:
    stripe: Any = importlib.import_module("stripe")
    options = {} if limit is None else {"http_client": stripe.RequestsClient(timeout=limit)}
    client = peer_clients.stripe(url, **options)
    return _calling(lambda: client.v1.customers.list().auto_paging_iter())


def _stripe_page(_: int, names: tuple[str, ...], more: bool, __: str) -> tuple[Any, Headers]:
    customers = [{"id": name, "object": "customer"} for name in names]
    return {"object": "list", "url": "/v1/customers", "has_more": more, "data": customers}, {}


def _githubkit(url: str, limit: float | None) -> Iterable[Any]:
    # The cache, which is on by default, loses the timeout of a request in the pinned version of hishel.
    options = {} if limit is None else {"timeout": limit, "http_cache": False}
    github = peer_clients.githubkit(url, **options)
    return _calling(lambda: github.rest.paginate(github.rest.issues.list_labels_for_repo, owner="o", repo="r"))


def _githubkit_page(_: int, names: tuple[str, ...], more: bool, url: str) -> tuple[Any, Headers]:
    label = {"id": 1, "node_id": "x", "url": url, "description": None, "color": "ffffff", "default": False}
    label |= {"archived_at": None, "archived_by": None}
    link = {"Link": f'<{url}/repos/o/r/labels?page=2>; rel="next"'} if more else {}
    return [label | {"name": name} for name in names], link


def _azure(url: str, limit: float | None) -> Iterable[Any]:
    """Return a list as the clients that are generated for azure-core write it."""
    paging: Any = importlib.import_module("azure.core.paging")
    client = peer_clients.azure_core(url)
    options = {} if limit is None else {"timeout": limit, "connection_timeout": limit, "read_timeout": limit}

    def get_next(link: str | None) -> Any:
        request = peer_clients.azure_request("GET", link or f"{url}/things")
        response = client.send_request(request, **options)
        response.raise_for_status()
        return response.json()

    listed: Iterable[Any] = paging.ItemPaged(get_next, lambda page: (page.get("nextLink"), iter(page["value"])))
    return listed


def _azure_page(_: int, names: tuple[str, ...], more: bool, url: str) -> tuple[Any, Headers]:
    page = {"value": [{"id": name} for name in names]}
    return page | ({"nextLink": f"{url}/things?page=2"} if more else {}), {}


def _google(url: str, limit: float | None) -> Iterable[Any]:
    retry: Any = importlib.import_module("google.cloud.storage.retry")
    client = peer_clients.google_cloud_storage(url)
    options = {} if limit is None else {"timeout": limit, "retry": retry.DEFAULT_RETRY.with_timeout(limit)}
    listed: Iterable[Any] = client.list_blobs("b", **options)
    return listed


def _google_page(_: int, names: tuple[str, ...], more: bool, __: str) -> tuple[Any, Headers]:
    blobs = [{"kind": "storage#object", "name": name, "bucket": "b"} for name in names]
    return {"kind": "storage#objects", "items": blobs} | ({"nextPageToken": "2"} if more else {}), {}


def _boto3(url: str, limit: float | None) -> Iterable[Any]:
    config: Any = importlib.import_module("botocore.config")
    options = {} if limit is None else {"config": config.Config(connect_timeout=limit, read_timeout=limit)}
    client = peer_clients.boto3(url, **options)
    listed: Iterable[Any] = client.get_paginator("list_tables").paginate().search("TableNames")
    return listed


def _boto3_page(_: int, names: tuple[str, ...], more: bool, __: str) -> tuple[Any, Headers]:
    return {"TableNames": names} | ({"LastEvaluatedTableName": names[-1]} if more else {}), {}


def _calling(call: Callable[[], Iterable[Any]]) -> Iterable[Any]:
    """Return the objects of a list whose first request is sent by the call that returns it."""
    yield from call()


SDKS = {
    "project-platform": Sdk("/agents", _ours, _our_page),
    "openai": Sdk("/fine_tuning/jobs", _openai, _openai_page),
    "anthropic": Sdk("/v1/models", _anthropic, _anthropic_page),
    "stripe": Sdk("/v1/customers", _stripe, _stripe_page),
    "githubkit": Sdk("/repos/o/r/labels", _githubkit, _githubkit_page),
    "azure-core": Sdk("/things", _azure, _azure_page),
    "google-cloud-storage": Sdk("/b/b/o", _google, _google_page),
    "boto3": Sdk("/", _boto3, _boto3_page),
}
