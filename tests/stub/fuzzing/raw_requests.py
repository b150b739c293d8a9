"""Raw requests that are almost right: each part is a good one, or one with something wrong in it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from project_platform_stub.contract import Operation, load_contract
from project_platform_stub.http.messages import MAX_BODY_BYTES, Request
from project_platform_stub.operations import photo_analytics, posts
from project_platform_stub.world.world import World

from .known import PLACES, dictionaries, examples
from .splinters import BODIES, HEADERS, MEDIA_TYPES, METHODS, SPLINTERS, TEXTS, TOKENS_IN_JSON

FILTERS = ("limit", "offset", "filters", "permission", "scope", *posts.TEXT_FIELDS, *photo_analytics.TEXT_FIELDS)
FIELDS = sorted({field for operation in load_contract().operations.values() for field in operation.body_fields})

TOLD = 500


class Bytes(bytes):
    """Bytes of which Hypothesis tells no more than the beginning."""

    def __repr__(self) -> str:
        return super().__repr__() if len(self) <= TOLD else f"{bytes(self[:TOLD])!r} and {len(self) - TOLD} more"


def raw_requests(world: World, good: list[str], bad: list[str | None]) -> SearchStrategy[Request]:
    """Return requests to a stub with this world in which anything may be wrong.

    Args:
        world: The world.
        good: `Authorization` headers that are accepted.
        bad: Such that are not; None for none at all.
    """
    known, bodies = dictionaries(world), examples(world)["bodies"]
    operations = list(load_contract().operations.values())
    return _request(operations, known, bodies, [*good, *bad])


@st.composite
def _request(
    draw: DrawFn,
    operations: list[Operation],
    known: dict[str, list[str]],
    bodies: dict[str, Any],
    authorizations: list[str | None],
) -> Request:
    operation = draw(st.sampled_from(operations))
    method = operation.method if draw(often) else draw(st.sampled_from(METHODS))
    path = "/" + "/".join(_segment(draw, segment, known) for segment in operation.segments)
    query = "&".join(draw(st.lists(_pair(known), max_size=4)))
    if operation.id == "auth_check_permission" and draw(often):
        query += "&permission=agents:read"
    if operation.id == "calendar_busy" and draw(often):
        query += "&timeMin=2026-11-01T00:00Z&timeMax=2026-12-01T00:00Z"
    headers = {draw(st.sampled_from(HEADERS)): draw(_header_text)} if draw(seldom) else {}
    headers["content-type"] = MEDIA_TYPES[0] if draw(often) else draw(st.sampled_from(MEDIA_TYPES))
    authorization = authorizations[0] if draw(often) else draw(st.sampled_from(authorizations))
    if authorization is not None:
        headers["authorization"] = authorization
    body = _body(draw, bodies.get(operation.id, {}), [text for texts in known.values() for text in texts])
    return Request(
        method, draw(splintered(path)), draw(splintered(query.lstrip("&"))), headers, Bytes(body[: MAX_BODY_BYTES + 1])
    )


often = st.integers(0, 9).map(lambda number: number < 9)
seldom = st.integers(0, 9).map(lambda number: number > 8)
_header_text = st.text(st.characters(max_codepoint=255), max_size=20)


def _segment(draw: DrawFn, segment: str, known: dict[str, list[str]]) -> str:
    """Return a segment of a path; a parameter gets a value that exists, or any text."""
    if not segment.startswith("{"):
        return segment
    values = known[PLACES[f"path.{segment[1:-1]}"]]
    text = draw(st.sampled_from(values)) if draw(often) else draw(st.sampled_from(TEXTS) | st.text(max_size=8))
    return quote(text, safe=draw(st.sampled_from(["", "/", "%"])), errors="surrogatepass")


@st.composite
def _pair(draw: DrawFn, known: dict[str, list[str]]) -> str:
    names = [place.removeprefix("query.") for place in PLACES if place.startswith("query.")]
    values = [text for texts in known.values() for text in texts]
    name = draw(st.sampled_from([*names, *FILTERS]) | st.text(max_size=5))
    text = draw(
        st.sampled_from([*values, *TEXTS, "1", "100", "101", "0", "-1", "published", "IMAGE"]) | st.text(max_size=5)
    )
    return f"{quote(name, errors='surrogatepass')}={quote(text, errors='surrogatepass')}"


@st.composite
def splintered(draw: DrawFn, text: str) -> bytes:
    """Return a text as bytes, now and then with a splinter in it, or with a byte that is gone."""
    raw = text.encode("utf-8", "surrogatepass")
    if draw(often):
        return raw
    return _wounded(draw, raw, SPLINTERS)


def _wounded(draw: DrawFn, raw: bytes, splinters: tuple[bytes, ...]) -> bytes:
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(raw)))
        gone = draw(st.integers(0, 3))
        raw = raw[:start] + draw(st.sampled_from(splinters) | st.binary(max_size=2)) + raw[start + gone :]
    return raw


def _body(draw: DrawFn, example: Any, known: list[str]) -> bytes:
    if draw(seldom):
        return draw(st.sampled_from(BODIES) | st.binary(max_size=30))
    text = json.dumps(changed(draw, example, known), ensure_ascii=draw(st.booleans()))
    return wounded_json(draw, text.encode("utf-8", "surrogatepass"))


def wounded_json(draw: DrawFn, raw: bytes) -> bytes:
    """Return JSON, now and then with something in it that is none."""
    return raw if draw(often) else _wounded(draw, raw, TOKENS_IN_JSON)


def changed(draw: DrawFn, value: Any, known: list[str]) -> Any:
    """Return a JSON value with members that are gone, new, or something else."""
    if draw(seldom):
        return draw(_json(known))
    match value:
        case dict():
            kept = {name: changed(draw, member, known) for name, member in value.items() if draw(often)}
            new = draw(st.dictionaries(st.sampled_from(["email", "id", *FIELDS, *TEXTS]), _json(known), max_size=2))
            return {**kept, **new} if draw(seldom) else kept
        case list():
            return [changed(draw, item, known) for item in value]
        case _:
            return value


def _json(known: list[str]) -> SearchStrategy[Any]:
    texts = st.sampled_from([*known, *TEXTS]) | st.text(st.characters(), max_size=8)
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0, 1.0, 30.0, 10**30])
    return st.recursive(
        st.none() | st.booleans() | numbers | texts,
        lambda inner: st.lists(inner, max_size=14) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=15,
    )


def authorizations(world: World) -> tuple[list[str], list[str | None]]:
    """Return `Authorization` headers that are accepted, and such that are not."""
    tokens = world.tokens
    good = [tokens.valid(identity.key) for identity in world.identities.values()]
    bad = [
        *(tokens.expired(), tokens.not_yet_valid(), tokens.wrong_audience(), tokens.wrong_issuer()),
        *(
            tokens.unknown_key(),
            tokens.wrong_signature(),
            tokens.alg_none(),
            tokens.no_user_id(),
            tokens.unknown_user(),
        ),
        *(good[0][:-1], good[0] + "=", good[0].replace(".", "..", 1), "é", "\x00", "..", "a.b.c", "=" * 9000),
        *(tokens.session(), f"{good[0]}, Bearer {good[0]}"),
    ]
    return [f"Bearer {token}" for token in good], [
        *(f"Bearer {token}" for token in bad),
        None,
        "",
        "Bearer",
        "Basic YTpi",
    ]
