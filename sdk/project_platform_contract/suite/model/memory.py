"""Endpoint 10: two memory entries that several callers update and read, and requests beside them that are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import cycle, islice
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.restoration import ALTERED, MERGED, memory_entry
from project_platform_contract.schema import field_problem

from ..support.covering import Row
from ..support.free_form import FALSY, LONG, SMALL, TEXTS, WORDS, free_form, is_plain
from ..support.json_equality import differences, plainly, value_differences
from ..support.preconditions import require_conclusive
from ..support.reading import discloses_nothing, refused
from .record_updates import Values
from .stream import Checks, Command, Stream, shown

Entry = dict[str, Any]

RULES: Final = (
    *("fields.memory-entry.types", "memory.update.changes", "memory.update.only-provided", "memory.update.by-slug"),
    *("memory.update.texts-unchanged", "memory.update.metadata-unchanged", "memory.update.falsy-values"),
    *("memory.update.sequence", "memory.update.concurrent", "memory.update.unknown-slug"),
    *("memory.update.slash-in-slug", "memory.update.body-types"),
)
"""The rules that the sequence checks."""

_STEPS: Final = 70  # Number of commands.
_MEMBERS: Final = ("memory_slug", "memory_slug_with_slash")
_TEXT_FIELDS: Final = ("title", "description", "content")
_FIXED: Final = ("id", "projectId", "slug", "createdAt")
_UPDATES: Final = {
    "title": ("absent", "plain", "a text"),
    "description": ("absent", "plain", "a text", "empty", "long", "of the other entry"),
    "content": ("absent", "plain", "a text", "empty", "long", "of the other entry"),
}
_METADATA_UPDATES: Final = {
    "metadata": ("anything", "falsy", "values", "objects", "small", "empty"),
    "description": ("absent", "plain", "empty"),
    "content": ("absent", "plain", "empty"),
}
_INVALID: Final[tuple[Entry, ...]] = (
    {"title": 7},
    {"description": ["contract"]},
    {"content": {"contract": True}},
    {"metadata": ["contract"]},
)
_SIMILAR: Final = ("{}/{}", "{}-{}", "{}?{}", "{}#{}", "{};{}", "{}.{}", "{}%{}")


class MemoryModel:
    """The model of two memory entries.

    Args:
        stream: The stream that sends the commands.
        slugs: The slugs of the entries, which the caller restores.
    """

    def __init__(self, stream: Stream, slugs: list[str]) -> None:
        self._stream = stream
        self._slugs = slugs
        self._entries: dict[str, Entry] = {}
        self._values = Values(stream.random)
        self._rows = stream.rows(_UPDATES)
        self._metadata_rows = stream.rows(_METADATA_UPDATES)
        self._small = cycle(SMALL)
        self._invalid = cycle(_INVALID)
        self._similar = cycle(_SIMILAR)
        texts = [*TEXTS.values(), *WORDS]
        self._texts = cycle(stream.random.sample(texts, len(texts)))
        self._number = 0
        self._strangers = cycle([*stream.identities("viewer"), None, *stream.identities("expired", "outsider")])

    def callers(self) -> list[str]:
        """Return the identities that may update entries."""
        identities = self._stream.identities("owner", "service_account")
        return [each for each in identities if each == "owner" or self._send(each, self._slugs[0], {}).is_success]

    def commands(self) -> dict[Command, int]:
        """Return the commands and their weights."""
        return {
            self.update: 20,
            self.update_metadata: 10,
            self.read: 1,
            self.update_as_a_stranger: 2,
            self.update_invalidly: 2,
            self.update_back: 0,
            self.update_elsewhere: 0,
            self.update_at_once: 0,
        }

    def forget(self) -> None:
        """Forget the entries: one of them may have been changed."""
        self._entries.clear()

    def update(self, caller: str) -> None:
        """Update texts of an entry."""
        self._update(caller, next(self._rows))

    def update_metadata(self, caller: str) -> None:
        """Update the metadata of an entry, alone or beside texts."""
        self._update(caller, next(self._metadata_rows))

    def read(self, caller: str) -> None:
        """Read both entries: no operation does, but an update without fields shows an entry."""
        for slug in self._slugs:
            self._read(caller, slug, "memory.update.sequence")
        ids = [id for slug in self._slugs if (id := self._entries[slug].get("id"))]
        self._check(
            "memory.update.by-slug", len({*ids}) < len(ids) and f"two entries have the id {ids[0]!a}", self._slugs[0]
        )

    def know_what_lasts(self) -> None:
        """Record that metadata are merged, which then cannot be restored, and are not changed; or that an update stores something else.

        Nor can texts be restored that an update without fields removed: they were read by it.
        """
        lasting = self._stream.run.fuse.lasting
        bare = [path for path, found in lasting.items() if found.keys() >= {*_TEXT_FIELDS}]
        problem = bare and f"after an update without fields, there is neither title, description nor content: {bare[0]}"
        self._check("memory.update.only-provided", problem, self._slugs[0])
        reasons = [found.get("metadata", "") for found in lasting.values()]
        lost = [reason for reason in reasons if reason.startswith(ALTERED)]
        self._check("memory.update.changes", lost and f"metadata: {lost[0]}", self._slugs[0])
        if any(reason.startswith(MERGED) for reason in reasons):
            self._stream.fact("memoryMetadata", "merged", self._send("owner", self._slugs[0], {}))

    def update_as_a_stranger(self, caller: str) -> None:
        """Update an entry without a permission, which changes nothing."""
        slug = self._stream.choice(self._slugs)
        if refused(
            self._send(next(self._strangers), slug, {field: f"{field} of a stranger" for field in _TEXT_FIELDS})
        ):
            self._read(caller, slug, "memory.update.sequence")
        else:  # a viewer may have the permission
            self.forget()

    def update_invalidly(self, caller: str) -> None:
        """Update an entry with a field of another type beside a valid one, which changes nothing."""
        slug, invalid = self._stream.choice(self._slugs), next(self._invalid)
        valid = {field: self._text(field, "plain") for field in ("title", "content") if field not in invalid}
        response = self._send(caller, slug, {**valid, **invalid})
        self._check("memory.update.body-types", not refused(response) and f"{response.status_code} for {invalid}", slug)
        self._read(caller, slug, "memory.update.body-types")

    def update_elsewhere(self, caller: str) -> None:
        """Update entries that do not exist, with slugs like that of an entry, and with another one twice: the first must not create one."""
        self.read(caller)
        tag = self._stream.run.tag
        similar = [form.format(slug, tag) for slug in self._slugs for form in islice(self._similar, 2)]
        similar += [f"{tag}/{slug.rpartition('/')[2]}" for slug in self._slugs]
        for unknown in (*similar, f"{tag}-nothing"):
            for _ in range(2 if unknown == f"{tag}-nothing" else 1):
                response = self._send(caller, unknown, {"title": f"{tag} elsewhere"})
                problem = not (refused(response) and discloses_nothing(response)) and f"{response.status_code}"
                self._check("memory.update.unknown-slug", problem and f"{problem} for {unknown!r}", tag)
        for each in self._slugs:
            self._read(caller, each, "memory.update.by-slug")

    def update_at_once(self, caller: str) -> None:
        """Update different fields of both entries at the same time; all updates take effect."""
        self.read(caller)
        before, number = dict(self._entries), self._next()
        sent = [(slug, {field: f"{field} {number} of {slug}"}) for field in _TEXT_FIELDS for slug in self._slugs]
        responses = self._stream.together(lambda each: self._send(caller, *each), sent)
        require_conclusive([response.status_code for response in responses])
        for slug in self._slugs:
            done = [
                (body, self._shown(response))
                for (to, body), response in zip(sent, responses, strict=True)
                if to == slug and response.is_success
            ]
            expected = {**before[slug], **{field: text for body, _ in done for field, text in body.items()}}
            problems = [f"{entry['slug']!r} with {body}" for body, entry in done if not body.items() <= entry.items()]
            problems += _changed(expected, self._success(caller, slug))
            self._check("memory.update.concurrent", problems, slug)

    def update_back(self, caller: str) -> None:
        """Set a text to a value, to another one, and by the first request again, which is no repetition of it."""
        slug, (first, second) = self._stream.choice(self._slugs), (self._text("title", "plain") for _ in range(2))
        for title in (first, second, first):
            self._send_update(caller, slug, {"title": title})

    def _update(self, caller: str, row: Row) -> None:
        body: Entry = {
            field: self._metadata(kind) if field == "metadata" else self._text(field, kind)
            for field, kind in row.items()
            if kind != "absent"
        }
        self._send_update(caller, self._stream.choice(self._slugs), body)

    def _send_update(self, caller: str, slug: str, body: Entry) -> None:
        before = self._entries.get(slug) or self._success(caller, slug)
        response = self._send(caller, slug, body)
        about = f" after {shown(body)} on {shown(before, 100)}"
        if not response.is_success:
            if is_plain(body) or not self._stream.leaves_out(response):
                self._check("memory.update.sequence", f"{response.status_code}{about}", slug)
            self._read(caller, slug, "memory.update.falsy-values" if "" in body.values() else "memory.update.sequence")
            return
        after = self._shown(response)
        self._check("fields.memory-entry.types", field_problem("MemoryEntry", after), slug)
        for rule, problem in self._problems(before, body, after):
            self._check(rule, problem and f"{problem}{about}", slug)
            if rule != "memory.update.texts-unchanged":
                self._check("memory.update.sequence", problem and f"{problem}{about}", slug)
        if "/" in slug:
            self._check(
                "memory.update.slash-in-slug", after.get("slug") != slug and f"slug {after.get('slug')!r}", slug
            )
        self._entries[slug] = after
        if body.get("metadata") and (others := (before.get("metadata") or {}).keys() - body["metadata"].keys()):
            merged = others <= (after.get("metadata") or {}).keys()
            self._stream.fact("memoryMetadata", "merged" if merged else "replaced", response)

    def _problems(self, before: Entry, body: Entry, after: Entry) -> list[tuple[str, Any]]:
        """Return the rules of an update, each with what breaks it."""
        found: list[tuple[str, Any]] = [("by-slug", _differing(before, after, _FIXED))]
        for field in _TEXT_FIELDS:
            if body.get(field) == "":
                empty = after.get(field) not in {"", None} and f"{field} is {after.get(field)!a}"
                found.append(("falsy-values", empty))
            elif field in body:
                found += [
                    ("changes", _differing(plainly(body), plainly(after), [field])),
                    ("texts-unchanged", _differing(body, after, [field])),
                ]
            else:
                found.append(("only-provided", _differing(before, after, [field])))
        if "metadata" in body:
            problem = value_differences(before.get("metadata"), body["metadata"], after.get("metadata"))
            found += [(rule, problem) for rule in ("changes", "metadata-unchanged")]
            if any(value in FALSY.values() for value in body["metadata"].values()):
                found.append(("falsy-values", problem))
        else:
            found.append(("only-provided", _differing(before, after, ["metadata"])))
        return [(f"memory.update.{rule}", problem) for rule, problem in found]

    def _read(self, caller: str, slug: str, rule: str) -> None:
        """Compare an entry with the model."""
        known = self._entries.get(slug)
        after = self._success(caller, slug)
        if known is not None:
            self._check(rule, _changed(known, after), slug)

    def _success(self, caller: str, slug: str) -> Entry:
        response = self._send(caller, slug, {})
        self._check("memory.update.by-slug", _is_lost(response) and f"{slug!r} was found before it was updated", slug)
        if not response.is_success:
            raise MissingError(f"an update of {slug!r} without fields was answered with {response.status_code}")
        self._entries[slug] = self._shown(response)
        return self._entries[slug]

    def _send(self, identity: str | None, slug: str, body: Entry) -> httpx.Response:
        return self._stream.api(identity)("memory_update", slug=slug, json=body)

    @staticmethod
    def _shown(response: httpx.Response) -> Entry:
        entry: Entry = response.json()["entry"]
        return entry

    def _text(self, field: str, kind: str) -> str:
        plain = f"{field} {self._next()}"
        match kind:
            case "a text":
                text = next(self._texts)
                return text if field != "title" or text.strip() else plain  # a title of blanks may be refused
            case "long":
                document = "a line of a document\r\n" * 3_500  # more than 64 KiB
                return f"{document if field == 'content' else LONG} {plain}"
            case "of the other entry":
                return next((entry[field] for entry in self._entries.values() if entry.get(field)), plain)
            case _:
                return "" if kind == "empty" else plain

    def _metadata(self, kind: str) -> Entry:
        number = self._next()
        kinds: Mapping[str, Callable[[], Entry]] = {
            "anything": lambda: {**free_form(), "values": free_form()},
            "falsy": lambda: {**FALSY, "slug": 0},
            "values": lambda: {f"key {number}": self._values.next(), "a": self._values.next()},
            "objects": lambda: {"a": self._values.next_object(), "title": self._values.next_object()},
            "small": lambda: dict(next(self._small)),
            "empty": dict,
        }
        return kinds[kind]()

    def _next(self) -> str:
        self._number += 1
        return f"{self._stream.run.tag} {self._number}"

    def _check(self, rule: str, problem: object, about: str) -> None:
        self._stream.check(rule, problem, about)


def _is_lost(response: httpx.Response) -> bool:
    return response.status_code == httpx.codes.NOT_FOUND


def _differing(expected: Entry, entry: Entry, names: Any) -> list[str]:
    return differences({name: expected.get(name) for name in names}, {name: entry.get(name) for name in names})


def _changed(before: Entry, after: Entry) -> list[str]:
    return _differing(before, after, (*_FIXED, *_TEXT_FIELDS, "metadata"))


def _address_with_slash(stream: Stream) -> None:
    """Read an entry whose slug has a slash, which is sent percent-encoded."""
    slug = stream.run.data[_MEMBERS[1]]
    response = stream.api("owner")("memory_update", slug=slug, json={})
    stream.fact("encodedSlash", "data" if response.is_success else "separator", response)
    stream.check("memory.update.slash-in-slug", not response.is_success and f"{response.status_code}", slug)


def play(stream: Stream) -> Checks:
    """Send the sequence, restore the entries, and return the checks."""
    slugs: list[str] = []
    stream.attempt(partial(_address_with_slash, stream))
    with ExitStack() as restored:

        def save(member: str) -> None:
            restored.enter_context(memory_entry(stream.run, stream.run.data[member]))
            slugs.append(stream.run.data[member])

        for member in _MEMBERS:  # some services find no entry whose slug has a slash
            stream.attempt(partial(save, member))
        if (first := stream.run.data[_MEMBERS[0]]) not in slugs:
            response = stream.api("owner")("memory_update", slug=first, json={})
            stream.check("memory.update.by-slug", _is_lost(response) and f"{first!r} was found before updates", first)
        if not slugs:
            return stream.end()
        model = MemoryModel(stream, slugs)
        model.know_what_lasts()
        return stream.play(model, model.callers(), _STEPS)
