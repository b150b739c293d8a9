"""Endpoint 1: permission checks of several callers, in turns and at the same time, between requests that are refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from itertools import cycle
from typing import Final

import httpx

from project_platform_contract.run.shared_reads import FRESH

from ..support.permissions import PERMISSIONS, SAMPLED, probe
from ..support.preconditions import require_conclusive
from ..support.reading import discloses_nothing, refused
from .stream import Checks, Stream
from .unaffected import refuse_reads

RULES: Final = (
    *("permissions.check.values", "permissions.check.boolean", "permissions.check.holder"),
    *("permissions.check.by-identity", "permissions.check.owner", "permissions.check.exact"),
    "permissions.check.other-values",
)
"""The rules that the checks prove."""

_SAMPLE: Final = tuple(value for value in PERMISSIONS if value.partition(":")[0] in SAMPLED)
_OTHERS: Final = ("settings:delete", "contract:read", "settings", "settings:*", "Settings:read", "")
_MORE_OTHERS: Final = (
    *("settings:read ", "settings:READ", "settings:read:read", ":", "*", "*:read", "settings:write,members:read"),
    *("settings.read", "read", "crm-objects:read", "sub_project:write", "null"),
)
_WAY_OUT: Final = "; if the token of the run is not that of an owner, give one that is"
_AT_ONCE: Final = 24  # Number of concurrent checks.
_STRANGE: Final = 0.07  # Share of the checks after one that is refused.


class PermissionsModel:
    """Which permissions the callers hold.

    Args:
        stream: The stream that sends the checks.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._writes = stream.run.allows("write")
        self._parameter, seen = probe(stream.api("owner"))
        stream.fact("permissionParameter", self._parameter, seen)
        data = stream.run.data
        self._held: dict[str, Collection[str]] = {"owner": PERMISSIONS, **data.values.get("permissions", {})}
        self._callers = stream.identities("owner", "viewer", "service_account")
        strangers = ("expired", "wrong_key", "no_user", "unknown_user")
        self._strangers = cycle((None, *stream.identities(*strangers)))
        self._pairs: list[tuple[str, str]] = []
        self._allowed: dict[tuple[str, str], bool] = {}

    def check_all(self) -> None:
        """Check each permission as the owner and the viewer, in random order and some at the same time.

        A run that only reads checks few as the viewer, and each checks few as a service account.
        """
        self._pairs = pairs = [
            (caller, value)
            for value in self._stream.random.sample(PERMISSIONS, len(PERMISSIONS))
            for caller in self._stream.random.sample(self._callers, len(self._callers))
            if caller == "owner" or value in _SAMPLE or (self._writes and caller == "viewer")
        ]
        at_once = pairs[:_AT_ONCE] if self._writes else []
        for caller, value in pairs[len(at_once) :]:
            self._stream.attempt(partial(self._check_one, caller, value))
        if at_once:
            self._check_at_once(at_once)

    def _check_one(self, caller: str, value: str) -> None:
        if self._writes and self._stream.random.random() < _STRANGE:
            self._check(next(self._strangers), value)
        self._compare(caller, value, self._check(caller, value))

    def _check_at_once(self, pairs: Sequence[tuple[str, str]]) -> None:
        responses = self._stream.together(lambda pair: self._check(*pair), pairs)
        require_conclusive([response.status_code for response in responses])
        for (caller, value), response in zip(pairs, responses, strict=True):
            self._compare(caller, value, response)

    def check_others(self) -> None:
        """Check values that are no permissions, and none, as the callers in turns."""
        others = (*_OTHERS, *(_MORE_OTHERS if self._writes else ()))
        callers = self._callers if self._writes else ["owner"]
        for number, value in enumerate(others):
            self._refuse(repr(value), self._check(callers[number % len(callers)], value))
        self._refuse("no value", self._stream.api("owner")("auth_check_permission"))

    def check_as_an_outsider(self) -> None:
        """Check a permission as a caller who is not in the project: the result is a boolean, too."""
        for identity in self._stream.identities("outsider"):
            response = self._check(identity, _SAMPLE[-1])
            problem = not _is_boolean(response) and f"{response.status_code} for the {identity}"
            self._stream.check("permissions.check.boolean", problem, _SAMPLE[-1])

    def compare_callers(self) -> None:
        """Compare what the callers hold, if it is known: each of them something, and a viewer nothing but what is read."""
        held = {
            caller: [value for (of, value), allowed in self._allowed.items() if of == caller and allowed]
            for caller in self._callers
        }
        unknown = {caller for caller, value in self._pairs if (caller, value) not in self._allowed}
        for caller in dict.fromkeys(of for of, _ in self._allowed):
            if caller not in {"service_account", *unknown}:
                self._stream.check("permissions.check.holder", not held[caller] and f"the {caller} holds nothing", "")
        if "viewer" not in held:
            self._stream.run.data.token("viewer")  # which the rule needs
        elif not unknown & {"viewer", "owner"}:
            more = [value for value in held["viewer"] if not value.endswith(":read")]
            same = not [value for value in held["owner"] if not value.endswith(":read")]
            problem = (more or same) and f"a viewer holds {more}, and an owner {held['owner'][:4]}"
            self._stream.check("permissions.check.by-identity", problem, "")

    def _compare(self, caller: str, value: str, response: httpx.Response) -> None:
        about = f"{value} of the {caller}"
        refusal = not response.is_success and f"{response.status_code} for {about}"
        self._stream.check("permissions.check.values", refusal, value)
        wrong = not refusal and not _is_boolean(response) and f"{about} is {response.text}"
        self._stream.check("permissions.check.boolean", refusal or wrong, value)
        if refusal or wrong:
            return
        self._allowed[caller, value] = allowed = response.json()["allowed"]
        if caller not in self._held:
            self._stream.checks.missing.append(f"the data file does not state the permissions of {caller!r}")
            return
        rule, way_out = ("owner", _WAY_OUT) if caller == "owner" else ("exact", "")
        problem = allowed is not (value in self._held[caller]) and f"{about} is {allowed}{way_out}"
        self._stream.check(f"permissions.check.{rule}", problem, value)

    def _refuse(self, value: str, response: httpx.Response) -> None:
        right = refused(response) and discloses_nothing(response)
        self._stream.check("permissions.check.other-values", not right and f"{response.status_code} for {value}", value)

    def _check(self, identity: str | None, value: str) -> httpx.Response:
        """Send a permission check; in a run that may write, even if an identical one has got a response."""
        api = self._stream.api(identity)
        extensions = {FRESH: True} if self._writes else {}
        path = api.path("auth_check_permission")
        return api.request("GET", path, params={self._parameter: value}, extensions=extensions)


def _is_boolean(response: httpx.Response) -> bool:
    return response.is_success and isinstance(response.json().get("allowed"), bool)


def play(stream: Stream) -> Checks:
    """Send the checks, and return what they prove."""
    model = PermissionsModel(stream)
    parts = [model.check_all, model.check_others, model.check_as_an_outsider, model.compare_callers]
    if stream.run.allows("write"):
        parts.append(partial(refuse_reads, stream, "permissions.check.exact"))
    for part in parts:
        stream.attempt(part)
    return stream.end()
