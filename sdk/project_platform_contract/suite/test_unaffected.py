"""What the service does: a write, accepted or refused, changes nothing that the other operations answer.

Each test observes what all reads answer, sends requests of one operation, of which most are refused, and observes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.operations import operation_by_id, operations
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.conclusive import InconclusiveError
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import sidebar

from .support.applications import Applications
from .support.calendar import Bookings, moment, wire
from .support.observation import Observation, Things
from .support.parametrize import parametrize_operations
from .support.permission_values import PERMISSIONS
from .support.preconditions import require_refused, require_success
from .support.refusals import defective
from .support.restore_after import RestoreAfter
from .support.valid_requests import ValidRequests

_STRANGERS: Final = (None, "viewer")
_VIEWS: Final = tuple(("viewer", value) for value in PERMISSIONS if value.endswith(":read"))
_CHECKS: Final = (("owner", "settings:manage"), ("viewer", "crm_objects:read"))
_SENT_AGAIN: Final = frozenset({"records_update", "calendar_reschedule", "sidebar_replace", "memory_update"})
_LATE: Final = timedelta(days=400)  # After the year in which the stretches of other tests are.


@pytest.fixture(scope="session")
def created() -> dict[str, httpx.Response]:
    """The responses that created the record and the event that these tests observe."""
    return {}


@pytest.fixture
def unchanged(  # noqa: PLR0917  # fixtures
    request: pytest.FixtureRequest,
    sign_in: SignIn,
    api: Api,
    contract_run: Run,
    valid_requests: ValidRequests,
    created: dict[str, httpx.Response],
) -> Callable[[str], Any]:
    """Returns a context manager that compares all reads before and after the requests of an operation.

    Others may change what is listed at the same time, so that a difference must recur, where the requests can be repeated.
    What an update without fields shows is compared with what it was before the first attempt.
    """
    first: dict[str, Any] = {}

    @contextmanager
    def unchanged(operation: str) -> Iterator[Observation]:
        effect = operation_by_id(operation).effect
        notify = effect in {"notify", "irreversible"}
        if effect != "irreversible":
            request.applymarker(pytest.mark.repeatable)
        things = Things(api, contract_run, created, notify=notify)
        things.prepare(_far_away(contract_run, valid_requests) if notify else {})
        if not first:
            first.update(things.observe())
        observation = Observation(sign_in, contract_run)
        before = observation.reads()
        yield observation
        after = things.observe()
        assert {name: (first[name], now) for name, now in after.items() if now != first[name]} == {}
        assert observation.wrong_permissions() == {}
        lists = observation.reads()
        lost = {name: gone for name, listed in before.items() if (gone := listed - lists[name])}
        if lost and effect == "irreversible":
            raise InconclusiveError(f"this may have been changed by others, and the request is not repeated: {lost}")
        assert lost == {}

    return unchanged


def _far_away(run: Run, valid_requests: ValidRequests) -> dict[str, Any]:
    """Return the body of a booking in a slot that no other test books."""
    return {**valid_requests.booking(), "start": wire(moment(run.data["free_slot"]) + _LATE)}


@parametrize_operations("scope.unaffected", lambda operation: operation.effect != "read")
def test_a_write_changes_nothing_that_other_operations_answer(  # noqa: PLR0917  # fixtures
    api: Api,
    sign_in: SignIn,
    data: Data,
    valid_requests: ValidRequests,
    restore_after: RestoreAfter,
    applications: Applications,
    unchanged: Callable[[str], Any],
    operation: str,
) -> None:
    """Nor do requests that are refused because of the caller, the body, the thing or its state."""
    arguments = valid_requests(operation)
    restore_after(operation)
    with unchanged(operation):
        if operation == "templates_apply":
            applications.whole(api)
        else:
            api(operation, **arguments)
        for identity in _STRANGERS:
            if identity is None or identity in data.tokens:
                sign_in(identity)(operation, **arguments)
        for response in defective(api, valid_requests, operation, "unaffected"):
            response.read()
        if operation in _SENT_AGAIN:
            again = api(operation, **arguments)
            assert again.is_success, f"refused after refused requests: {again.status_code}"


@pytest.mark.rule("scope.unaffected.sidebar-replace")
@pytest.mark.parametrize("hidden", ["all", "some"])
def test_no_sidebar_denies_authority(  # noqa: PLR0917  # fixtures
    api: Api, contract_run: Run, valid_requests: ValidRequests, unchanged: Callable[[str], Any], tag: str, hidden: str
) -> None:
    """Hiding an entry never denies authority: neither an empty sidebar, nor one with a few entries of other sections."""
    entry = {"id": f"{tag}-crm", "label": "CRM", "href": "/crm", "featureId": "crm", "pluginId": "crm"}
    sections = [] if hidden == "all" else [{"id": f"{tag}-only", "label": "Only", "items": [entry]}]
    with sidebar(contract_run), unchanged("sidebar_replace") as observation:
        replaced = api("sidebar_replace", json={"sections": sections})
        if not replaced.is_success:
            raise MissingError(f"the sidebar was not replaced: {replaced.status_code}")
        assert observation.wrong_permissions(_VIEWS if hidden == "all" else ()) == {}
        for other in ("records_update", "memory_update"):
            assert api(other, **valid_requests(other)).is_success, other


@pytest.mark.rule("scope.unaffected.records-create")
def test_a_refused_record_reserves_nothing(
    api: Api, sign_in: SignIn, data: Data, tag: str, valid_requests: ValidRequests
) -> None:
    """After requests that are refused, a record with their externalId is created, with the data of the request that created it."""
    external_id = f"{tag}-reserved"
    body = {**valid_requests("records_create")["json"], "externalId": external_id}
    for identity in (None, "expired", "outsider"):
        if identity is None or identity in data.tokens:
            require_refused(sign_in(identity)("records_create", json=body))
    api("records_create", json={**body, "typeSlug": f"{tag}-type", "data": {"of": "another type"}})
    require_refused(api("records_create", json={**body, "data": [1]}))

    created = api("records_create", json={**body, "data": {"of": "the last"}})

    assert created.is_success, f"refused after refused requests: {created.status_code}"
    record = created.json()["record"]
    assert (record["externalId"], record["data"]["of"]) == (external_id, "the last")
    assert tag not in str(record["data"]), "the data have those of a refused request"
    other = require_refused(api("records_create", json={**body, "externalId": f"{external_id} 2", "data": "text"}))
    changed = api("records_update", recordId=record["id"], json={"externalId": f"{external_id} 2"})
    assert changed.is_success, f"{changed.status_code} after {other.status_code}"


@pytest.mark.rule("scope.unaffected.workflows-create")
def test_a_refused_workflow_reserves_nothing(
    api: Api, sign_in: SignIn, data: Data, tag: str, valid_requests: ValidRequests
) -> None:
    """After requests that are refused, a workflow with their name is created."""
    body = {**valid_requests("workflows_create")["json"], "name": f"{tag} reserved"}
    for identity in (None, "expired", "outsider", "service_account"):
        if identity is None or identity in data.tokens:
            require_refused(sign_in(identity)("workflows_create", json=body))
    require_refused(api("workflows_create", json={**body, "tags": ["x" * 41]}))

    created = api("workflows_create", json=body)

    assert created.is_success, f"refused after refused requests: {created.status_code}"
    assert created.json()["workflow"]["name"] == body["name"]
    assert not created.json()["workflow"].get("tags")


@pytest.mark.rule("scope.unaffected.templates-apply")
def test_a_refused_application_reserves_nothing(
    api: Api, sign_in: SignIn, data: Data, applications: Applications
) -> None:
    """After requests that are refused, a sub-project with their name is created."""
    name = applications.name("reserved")
    for identity in (None, "expired", "viewer"):
        if identity is None or identity in data.tokens:
            body = {"name": name, "variableValues": data["template_variables"]}
            require_refused(sign_in(identity)("templates_apply", templateId=data["template"], json=body))

    response = applications.of(api, "reserved", "template", data["template_variables"])

    assert response.is_success, f"refused after refused requests: {response.status_code}"
    assert response.json()["data"]["project"]["name"] == name


@pytest.mark.rule("permissions.check.exact")
def test_a_refused_request_changes_no_permission(
    api: Api, sign_in: SignIn, contract_run: Run, data: Data, valid_requests: ValidRequests
) -> None:
    """Of any operation that reads, by the same caller and by others. A run that only reads sends no such requests."""
    if not contract_run.allows("write"):
        return
    observation = Observation(sign_in, contract_run)
    strangers = [sign_in(identity) for identity in _STRANGERS if identity is None or identity in data.tokens]
    for number, operation in enumerate(operations()):
        if operation.effect == "read":
            arguments = valid_requests(operation.id)
            strangers[number % len(strangers)](operation.id, **arguments)
            for response in defective(api, valid_requests, operation.id, "unaffected"):
                response.read()
            contract_run.forget_reads()
            assert observation.wrong_permissions(_CHECKS) == {}, operation.id
            answer = api(operation.id, **arguments)
            assert answer.is_success, f"{operation.id} is refused after refused requests: {answer.status_code}"


@pytest.mark.rule("scope.unaffected.engagement-like")
def test_a_liked_post_is_listed(api: Api, contract_run: Run, data: Data, valid_requests: ValidRequests) -> None:
    """The list has all posts, liked or not."""
    api("engagement_like", **valid_requests("engagement_like"))
    contract_run.forget_reads()

    posts = require_success(api("posts_list")).json()["data"]["posts"]
    assert data["published_page_post"] in [post["id"] for post in posts]


@pytest.mark.rule("scope.unaffected.calendar-book")
def test_a_refused_booking_leaves_its_slot_to_others(
    api: Api, sign_in: SignIn, contract_run: Run, data: Data, tag: str
) -> None:
    """Whatever it was refused for: its caller, a field, its end or its calendar."""
    bookings = Bookings(api, contract_run)
    slot = {"start": bookings.at(0), "end": bookings.at(30), "summary": tag}
    for identity in (None, "expired", "outsider"):
        if identity is None or identity in data.tokens:
            require_refused(sign_in(identity)("calendar_book", json=slot))
    for defect in ({"summary": ""}, {"summary": 7}, {"end": bookings.at(-30)}, {"calendarId": f"{tag}-nothing"}):
        api("calendar_book", json={**slot, **defect})
    assert bookings.busy() in ([], [(0, 30)])  # an unknown calendar may be an alias of the primary one

    if bookings.busy() == []:
        booked = bookings.post(0, 30)
        assert booked.is_success, f"refused after refused requests: {booked.status_code}"
    assert bookings.post(0, 30).status_code == httpx.codes.CONFLICT
    assert bookings.post(30, 60).is_success, "refused after a conflict"
