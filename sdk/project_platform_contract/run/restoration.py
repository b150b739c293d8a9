"""Changes of what the run did not create: one process at a time, with a backup in the ledger, and restored at the end.

The changes of a run that was killed are restored by the next one, before its first test.

Before it changes what has to be restored, a run finds out what it could not undo, with changes of what is already there. The
specification does not say whether the metadata of a memory entry is replaced or merged. Where they are merged, a new key stays
unless null deletes it; so `{}` is tried first, which a merge ignores, and then a null for one of the entry's own keys.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.fuse import BlockedError, Fuse
from project_platform_contract.fuse.backup import Backup
from project_platform_contract.fuse.ledger import Ledger, Unrestored, unrestored
from project_platform_contract.operations import operations

from .api import TAG
from .conclusive import pause_after
from .contract_run import Run, new_tag
from .credentials import Credentials
from .locks import locks_of
from .settings import Settings, limits_of, sidebar_path
from .target import Target


class NotRestoredError(Exception):
    """Something that an earlier run changed cannot be restored; the message names its ledger and the way out."""


def repair(settings: Settings, folder: Path) -> list[str]:
    """Restore what the ledgers of a folder show as changed, and return a line for each restored resource.

    Raises:
        NotRestoredError: The settings do not allow it, or the service did not accept it.
    """
    target = settings.deployment
    if target is None or not unrestored(folder):
        return []
    done, failed = [], []
    with locks_of(target.base_url, target.data["project"]):
        # Read again: a worker that outlived its run may have restored it in the meantime.
        for item in unrestored(folder):
            try:
                done.append(_repair(settings, target, folder, item))
            except NotRestoredError as error:
                failed.append(str(error))
    if failed:
        raise NotRestoredError("\n".join([*failed, *done]))
    return done


def _repair(settings: Settings, target: Target, folder: Path, item: Unrestored) -> str:
    what = f"{item.backup.what} of {item.target}"
    begin = f"{item.path}: the run {item.run} changed {what} and ended before it restored it."
    if target.base_url != item.target:
        way_out = f"Run the suite on {item.target} with this --report folder first, or use another folder."
        raise NotRestoredError(f"{begin} {way_out}")
    if "write" not in settings.effects:
        raise NotRestoredError(f"{begin} Add --allow write --i-own {httpx.URL(item.target).host} to restore it first.")
    ledger = Ledger(folder / "ledger-repair.jsonl", new_tag(), item.target)
    fuse = Fuse(limits_of(settings, target, tag=""), on_pass=ledger.before, on_response=ledger.after)
    fuse.backups[item.backup.path] = item.backup
    run = Run(target, fuse, ledger, "", settings.timeout)
    with closing(run), _owner(run) as client:
        problem = restore(run, client, item.backup)
    if problem is not None:
        raise NotRestoredError(
            f"{begin} It could not be restored: {problem}. Run the suite again when that is mended; or restore it by hand, from the "
            f"last line of the file with the event 'saves' and the path {item.backup.path}. Delete the file when nothing of it is left to restore."
        )
    Ledger(item.path, item.run, item.target).restored(item.backup)
    return f"restored {item.backup.what}, which the run {item.run} had changed ({item.path})"


ENTRY_FIELDS: Final = ("title", "description", "content", "metadata")
"""Fields of a memory entry that an update can change."""

MERGED: Final = "they are merged"
"""The beginning of the reasons why metadata that are merged must not be changed."""
ALTERED: Final = "an update of a known key is accepted, and stores another value"
"""The beginning of the reasons why metadata must not be changed of which an update stores something else."""

_METHODS: Final = {operation.id: operation.method for operation in operations()}
_PAUSES: Final = (0.0, 1.0, 5.0)  # Seconds before each attempt to restore something.
_LIMITED: Final = 4  # Number of times that a request is sent again after a limit.

Json = dict[str, Any]
Update = Callable[[Mapping[str, Any]], Json | None]
"""Updates an entry with some fields, and returns it; None if that is refused."""


class _OwnersToken(httpx.Auth):
    """The owner's token, which is renewed if it expires while something is changed."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        token = self._credentials.token("owner")
        request.headers["Authorization"] = f"Bearer {token}"
        response = yield request
        if response.status_code == httpx.codes.UNAUTHORIZED:
            renewed = self._credentials.after_unauthorized("owner", token)
            if renewed is not None:
                request.headers["Authorization"] = f"Bearer {renewed}"
                yield request


def _owner(run: Run) -> httpx.Client:
    client = run.client(None)
    client.auth = _OwnersToken(run.credentials)
    return client


class _TryLaterError(Exception):
    """The response does not say whether the resource was restored."""


@contextmanager
def memory_entry(run: Run, slug: str) -> Iterator[Json]:
    """Lock a memory entry, save it in the ledger, yield its current value, and restore it.

    Raises:
        MissingError: The entry cannot be read, or contains the text of a run that did not restore it.
    """
    path = f"/projects/{run.data['project']}/memory-entries/{quote(slug, safe='')}"
    with run.lock, _owner(run) as client:
        what = f"the memory entry {slug!r}"
        entry = _read(client, path, what)
        if path in run.unrestored:
            body = run.unrestored[path].body
        else:
            lasting = run.fuse.lasting.get(path, {})
            body = {field: entry.get(field) for field in ENTRY_FIELDS if field not in lasting}
        if found := TAG.search(dumps(body)):
            raise MissingError(
                f"{what} contains text of the run {found[0]}, so its previous value is not known: restore "
                "it by hand, or name another entry in the data file"
            )
        backup = Backup("memory_update", path, body, what)
        if path not in run.fuse.lasting:
            # On its own, so that what cannot be undone is no part of the backup of the tests.
            with _saved(run, client, backup, only_if_changed=True):
                lasting = _lasting_fields(entry, lambda fields: _updated(client, backup, fields))
            run.fuse.lasting[path] = lasting
            backup = replace(backup, body={field: body[field] for field in body if field not in lasting})
        with _saved(run, client, backup):
            yield entry


@contextmanager
def sidebar(run: Run) -> Iterator[None]:
    """Lock the sidebar, save the one of the data file in the ledger, and restore it.

    Raises:
        MissingError: The data file has no sidebar, or the service does not replace it.
    """
    if (problem := sidebar_problem(run)) is not None:
        raise MissingError(f"{problem}, so sections of the run could not be removed")
    with _saved_sidebar(run):
        yield


def sidebar_problem(run: Run) -> str | None:
    """Return how the sidebar keeps what a request leaves out, found out once for a process by leaving out what it has.

    Raises:
        MissingError: The data file has no sidebar.
    """
    if "sidebar" not in run.learned:
        with _saved_sidebar(run) as (client, backup):
            kept = next(filter(None, (_kept(client, backup, fewer) for fewer in _fewer(backup.body["sections"]))), None)
        run.learned["sidebar"] = kept and (
            f"the sidebar is not replaced: {', '.join(sorted(kept))} remained though the request left it out"
        )
    known: str | None = run.learned["sidebar"]
    return known


@contextmanager
def _saved_sidebar(run: Run) -> Iterator[tuple[httpx.Client, Backup]]:
    try:
        sections = run.data["sidebar"]
    except MissingError as error:
        raise MissingError(f"{error}, so the sidebar could not be restored", error.remedy) from None
    backup = Backup("sidebar_replace", sidebar_path(run.data), {"sections": sections}, "the sidebar")
    with run.lock, _owner(run) as client, _saved(run, client, backup):
        yield client, backup


@contextmanager
def _saved(run: Run, client: httpx.Client, backup: Backup, *, only_if_changed: bool = False) -> Iterator[None]:
    """Save a backup in the ledger, and restore it at the end, always or only if the entry is another one than before."""
    if backup.path in run.fuse.backups:  # by a test that changes it twice
        yield
        return
    run.ledger.saves(backup)
    run.fuse.backups[backup.path] = backup
    try:
        yield
    finally:
        if (only_if_changed and _is_unchanged(run, client, backup)) or restore(run, client, backup) is None:
            run.ledger.restored(backup)
            run.unrestored.pop(backup.path, None)
        else:
            run.unrestored[backup.path] = backup
        del run.fuse.backups[backup.path]


def restore(run: Run, client: httpx.Client, backup: Backup) -> str | None:
    """Restore a resource, and return why it does not have its previous value; None if it has.

    An attempt that receives no response, or one that says to try later, is repeated. The fuse must know the backup.
    """
    problem = None
    for pause in _PAUSES:
        time.sleep(pause)
        try:
            with run.fuse.restoring():
                return _restore_once(client, backup)
        except (BlockedError, MissingError) as error:
            return str(error)
        except (httpx.TransportError, _TryLaterError) as error:
            problem = str(error) or type(error).__name__
    return problem


def _restore_once(client: httpx.Client, backup: Backup) -> str | None:
    response = _send(client, backup, backup.body)
    refused = f"the request that restores it was answered with {response.status_code}"
    if backup.operation != "memory_update":  # no operation reads the sidebar
        return None if response.is_success else refused
    if not response.is_success:
        # A service may refuse null for a field that the entry did not have.
        _send(client, backup, {field: value for field, value in backup.body.items() if value is not None})
    current = _read(client, backup.path, backup.what)
    before, after = (_members(entry) for entry in (backup.body, current if "metadata" in backup.body else {}))
    if stale := [name for name in {**after, **before} if name not in before or after.get(name) != before[name]]:
        # Metadata is merged: without the key that it has now, nothing is merged into its previous value.
        _send(client, backup, {"metadata": dict.fromkeys(stale)})
        kept = _members(_read(client, backup.path, backup.what)).keys() >= before.keys() - set(stale)
        changed = {name: before[name] for name in stale if name in before}
        _send(client, backup, {"metadata": changed if kept else before})
        current = _read(client, backup.path, backup.what)
    differing = _differing(backup, current)
    if not differing:
        return None
    return refused if not response.is_success else f"it still has another {' and '.join(differing)}"


def _is_unchanged(run: Run, client: httpx.Client, backup: Backup) -> bool:
    """Return whether an entry is known to have its previous value."""
    try:
        with run.fuse.restoring():
            return not _differing(backup, _read(client, backup.path, backup.what))
    except (MissingError, httpx.TransportError):
        return False


def _differing(backup: Backup, current: Json) -> list[str]:
    return [field for field, value in backup.body.items() if current.get(field) != value]


def _members(entry: Json) -> Json:
    metadata = entry.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _updated(client: httpx.Client, backup: Backup, fields: Mapping[str, Any]) -> Json | None:
    response = _request(client, backup.operation, backup.path, fields)
    return _read(client, backup.path, backup.what) if response.is_success else None


def _send(client: httpx.Client, backup: Backup, body: Any) -> httpx.Response:
    response = _request(client, backup.operation, backup.path, body)
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
        raise _TryLaterError(f"{backup.what} could not be restored: {response.status_code}")
    return response


def _request(client: httpx.Client, operation: str, path: str, body: Any) -> httpx.Response:
    """Send a request, again after a limit, and return the response."""
    response = client.request(_METHODS[operation], path, json=body)
    for _ in range(_LIMITED):
        if response.status_code != httpx.codes.TOO_MANY_REQUESTS:
            break
        time.sleep(pause_after(response, 1.0))
        response = client.request(_METHODS[operation], path, json=body)
    return response


def _read(client: httpx.Client, path: str, what: str) -> Json:
    """Return a memory entry. No operation reads it, so an update without fields is sent.

    Raises:
        MissingError: The update is refused, or its response has no entry.
    """
    response = _request(client, "memory_update", path, {})
    entry = _member(response, "entry")
    if not isinstance(entry, dict):
        raise MissingError(
            f"{what} cannot be read, and so not restored: an update without fields was answered with {response.status_code}"
        )
    return entry


def _member(response: httpx.Response, *names: str) -> Any:
    """Return a member of the body of a success by the names that lead to it; None if there is none."""
    try:
        value: Any = response.json() if response.is_success else None
        for name in names:
            value = value[name]
    except (ValueError, KeyError, TypeError):
        return None
    return value


def _lasting_fields(entry: Json, update: Update) -> dict[str, str]:
    """Return the reasons why fields of an entry must not be changed, by field.

    The entry is left as it was, unless the service does not accept its own values; then the caller has to restore it.
    """
    texts = [field for field in ENTRY_FIELDS if field != "metadata"]
    missing = [field for field in texts if entry.get(field) is None]
    found = {}
    if missing and not _is_removable([(field, entry[field]) for field in texts if entry.get(field)], update):
        found = dict.fromkeys(missing, "it has no value now, and null does not remove one")
    if (problem := _metadata_problem(entry.get("metadata"), update)) is not None:
        found["metadata"] = problem
    return found


def _is_removable(texts: Sequence[tuple[str, str]], update: Update) -> bool:
    """Return whether null removes a text of an entry, the last one that it has."""
    if not texts:
        return False
    field, text = texts[-1]
    updated = update({field: None})
    if updated is None or updated.get(field) == text:
        return False
    update({field: text})
    return updated.get(field) is None


def _metadata_problem(before: Any, update: Update) -> str | None:
    def stored(metadata: Any) -> Any:
        return (update({"metadata": metadata}) or {}).get("metadata")

    if not isinstance(before, dict) or not before:
        return "they are empty, so nothing shows whether a new key could be removed"
    if _has(before, type(None)):
        return "they contain null, which an update may take for a deletion"
    # The same again would double the lists of a service that joins them.
    if not _has(before, list) and (again := stored(before)) != before:
        altered = isinstance(again, dict) and not before.items() <= again.items()
        return f"{ALTERED}: {again}" if altered else "the service does not accept their present value"
    emptied = stored({})
    if not isinstance(emptied, dict | None):
        return f"{ALTERED}: {emptied} in the place of {{}}"
    if emptied != before:
        is_replaced = stored(before) == before and emptied == {}
        return None if is_replaced else "an update with their present value does not restore them"
    key = next((name for name, value in before.items() if not _has(value, list)), None)
    if key is None:
        return f"{MERGED}, and have only lists, to which a service may add"
    others = {name: value for name, value in before.items() if name != key}
    nulled = stored({key: None})
    replaced = others and nulled in ({}, {key: None})  # only the empty object is ignored
    if nulled != before and stored(before if replaced else {key: before[key]}) != before:
        return "a key of theirs cannot be restored"
    if replaced or nulled == others:
        return None
    if (changed := _another(before[key])) != before[key] and stored({key: changed}) == before:
        return f"{ALTERED}: {key!r} keeps its value"
    if stored({key: before[key]}) != before:
        return "a key of theirs cannot be restored"
    return f"{MERGED}, and null deletes no key, so a new key could not be removed"


def _another(value: Any) -> Any:
    """Return another value of the same type, if it is a text or a number."""
    if isinstance(value, str):
        return f"{value} changed"
    return value + 1 if type(value) in {int, float} else value


def _has(value: Any, kind: type) -> bool:
    """Return whether a JSON value is of a type, or contains a value that is."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, kind) or any(_has(part, kind) for part in parts)


def _fewer(sections: Sequence[Json]) -> Iterator[list[Json]]:
    """Yield the sections with an item less, and with a section less."""
    for index, section in enumerate(sections):
        if section.get("items"):
            yield [*sections[:index], {**section, "items": section["items"][:-1]}, *sections[index + 1 :]]
            break
    if sections:
        yield [*sections[:-1]]


def _kept(client: httpx.Client, backup: Backup, sections: Sequence[Json]) -> set[str]:
    """Replace the sidebar, and return what its response has besides."""
    response = _request(client, backup.operation, backup.path, {"sections": sections})
    stored = _member(response, "data", "sections")
    is_list = isinstance(stored, list) and all(isinstance(section, dict) for section in stored)
    return _names(stored) - _names(sections) if is_list else set()


def _names(sections: Sequence[Json]) -> set[str]:
    """Return the sections and their items by identifier or, without one, by label."""
    found = set()
    for section in sections:
        name = str(section.get("id", section.get("label")))
        found |= {name, *(f"{name}/{item.get('id', item.get('label'))}" for item in section.get("items") or ())}
    return found
