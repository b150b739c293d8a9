"""Endpoints 10: sequences of updates of several entries by several callers, with requests between them that are refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from random import Random
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, SignIn

from .model.record_updates import Values
from .support.covering import Row, covering
from .support.free_form import KEYS, LONG, TEXTS
from .support.json_equality import differences, lost
from .support.memory import Entry, Memory, MemoryOf
from .support.merges import value_differences
from .support.preconditions import require_conclusive, require_refused, require_success
from .support.reading import refused

_UPDATES: Final = covering(
    {
        "entry": ("memory_slug", "memory_slug_with_slash"),
        "caller": ("owner", "service_account"),
        "title": ("absent", "plain", "a text"),
        "description": ("absent", "plain", "a text", "empty", "of the other entry"),
        "content": ("absent", "a text", "empty", "long", "of the other entry"),
        "metadata": ("absent", "empty", "values", "objects"),
    },
    strength=3,
)
_KEYS_OF_METADATA: Final = 3  # Number of keys of an update with unusual names.
_TEXTS: Final = ("title", "description", "content")
_FIXED: Final = ("id", "projectId", "slug", "createdAt")


@pytest.mark.rule("memory.update.sequence")
def test_entries_are_what_the_updates_of_all_callers_make_of_them(
    memory: MemoryOf, sign_in: SignIn, data: Data, tag: str
) -> None:
    """Each response shows the whole entry, and so do reads by every caller; no update changes another entry."""
    chance = Random(4)  # noqa: S311  # no secret
    values, texts = Values(chance), cycle(chance.sample(list(TEXTS.values()), len(TEXTS)))
    with memory("memory_slug") as first, memory("memory_slug_with_slash") as second:
        slugs = {"memory_slug": first.slug, "memory_slug_with_slash": second.slug}
        expected = {"memory_slug": first.read(), "memory_slug_with_slash": second.read()}
        callers = _callers(sign_in, first.slug, data)
        for number, row in enumerate(_UPDATES):
            api, slug, before = (
                callers.get(row["caller"], callers["owner"]),
                slugs[row["entry"]],
                expected[row["entry"]],
            )
            (other_entry,) = (expected[which] for which in expected if which != row["entry"])
            body = _body(row, f"{tag} {number}", values, next(texts), other_entry)
            _send_refused(sign_in, number, slug, body, tag)
            response = api("memory_update", slug=slug, json=body)
            if refused(response) and "" in body.values():  # the service may require a text
                continue
            assert response.is_success, f"update {number}, {body!a}: {response.status_code}"
            after: Entry = response.json()["entry"]
            assert _differences(before, body, after) == [], f"update {number}, {body!a}"
            expected[row["entry"]] = after
            if number % 5 == 0:
                other, reader = chance.choice(list(slugs)), chance.choice(list(callers.values()))
                assert _differences(expected[other], {}, Memory(reader, slugs[other], before).read()) == [], number
        for which, slug in slugs.items():
            for reader in callers.values():
                assert _differences(expected[which], {}, Memory(reader, slug, expected[which]).read()) == []


@pytest.mark.rule("memory.update.concurrent")
def test_concurrent_updates_of_two_entries_are_independent(
    memory: MemoryOf, sign_in: SignIn, data: Data, tag: str
) -> None:
    """By several callers, of different fields; each response has what was sent, and shows the addressed entry."""
    with memory("memory_slug") as first, memory("memory_slug_with_slash") as second:
        callers = list(_callers(sign_in, first.slug, data).values())
        before = [first.read(), second.read()]
        bodies = [{field: f"{field} {tag} {place}"} for field in _TEXTS for place in range(2)]

        def update(number: int) -> httpx.Response:
            slug = (first, second)[number % 2].slug
            return callers[number // 2 % len(callers)]("memory_update", slug=slug, json=bodies[number])

        with ThreadPoolExecutor(len(bodies)) as writers:
            responses = list(writers.map(update, range(len(bodies))))
        require_conclusive([response.status_code for response in responses])
        stored = [first.read(), second.read()]

    for number, response in enumerate(responses):
        shown = require_success(response).json()["entry"]
        assert shown["slug"] == before[number % 2]["slug"]
        assert lost(bodies[number], shown) == []
    for place, entry in enumerate(stored):
        sent = {field: value for body in bodies[place::2] for field, value in body.items()}
        assert _differences(before[place], sent, entry) == []


def _callers(sign_in: SignIn, slug: str, data: Data) -> dict[str, Api]:
    """Return the callers that may update entries: the owner, and the service account if it has the permission."""
    identities = [identity for identity in ("owner", "service_account") if identity in data.tokens]
    callers = {identity: sign_in(identity) for identity in identities}
    return {name: api for name, api in callers.items() if api("memory_update", slug=slug, json={}).is_success}


def _body(row: Row, name: str, values: Values, text: str, other: Entry) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for field in _TEXTS:
        if row[field] != "absent":
            texts = {"plain": f"{field} {name}", "a text": text, "empty": "", "long": f"{LONG} {name}"}
            texts["of the other entry"] = other.get(field) or text
            # A title of blanks may be refused.
            body[field] = texts["plain" if field == "title" and not text.strip() else row[field]]
    if row["metadata"] == "empty":
        body["metadata"] = {}
    elif row["metadata"] != "absent":
        value = values.next if row["metadata"] == "values" else values.next_object
        keys = list(KEYS)[sum(map(ord, name)) % len(KEYS) :][:_KEYS_OF_METADATA]
        body["metadata"] = {key: value() for key in ("a", "title", f"key {name}", *keys)}
    return body


def _send_refused(sign_in: SignIn, number: int, slug: str, body: dict[str, Any], tag: str) -> None:
    """Send some updates before one that succeeds: without a token, with an invalid field, or of another entry."""
    changes = {**body, "title": f"late {tag}"}
    if number % 3 == 0:
        require_refused(sign_in(None)("memory_update", slug=slug, json=changes))
    elif number % 3 == 1:
        require_refused(sign_in("owner")("memory_update", slug=slug, json={**changes, "content": {"contract": True}}))
    else:
        require_refused(sign_in("owner")("memory_update", slug=f"{slug}-{tag}", json=changes))


def _differences(before: Entry, body: dict[str, Any], after: Entry) -> list[str]:
    """Return how an entry is not what an update makes of it: an empty text may become null, and metadata may be merged."""
    expected = {name: before.get(name) for name in (*_FIXED, *_TEXTS)}
    shown = {name: after.get(name) for name in expected}
    for field in _TEXTS:
        if field in body:
            expected[field] = shown[field] if body[field] == "" and shown[field] is None else body[field]
    found = differences(expected, shown)
    metadata = body.get("metadata", before.get("metadata"))
    return found + value_differences(before.get("metadata"), metadata, after.get("metadata"))
