"""Responses of the operations that only read, and of updates without fields: everything that a write could change."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx

from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import ENTRY_FIELDS

from .calendar import renews, require_found, wire
from .lists import LASTING, LISTS, items_of, some_fields
from .permissions import permission_parameter
from .preconditions import require_success

_DAYS: Final = 28  # Providers do not list much more in one response.
# A permission that the owner holds, as all others; and one of the viewer's, and one that is not.
SAMPLE: Final = (("owner", "settings:manage"), ("viewer", "crm_objects:read"), ("viewer", "crm_objects:write"))
"""Permission checks, of an identity and a value."""
Observed = dict[str, Any]


class Observation:
    """Sends reads, and returns the documented members of their responses.

    Args:
        sign_in: Returns an `Api` for an identity.
        run: The run that the test belongs to.
    """

    def __init__(self, sign_in: SignIn, run: Run) -> None:
        self._sign_in = sign_in
        self._run = run
        # Before the requests whose effects are observed: a check that looks for the name might show the effect instead.
        self._parameter = permission_parameter(sign_in("owner"))

    def reads(self) -> dict[str, set[str]]:
        """Return what is listed and configured, by the operation: of each thing, what other people hardly ever change."""
        now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        arguments: dict[str, Observed] = {
            "agents_list": {"query": {"limit": 100}},
            "calendar_busy": {"query": {"timeMin": wire(now - timedelta(days=_DAYS)), "timeMax": wire(now)}},
            "photo_analytics_list_media": {"accountId": self._run.data.values.get("photo_account")},
        }
        known = [operation for operation in LISTS if None not in arguments.get(operation, {}).values()]
        return {operation: self._documented(operation, arguments.get(operation, {})) for operation in known}

    def know_permissions(self) -> None:
        """Learn the results of the permission checks, once in a run, and twice: the first may show what a request before it left behind."""
        if "permissions" not in self._run.learned:
            for _ in range(2):
                self.changed_permissions()

    def changed_permissions(self, checks: Iterable[tuple[str, str]] = SAMPLE) -> dict[tuple[str, str], Any]:
        """Return the permission checks, of an identity and a value, with another result than the last time in the run."""
        last: dict[tuple[str, str], Any] = self._run.learned.setdefault("permissions", {})
        changed = {}
        for check in checks:
            if check[0] == "owner" or check[0] in self._run.data.tokens:
                response = self._sign_in(check[0])("auth_check_permission", query={self._parameter: check[1]})
                found = response.json().get("allowed") if response.is_success else response.status_code
                if last.get(check, found) != found:
                    changed[check] = found
                last[check] = found
        return changed

    def _documented(self, operation: str, arguments: Observed) -> set[str]:
        response = self._sign_in("owner")(operation, **arguments)
        if not response.is_success:
            return {f"status {response.status_code}"}
        return {str(some_fields(item, LASTING[operation])) for item in items_of(operation, response)}


class Things:
    """A record, a memory entry and an event that tests must not change, as updates without fields show them.

    Args:
        api: The `Api` of the owner.
        run: The run that the test belongs to.
        created: The record and the event, which are created if they are missing.
        notify: Whether the run may book an event.
    """

    def __init__(self, api: Api, run: Run, created: dict[str, httpx.Response], *, notify: bool) -> None:
        self._api = api
        self._run = run
        self._created = created
        self._notify = notify

    def prepare(self, booking: dict[str, Any]) -> None:
        """Create what is missing."""
        if "record" not in self._created:
            body = {
                "typeSlug": self._run.data["object_type"],
                "data": {"title": self._run.tag, "of": ["a", {"b": None}]},
            }
            self._created["record"] = require_success(self._api("records_create", json=body))
        if self._notify and "event" not in self._created:
            require_found(self._api, self._run)
            self._created["event"] = require_success(self._api("calendar_book", json=booking))

    def observe(self) -> Observed:
        """Return their documented members; the time of the last change is none that stays."""
        record = self._created["record"].json()["record"]
        found: Observed = {"record": self._api.restore("records_update", recordId=record["id"], json={})}
        if "memory_slug" in self._run.data.values and "memory_update" not in self._run.taken:
            with self._run.lock:  # while another process changes the entry, it is not what it was
                found["entry"] = self._api.restore("memory_update", slug=self._run.data["memory_slug"], json={})
        if self._notify:
            event = self._created["event"].json()["bookingUid"]
            body = {"notifyAttendees": False}
            found["event"] = self._api.restore("calendar_reschedule", eventId=event, json=body)
            if renews(self._run) and found["event"].is_success:
                self._created["event"] = found["event"]
        return {name: self._members(name, response) for name, response in found.items()}

    def _members(self, name: str, response: httpx.Response) -> Any:
        if not response.is_success:
            return response.status_code
        body = response.json()
        match name:
            case "record":
                names = ("id", "typeSlug", "externalId", "data", "createdAt", "createdBy")
                return some_fields(body["record"], names)
            case "entry":
                return some_fields(body["entry"], [*ENTRY_FIELDS, "slug"])
            case _:
                kept = {} if renews(self._run) else {"bookingUid": body.get("bookingUid")}
                return {**kept, **some_fields(body, ("start", "end", "calendarId"))}
