"""One seeded sequence of commands of several callers in two projects, and the differences between the responses and the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol, TypeVar, cast

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.fuse import BlockedError
from project_platform_contract.run.api import Api
from project_platform_contract.run.conclusive import InconclusiveError
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.exchange import Exchange, Nonconformity

from ..support.covering import Row, covering
from ..support.preconditions import is_invalid, refusal, require_success

_KEPT: Final = 60  # Number of the latest exchanges, from which those of a difference are taken.
_SHOWN: Final = 8  # Maximum number of exchanges of a difference.

Item = TypeVar("Item")
Command = Callable[[str], None]
"""Sends the requests of a command as a caller, and checks the responses."""


class Model(Protocol):
    """A model of a resource."""

    def commands(self) -> dict[Command, int]:
        """Return the commands and their weights; a command without weight is sent once as each caller."""
        ...

    def forget(self) -> None:
        """Forget what a request without a conclusive response may have changed."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """A response that differs from the model.

    Attributes:
        message: The difference, and the expectation.
        exchanges: The requests that touched the same object, the last of which shows the difference.
    """

    message: str
    exchanges: Sequence[Exchange]


@dataclass(slots=True)
class Checks:
    """How often each rule was checked, and its first difference.

    Attributes:
        counts: Number of checks by rule.
        differences: The first difference of each rule.
        missing: Why commands were left out.
        remedy: The option or the member of the data file with which the first of them would be sent.
        facts: Points that the specification leaves open: names, values, and the responses that show them.
        flaky: Rules of which the sequence showed no difference when it was sent again.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    differences: dict[str, Difference] = field(default_factory=dict[str, Difference])
    missing: list[str] = field(default_factory=list[str])
    remedy: str | None = None
    facts: list[tuple[str, Any, httpx.Response]] = field(default_factory=list[tuple[str, Any, httpx.Response]])
    flaky: set[str] = field(default_factory=set[str])

    def require(self, rule: str) -> None:
        """Require that a rule was checked, and no response differed.

        Raises:
            AssertionError: A response differed.
            MissingError: The rule was not checked.
        """
        if rule in self.differences:
            raise AssertionError(self.differences[rule].message)
        if not self.counts[rule]:
            reasons = "; ".join(dict.fromkeys(self.missing)) or "no request of the sequence could show it"
            raise MissingError(reasons, self.remedy)


class Stream:
    """Sends commands, in an order that a seed determines.

    Args:
        run: The run that the requests belong to.
        seed: The seed of all choices.

    Attributes:
        random: The source of all choices.
        checks: The checks so far.
        nonconformities: Responses that violate the contract.
    """

    def __init__(self, run: Run, seed: int) -> None:
        self.run = run
        self.seed = seed
        self.random = Random(seed)  # noqa: S311  # no secret
        self.checks = Checks()
        self.nonconformities: list[Nonconformity] = []
        self._dropped_only_read = True
        self._exchanges: list[Exchange] = []
        self._began = 0  # Number of the exchanges before this command, of those that are kept.
        self._dropped = 0
        self._apis: dict[str | None, Api] = {}
        self._created: dict[str, str] = {}
        self._ids: set[str] = set()

    def identities(self, *names: str) -> list[str]:
        """Return those of some identities that the data file has."""
        return [name for name in names if name == "owner" or name in self.run.data.tokens]

    def api(self, identity: str | None) -> Api:
        """Return the `Api` of an identity, or without a token (None)."""
        if identity not in self._apis:
            self._apis[identity] = self.run.api(identity, self._exchanges, self.nonconformities)
        return self._apis[identity]

    @property
    def sent(self) -> int:
        """Number of the exchanges of this command and those before it that are kept."""
        return len(self._exchanges)

    def since(self, sent: int) -> list[Exchange]:
        """Return the exchanges since `sent` had a value in the same command."""
        return self._exchanges[sent:]

    def check(self, rule: str, problem: object, about: str, *, until: int | None = None) -> bool:
        """Check a rule, and return whether there is no problem.

        Args:
            rule: Identifier of the rule.
            problem: The difference; there is none if it is falsy.
            about: Identifier of the object, by which the exchanges of a difference are found.
            until: The value of `sent` after the request that shows it, if others followed.
        """
        self.checks.counts[rule] += 1
        if problem and rule not in self.checks.differences:
            before, own = (
                [each for each in exchanges if about in _texts(each)]
                for exchanges in (self._exchanges[: self._began], self._exchanges[self._began : until])
            )
            # The object was last seen before this command by the last success; requests that were refused since may have changed it.
            seen = [number for number, each in enumerate(before) if each.response.is_success]
            touching = [*before[seen[-1] if seen else 0 :], *own]
            said = "; ".join(map(str, cast("list[object]", problem))) if isinstance(problem, list) else problem
            message = f"{said}\n(request {self._dropped + self.sent} of the sequence with the seed {self.seed})"
            self.checks.differences[rule] = Difference(message, touching[-_SHOWN:])
        return not problem

    def leaves_out(self, response: httpx.Response) -> bool:
        """Return whether a request is refused as invalid, and record how; what depends on it is not checked."""
        if is_invalid(response):
            self.checks.missing.append(refusal(response))
        return is_invalid(response)

    def fact(self, name: str, value: Any, response: httpx.Response) -> None:
        """Record a point that the specification leaves open."""
        self.checks.facts.append((name, value, response))

    def is_known(self, id: str) -> str | None:
        """Return a problem if another thing of the sequence has an identifier."""
        known = id in self._ids
        self._ids.add(id)
        return f"another one has the identifier {id!a}" if known else None

    def together(self, send: Callable[[Item], httpx.Response], items: Sequence[Item]) -> list[httpx.Response]:
        """Send a request for each of some items at the same time, and return the responses in their order."""
        with ThreadPoolExecutor(len(items)) as senders:
            return list(senders.map(send, items))

    def attempt(self, part: Callable[[], object]) -> None:
        """Carry out a part of a sequence, and record what it lacks."""
        try:
            part()
        except (MissingError, httpx.TransportError) as error:
            self.checks.missing.append(str(error))
            self.checks.remedy = self.checks.remedy or getattr(error, "remedy", None)

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of some items."""
        return self.random.choice(items)

    def update_a_record(self) -> None:
        """Update a record of the run between other requests, if the run may write.

        Raises:
            MissingError: No record can be created or updated.
        """
        if "record" not in self._created:
            body = {"typeSlug": self.run.data["object_type"], "data": {"title": self.run.tag}}
            created = require_success(self.api("owner")("records_create", json=body))
            self._created["record"] = created.json()["record"]["id"]
        body = {"data": {"count": self.random.random()}}
        require_success(self.api("owner")("records_update", recordId=self._created["record"], json=body))

    def rows(self, factors: Mapping[str, Sequence[Any]], **options: Any) -> Iterator[Row]:
        """Yield the rows of a covering array, again and again, each time in another order."""
        rows = covering(factors, **options)
        while True:
            yield from self.random.sample(rows, len(rows))

    def play(self, model: Model, callers: Sequence[str], steps: int) -> Checks:
        """Send each command as each caller once, then commands at random, and return the checks.

        A command that lacks something is left out. Only an error of a check itself ends the sequence.
        """
        weights = model.commands()
        first = [(command, caller) for command in weights for caller in callers]
        self.random.shuffle(first)
        left_out: set[Command] = set()
        for step in range(max(steps, len(first))):
            if step < len(first):
                command, caller = first[step]
            elif left := {each: weight for each, weight in weights.items() if weight and each not in left_out}:
                (command,) = self.random.choices([*left], [*left.values()])
                caller = self.choice(callers)
            else:
                break
            if command not in left_out:
                self._carry_out(model, command, caller, left_out)
            self._drop()
        return self.end()

    @property
    def only_read(self) -> bool:
        """Whether all requests so far only read."""
        return self._dropped_only_read and all(each.reads for each in self._exchanges)

    def _drop(self) -> None:
        self._dropped_only_read = self.only_read
        self._dropped += max(0, self.sent - _KEPT)
        del self._exchanges[:-_KEPT]

    def end(self) -> Checks:
        """Close the clients, and return the checks."""
        for api in self._apis.values():
            api.client.close()
        return self.checks

    def _carry_out(self, model: Model, command: Command, caller: str, left_out: set[Command]) -> None:
        self._began = self.sent
        try:
            command(caller)
        except BlockedError as error:
            left_out.add(command)
            self.checks.missing.append(str(error))
            model.forget()
        except httpx.TransportError:
            model.forget()
        except MissingError as error:
            if not isinstance(error, InconclusiveError):
                left_out.add(command)
            self.checks.missing.append(str(error))
            model.forget()


def shown(value: Any, length: int = 300) -> str:
    """Return a value as ASCII for a message, cut if it is long."""
    text = ascii(value)
    return text if len(text) <= length else f"{text[:length]}..."


def _texts(exchange: Exchange) -> str:
    """Return what identifies the object of an exchange: its address and both bodies."""
    return f"{exchange.request.url} {exchange.request.content!r} {exchange.response.text}"
