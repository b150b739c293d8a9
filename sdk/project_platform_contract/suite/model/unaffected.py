"""Requests, accepted or refused, which change nothing in the responses of the other operations.

The requests of an operation are sent by strangers, then with defects, then as they are valid. Before and after them, everything
that can be read is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any, Final

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.rules.kinds import dashed
from project_platform_contract.run.restoration import memory_entry, sidebar

from ..support.calendar import Bookings, moment, wire
from ..support.observation import SAMPLE, Observation, Things
from ..support.permissions import PERMISSIONS
from ..support.preconditions import is_invalid, refusal, require_success
from ..support.refusals import Refusals, defective
from ..support.valid_requests import Arguments, ValidRequests
from .stream import Checks, Stream

RULES: Final = {
    operation.id: f"scope.unaffected.{dashed(operation.id)}" for operation in operations() if operation.effect != "read"
}
"""The rule of each operation that writes."""

_STRANGERS: Final = ("viewer", "outsider")
_SENT_AGAIN: Final = frozenset({"records_update", "calendar_reschedule", "sidebar_replace", "memory_update"})
_READS: Final = [value for value in PERMISSIONS if value.endswith(":read")]
_VIEWS: Final = tuple(("viewer", value) for value in _READS[::5])  # That of records is among them.
_LATE: Final = timedelta(days=400)  # After the year in which the stretches of other tests are.


class Writes:
    """The requests of an operation, and everything else that they must not change.

    Args:
        stream: The stream that sends the requests.
        operation: The operationId.
    """

    def __init__(self, stream: Stream, operation: str) -> None:
        self._stream = stream
        self._run = stream.run
        self._api = stream.api("owner")
        self._operation = operation
        self._shared: dict[str, Any] = self._run.learned.setdefault("unaffected", {"prepared": {}, "created": {}})
        self._valid = ValidRequests(self._api, self._run, self._shared["prepared"])
        effect = operation_by_id(operation).effect
        self._once = effect == "irreversible"
        notify = effect in {"notify", "irreversible"}
        self._things = Things(self._api, self._run, self._shared["created"], notify=notify)
        self._things.prepare(
            {**self._valid.booking(), "start": wire(moment(self._run.data["free_slot"]) + _LATE)} if notify else {}
        )
        if operation == "calendar_book":
            self._valid.event()  # Requests with defects need it, and its slot would not be free for a valid request.
        self._observation = Observation(stream.api, self._run)
        self._observation.know_permissions()
        if operation == "sidebar_replace":
            self._observation.changed_permissions(_VIEWS)
        self._kind = f"seen {notify}"  # With an event or without one.

    def problems(self) -> list[str]:
        """Send the requests, and return what they changed; others may change something, too, so that it must recur."""
        found: list[str] = []
        for number in range(1 if self._once else 2):
            known = None if number or self._once else self._shared.get(self._kind)
            things, lists = known or self._seen()
            if number:
                self._observation.changed_permissions()
            found = [*self._sent(number), *self._changed_permissions()]
            now, after = self._shared[self._kind] = self._seen()
            found += [f"{name} is {now[name]}, and was {thing}" for name, thing in things.items() if now[name] != thing]
            lost = {name: gone for name, listed in lists.items() if (gone := listed - after[name])}
            if lost and self._once and not found:
                raise MissingError(f"this may have been changed by others, and the request is not repeated: {lost}")
            found += [f"{name} lacks {gone}" for name, gone in lost.items()]
            if not found:
                break
        return found

    def _seen(self) -> tuple[dict[str, Any], dict[str, set[str]]]:
        return self._things.observe(), self._observation.reads()

    def _changed_permissions(self, checks: Iterable[tuple[str, str]] = SAMPLE) -> list[str]:
        changed = self._observation.changed_permissions(checks)
        return [f"the check of {check} returns {found}" for check, found in changed.items()]

    def _sent(self, number: int) -> Iterator[str]:
        """Send the requests, and yield which valid one is refused."""
        arguments = self._arguments(number)
        strangers, sent = (None, *self._stream.identities(*_STRANGERS)), self._stream.sent
        refusals = [self._stream.api(identity)(self._operation, **arguments) for identity in strangers]
        for response in defective(self._api, self._valid, self._operation, "unaffected"):
            response.read()
        Refusals.know(self._run, self._operation, self._stream.since(sent))
        for defect in _DEFECTS.get(self._operation, ()):
            body = {**arguments["json"], **defect}
            refusals.append(self._api(self._operation, **{**arguments, "json": body}))
        # An accepted request may have taken the name or the slot, and a second like may be a conflict.
        taken = any(response.is_success for response in refusals) or self._operation == "engagement_like"
        for _ in range(2 if self._operation in _SENT_AGAIN else 1):
            response = self._api(self._operation, **arguments)
            if not response.is_success and not taken:
                if self._once and is_invalid(response):  # a plan may allow few
                    raise MissingError(refusal(response))
                self._require_plain()
                yield f"{response.status_code} for a valid request, after refused ones"
        if self._operation == "sidebar_replace":
            yield from self._hidden()
        elif self._operation == "engagement_like":
            yield from self._unlisted()

    def _require_plain(self) -> None:
        """Send another valid request, if that may be done.

        Raises:
            MissingError: It is refused, too, so that the service may have a limit.
        """
        if not self._once and not self._api(self._operation, **self._valid(self._operation)).is_success:
            raise MissingError(f"the plain request of {self._operation} is refused, too")

    def _hidden(self) -> Iterator[str]:
        """Hide all entries of the sidebar, then all but one, and yield what is denied."""
        entry = {"id": f"{self._run.tag}-crm", "label": "CRM", "href": "/crm", "featureId": "crm", "pluginId": "crm"}
        others = [each for each in ("records_update", "memory_update") if self._accepts(each)]
        for sections in ([], [{"id": f"{self._run.tag}-only", "label": "Only", "items": [entry]}]):
            self._api("sidebar_replace", json={"sections": sections})
            for changed in self._changed_permissions(() if sections else _VIEWS):
                yield f"{changed} while {sections} is shown"
            for other in others:
                if not self._accepts(other):
                    yield f"{other} is refused while {sections} is shown"

    def _accepts(self, operation: str) -> bool:
        return self._api(operation, **self._valid(operation)).is_success

    def _unlisted(self) -> Iterator[str]:
        """Yield the post of the data file if the list lacks it after the like, or shows it as not published, unlike others."""
        self._run.forget_reads()
        posts = require_success(self._api("posts_list")).json()["data"]["posts"]
        published = {post["id"]: post.get("publishedAt") for post in posts}
        liked = self._run.data["published_page_post"]
        if liked not in published:
            yield "the post that was liked is not listed"
        elif published[liked] is None and any(published.values()):
            yield "the post that was liked is not published any more"

    def _arguments(self, number: int) -> Arguments:
        """Return valid arguments, with a name or a slot that a refused request could reserve."""
        arguments, name = self._valid(self._operation), f"{self._run.tag} reserved {number}"
        match self._operation:
            case "records_create":
                body = {**arguments["json"], "externalId": name}
            case "workflows_create" | "templates_apply":
                body = {**arguments["json"], "name": name}
            case "calendar_book":
                bookings = Bookings(self._api, self._run)
                body = {"start": bookings.at(0), "end": bookings.at(30), "summary": name}
            case _:
                return arguments
        return {**arguments, "json": body}


_DEFECTS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "records_create": ({"data": [1]}, {"data": "text"}),
    "workflows_create": ({"tags": ["x" * 41]},),
    "calendar_book": ({"summary": ""}, {"summary": 7}, {"end": "2020-01-01T00:00:00Z"}),
}


def play(stream: Stream, operation: str) -> Checks:
    """Send the requests of an operation that writes, and return the checks."""
    restored: AbstractContextManager[Any] = nullcontext()
    if operation == "sidebar_replace":
        restored = sidebar(stream.run)
    elif operation == "memory_update":
        restored = memory_entry(stream.run, stream.run.data["memory_slug"])
    with restored:
        stream.check(RULES[operation], Writes(stream, operation).problems(), stream.run.tag)
    return stream.end()


def refuse_reads(stream: Stream, rule: str) -> None:
    """Send refused reads, after which each caller still has its permissions, by the rule, and a valid read succeeds."""
    observation = Observation(stream.api, stream.run)
    observation.know_permissions()
    valid = ValidRequests(stream.api("owner"), stream.run, {})
    for operation in operations():
        if operation.effect == "read":
            arguments, sent = valid(operation.id), stream.sent
            for identity in (None, *stream.identities("viewer")):
                stream.api(identity)(operation.id, **arguments)
            for response in defective(stream.api("owner"), valid, operation.id, "unaffected"):
                response.read()
            Refusals.know(stream.run, operation.id, stream.since(sent))
            stream.run.forget_reads()
            response = stream.api("owner")(operation.id, **arguments)
            refusal = not response.is_success and f"{response.status_code} for a valid request of {operation.id}"
            stream.check(rule, refusal and f"{refusal}, after refused ones", "")
    changed = observation.changed_permissions()
    stream.check(rule, changed and f"{changed} after refused reads", "")
