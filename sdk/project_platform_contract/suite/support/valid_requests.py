"""A valid request of each operation, which succeeds if the owner sends it.

Tests of refusals send it as another caller, or with a single defect, so that nothing else can be the reason.
A test module registers the request of its operation with `@valid_request`; those below need what `ValidRequests` prepares.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from project_platform_contract import suite
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .calendar import Bookings, moment, renews, require_found, wire
from .permissions import permission_parameter
from .preconditions import require_success
from .records import Records

Arguments = dict[str, Any]
"""Arguments of `Api.__call__`."""


class ValidRequests:
    """A valid request of each operation.

    Args:
        api: The `Api` of the owner, which creates what a request needs.
        run: The run that the test belongs to.
        prepared: Identifiers of resources that were already created for such requests, by kind.
    """

    def __init__(self, api: Api, run: Run, prepared: dict[str, str]) -> None:
        self._api = api
        self._run = run
        self._prepared = prepared

    def __call__(self, operation: str) -> Arguments:
        """Return the arguments of a valid call.

        Raises:
            MissingError: The data file lacks a member, or a resource could not be created.
        """
        if operation not in _ARGUMENTS:
            _load_tests()
        if operation not in _ARGUMENTS:
            raise ValueError(
                f"there is no valid request of {operation!r}; register one with `@valid_request({operation!r})` beside the "
                "tests of its rules"
            )
        return _ARGUMENTS[operation](self)

    def data(self, name: str) -> Any:
        """Return a member of the data file."""
        return self._run.data[name]

    @property
    def tag(self) -> str:
        """Tag of the run: name prefix of everything that it creates."""
        return self._run.tag

    @property
    def unknown_id(self) -> str:
        """A UUID that nothing has; the same in the whole run, so that identical requests are sent once."""
        return self._run.unknown_id

    def workflow(self) -> Arguments:
        """Return the body of a workflow that is not active and has no actions."""
        data = self._run.data.values
        return {
            "name": self.tag,
            "triggerTypeSlug": data.get("trigger_type_slug", "contract"),
            "triggerEventType": data.get("trigger_event_type", "contract.never"),
            "actions": [],
            "isActive": False,
        }

    def record(self) -> str:
        """Return the identifier of a record of the run, which tests may change."""
        if "record" not in self._prepared:
            self._prepared["record"] = self.new_record()
        return self._prepared["record"]

    def new_record(self) -> str:
        """Return the identifier of a record that no other test uses."""
        response = require_success(Records(self._api, self._run).post(data={"title": self.tag}))
        return str(response.json()["record"]["id"])

    def created(self, operation: str, resource: str) -> str:
        """Return the identifier of a resource that an operation creates, such as the `workflow` of its response.

        It is the same in the whole run.
        """
        if resource not in self._prepared:
            response = require_success(self._api(operation, **self(operation)))
            self._prepared[resource] = str(response.json()[resource]["id"])
        return self._prepared[resource]

    def event(self) -> str:
        """Return the identifier of an event of the run without attendees, which tests may move.

        If an update changes the identifier, it is that of another event each time.
        """
        require_found(self._api, self._run)
        if "event" not in self._prepared or renews(self._run):
            response = require_success(self._api("calendar_book", json=self.booking()))
            self._prepared["event"] = str(response.json()["bookingUid"])
        return self._prepared["event"]

    def booking(self) -> Arguments:
        """Return the body of a booking without an attendee and without a conflict check."""
        if "slot" not in self._prepared:
            self._prepared["slot"] = Bookings(self._api, self._run).at(0)
        return {"start": self._prepared["slot"], "durationMinutes": 30, "summary": self.tag, "conflictCheck": False}

    def day(self) -> dict[str, str]:
        """Return the query for busy intervals on the day of `free_slot`."""
        first = moment(self.data("free_slot"))
        return {"timeMin": wire(first), "timeMax": wire(first + timedelta(days=1))}

    def permission(self, value: str = "settings:read") -> dict[str, str]:
        """Return the query of a permission check."""
        return {permission_parameter(self._api): value}


_ARGUMENTS: dict[str, Callable[[ValidRequests], Arguments]] = {
    "auth_check_permission": lambda requests: {"query": requests.permission()},
    "workflows_create": lambda requests: {"json": requests.workflow()},
    "records_create": lambda requests: {
        "json": {"typeSlug": requests.data("object_type"), "data": {"title": requests.tag}},
    },
    "records_update": lambda requests: {
        "recordId": requests.record(),
        "json": {"data": {"title": requests.tag}},
    },
    "calendar_book": lambda requests: {"json": requests.booking()},
    "calendar_reschedule": lambda requests: {
        "eventId": requests.event(),
        # The event may overlap others, and the specification does not say whether an update checks for conflicts by default.
        "json": {"summary": f"{requests.tag} again", "notifyAttendees": False, "conflictCheck": False},
    },
    "calendar_busy": lambda requests: {"query": requests.day()},
    "sidebar_replace": lambda requests: {"json": {"sections": requests.data("sidebar")}},
    "templates_apply": lambda requests: {
        "templateId": requests.data("template"),
        "json": {"name": f"{requests.tag} sub-project", "variableValues": requests.data("template_variables")},
    },
    # An empty body changes nothing.
    "memory_update": lambda requests: {"slug": requests.data("memory_slug"), "json": {}},
    "engagement_like": lambda requests: {
        "postId": requests.data("published_page_post"),
        "json": {"accountId": requests.data("page_account")},
    },
    "agents_list": lambda requests: {},
    "web_analytics_get_config": lambda requests: {},
    "posts_list": lambda requests: {},
    "photo_analytics_list_media": lambda requests: {"accountId": requests.data("photo_account")},
    "labels_export": lambda requests: {
        "json": {
            "menuMonth": requests.data("menu_month"),
            "itemIds": requests.data("menu_items")[:1],
            "stock": "5x3.5",
        },
    },
}


def valid_request(
    operation: str,
) -> Callable[[Callable[[ValidRequests], Arguments]], Callable[[ValidRequests], Arguments]]:
    """Register a function that returns the arguments of a valid call of an operation.

    Args:
        operation: The operationId.
    """

    def register(arguments: Callable[[ValidRequests], Arguments]) -> Callable[[ValidRequests], Arguments]:
        if operation in _ARGUMENTS:
            raise ValueError(f"{operation} has two valid requests; remove that of {arguments.__module__}")
        _ARGUMENTS[operation] = arguments
        return arguments

    return register


def _load_tests() -> None:
    """Import all test modules, so that their requests are registered even if only some tests run."""
    for module in iter_modules(suite.__path__):
        if module.name.startswith("test_"):
            import_module(f"{suite.__name__}.{module.name}")
