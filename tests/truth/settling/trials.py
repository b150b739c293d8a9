"""Random writes whose responses are lost, and that are settled: `python tests/truth/settling/trials.py --runs 20000`.

Each run makes one write, of which one to three requests are lost, cut off, refused, applied late or applied twice, while others
write the same values, other values and the old ones. It is settled up to three times, partly after a pickle, and those requests are lost, too.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime as dt
import inspect
import pickle
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from settling.service import FATES, FaultyService

from project_platform import (
    DELETE,
    AsyncClient,
    Capabilities,
    Change,
    ChangeOptions,
    Client,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    RetryPolicy,
    StalePreconditionError,
    operations,
)
from project_platform.models import ObjectRecord

PROJECT: Final = "6f1e1f34-6a4d-4a4e-9a3c-0d8f5f0c9b11"
START: Final = {"stage": "open", "note": "n", "title": "t", "count": 0}
WON: Final = {"stage": "won"}
TOKENS: Final = OperationTokens()
OTHERS: Final[tuple[dict[str, Any], ...]] = (
    {}, {}, WON, {"stage": "lost"}, {"stage": "open"}, {"title": "u"}, {"note": None}, {"owner": "Ada"},
)  # fmt: skip
MOVED: Final = {"start": "2027-03-02T10:00:00+01:00", "end": "2027-03-02T10:30:00+01:00"}
RECORDS: Final = ("update", "unguarded", "change", "tokens", "late tokens", "add", "delete", "save", "modify")
KINDS: Final = (*RECORDS, "create", "memory", "reschedule", "sidebar")
# A second copy of these would be applied, so none may be sent; `modify` counts, so it must not count twice.
ONCE: Final = frozenset({"unguarded", "add", "reschedule", "create", "modify"})
HOWS: Final = ("sync", "asyncio", "trio")


@dataclasses.dataclass
class Deal:
    """The class of the typed records."""

    title: str
    stage: str = "open"
    note: str | None = None


@dataclasses.dataclass
class Write:
    """A write of a run.

    Attributes:
        send: Sends it.
        subject: The value that can be settled instead of the error; None if there is none.
        patch: What it sets.
        earlier: The patch of an earlier change of another client, of which a copy is still on its way.
    """

    send: Callable[[], Any]
    subject: Any
    patch: dict[str, Any]
    earlier: dict[str, Any] | None = None


async def result_of(value: Any) -> Any:
    """Return a value, or that of a coroutine: the methods of both clients are called in one way."""
    return await value if inspect.isawaitable(value) else value


async def write_of(kind: str, client: Any) -> Write:
    records = client.project().records
    if kind in RECORDS:
        start = {**START, **(TOKENS.first() if kind == "tokens" else {})}
        record = await result_of(records.create(type_slug="deal", data=start))
        if kind in {"update", "unguarded"}:
            guard = {"expected_data": {"stage": "open"}} if kind == "update" else {}
            call: Any = operations.records_update(PROJECT, record.id, data=WON, **guard)
            return Write(lambda: client.send(call), call, WON)
        if kind == "save":
            deals = records.of("deal", Deal)
            deal = deals.wrap(record)
            deal.data.stage = "won"
            return Write(lambda: deals.save(deal), (deals, deal), WON)
        if kind == "modify":
            counters = records.of("deal", refresh="noop")
            return Write(lambda: counters.modify(counters.wrap(record), count), None, {"count": 1})
        earlier = None
        if kind == "late tokens":
            first = with_tokens(record, {"seen": 1})
            record, earlier = (await result_of(records.apply(first))).record, first.patch
        edits: dict[str, Any] = {"add": {"owner": "Ada"}, "delete": {"note": DELETE}}.get(kind, WON)
        change = with_tokens(record, WON) if "tokens" in kind else records.change(record, edits)
        return Write(lambda: records.apply(change), change, change.patch, earlier)
    patch: dict[str, Any] = {"create": WON, "memory": {"title": "new", "content": "c2"}, "reschedule": MOVED}.get(
        kind, {}
    )
    call = {
        "create": lambda: operations.records_create(PROJECT, type_slug="deal", data=WON, external_id="crm-1"),
        "memory": lambda: operations.memory_update(PROJECT, "s", **patch),
        "reschedule": lambda: operations.calendar_reschedule(PROJECT, "ev", **patch),
        "sidebar": lambda: operations.sidebar_replace(PROJECT, sections=[]),
    }[kind]()
    return Write(lambda: client.send(call), call, patch)


def count(data: dict[str, Any]) -> None:
    data["count"] += 1


def with_tokens(record: ObjectRecord, data: dict[str, Any]) -> Change:
    """Return a change with operation tokens."""
    options = ChangeOptions(tokens=TOKENS)
    return Change.between(record, {**record.data, **data}, change_options=options, project_id=PROJECT)


async def run(rng: random.Random, service: FaultyService, client: Any) -> tuple[str, str, str | None]:
    """Run once; return the kind of write, the verdict, and what is wrong with it."""
    service.reset(rng)
    kind = rng.choice(KINDS)
    write = await write_of(kind, client)
    with service.lock:
        service.begin_counting()
        service.fates = [rng.choice(list(FATES)[1:]) for _ in range(rng.randint(1, 3))]
        service.empty_updates_refused = rng.random() < 0.1
    let_others_write(rng, service, kind, write)
    result, error = await ended(write.send)
    at_once = judged(kind, service, write.patch, result, error)
    if at_once[1] is not None or error is None or error.applied != "unknown":
        return kind, f"at once: {at_once[0]}", at_once[1] or judged_later(service, error)
    for _ in range(3):
        if rng.random() < 0.5:
            service.land()
        let_others_write(rng, service, kind, write)
        service.fates = [rng.choice(list(FATES)) for _ in range(rng.randint(0, 2))]
        result, again = await ended(settling(rng, client, write, error))
        verdict, wrong = judged(kind, service, write.patch, result, again)
        if wrong is not None or verdict != "unknown":
            return kind, verdict, wrong or judged_later(service, again)
        error = again if isinstance(again, OutcomeUnknownError) else error
    return kind, "unknown", None


def settling(rng: random.Random, client: Any, write: Write, error: PlatformError) -> Callable[[], Any]:
    """Return a function that settles a write in one of the ways that there are."""
    if isinstance(write.subject, tuple):
        typed, record = write.subject
        if rng.random() < 0.3:
            record = pickle.loads(pickle.dumps(record))
        return rng.choice([lambda: typed.settle(record), lambda: typed.settle(error), lambda: client.settle(error)])
    what: Any = rng.choice([error, error, write.subject or error])
    if rng.random() < 0.3:  # in another process
        what = pickle.loads(pickle.dumps(what))
    return lambda: client.settle(what)


async def ended(call: Callable[[], Any]) -> tuple[Any, PlatformError | None]:
    try:
        return await result_of(call()), None
    except PlatformError as error:
        return None, error


def let_others_write(rng: random.Random, service: FaultyService, kind: str, write: Write) -> None:
    """Let another client write, perhaps."""
    data = rng.choice(OTHERS)
    with service.lock:
        if kind == "create" and rng.random() < 0.2:
            service.create({"externalId": "crm-1", "data": {}}, by_client=False)
        elif kind == "memory" and data:
            service.entry["title"] = rng.choice(["new", "theirs"])
        elif kind == "reschedule" and data:
            end = rng.choice(["2027-03-02T09:30:00Z", "2027-03-02T11:00:00Z"])
            service.event.update(start="2027-03-02T09:00:00Z", end=end)
        elif write.earlier and rng.random() < 0.2:
            service.write_of_another(write.earlier)
        elif "tokens" in kind and data and rng.random() < 0.7:  # another writer that keeps the tokens, too
            for record_id, stored in service.records.items():
                seen = ObjectRecord(id=record_id, data=stored["data"])
                theirs = with_tokens(seen, {"note": rng.choice("abc")})
                service.update(record_id, {"data": theirs.patch, "expectedData": theirs.guard or {}}, by_client=False)
        elif kind in RECORDS and rng.random() < 0.02:
            service.records.clear()
        elif data:
            service.write_of_another(data)
        service.remember()


def judged(
    kind: str, service: FaultyService, patch: dict[str, Any], result: Any, error: PlatformError | None
) -> tuple[str, str | None]:
    """Return the verdict, and what is wrong with it."""
    with service.lock:
        verdict = error.applied if error is not None else getattr(result, "applied", "yes")
        wrong = None
        if verdict == "yes" and not service.applied:
            wrong = "yes, and nothing was applied"
        elif verdict == "no" and service.applied:
            wrong = f"no ({type(error).__name__}), and it was applied"
        elif verdict == "in effect" and not holds(kind, service.states[-1], patch):
            wrong = "in effect, and the state that was shown last had it not"
        elif kind in ONCE and service.applied > 1:
            wrong = f"applied {service.applied} times"
        return verdict, wrong


def judged_later(service: FaultyService, error: PlatformError | None) -> str | None:
    """Return what is wrong with a verdict when all requests have arrived: a "no" must stay one."""
    service.land()
    if isinstance(error, StalePreconditionError) and error.applied == "no" and service.applied:
        return "no, and it was applied later"
    return None


def holds(kind: str, state: Any, patch: dict[str, Any]) -> bool:
    """Return whether a state has what a write of this kind sets."""
    records, entry, event = state
    if kind == "create":
        return any(record["externalId"] == "crm-1" for record in records.values())
    if kind == "memory":
        return all(entry[key] == value for key, value in patch.items())
    if kind == "reschedule":
        return all(dt.datetime.fromisoformat(event[key]) == dt.datetime.fromisoformat(patch[key]) for key in patch)
    return any(all(record["data"].get(key) == value for key, value in patch.items()) for record in records.values())


async def run_all(runs: int, seed: int, how: str) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Run many times; return the number of each verdict by kind of write, and the wrong ones."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    with contextlib.closing(FaultyService()) as service:
        for attempts in (1, 2, 3):
            options: dict[str, Any] = {
                "token": "t",
                "project_id": PROJECT,
                "capabilities": Capabilities(external_id="unique"),
                "retry": RetryPolicy(max_attempts=attempts, initial_delay=0),
            }
            client: Any = (Client if how == "sync" else AsyncClient)(service.base_url, **options)
            for number in range(attempts - 1, runs, 3):
                kind, verdict, problem = await run(random.Random(f"{seed}/{number}"), service, client)
                counts[kind, verdict] += 1
                if kind not in ONCE and kind in RECORDS and service.applied > 1:
                    counts[kind, "(twice: restored)"] += 1
                if problem is not None:
                    wrong.append(f"run {number} ({kind}): {problem}")
            await result_of(client.close() if how == "sync" else client.aclose())
    return counts, wrong


def main() -> int:
    """Print the verdicts, and return 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--how", choices=HOWS, default="sync")
    given = parser.parse_args()
    backend = "asyncio" if given.how == "sync" else given.how
    counts, wrong = anyio.run(run_all, given.runs, given.seed, given.how, backend=backend)
    verdicts = sorted({verdict for _, verdict in counts})
    print("| kind | " + " | ".join(verdicts) + " |\n|" + "---|" * (len(verdicts) + 1))
    for kind in sorted({kind for kind, _ in counts}):
        print(f"| {kind} | " + " | ".join(str(counts[kind, verdict] or "") for verdict in verdicts) + " |")
    print(f"{given.runs} runs, {len(wrong)} wrong verdicts", *wrong[:10], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
