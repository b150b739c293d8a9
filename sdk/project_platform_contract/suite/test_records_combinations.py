"""Endpoints 3 and 4: records whose creations and updates combine fields, values, callers, types and preconditions.

The combinations are covering arrays, in which any two or three choices occur together, in an order that is random and the same in
every run. Several records are changed in turns, and each response is compared with all that was sent before.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import SignIn
from project_platform_contract.run.contract_run import Run

from .support.covering import covering
from .support.json_equality import differences, lost
from .support.preconditions import require_refused, require_success
from .support.reading import refused
from .support.record_model import EXTERNAL_TEXTS, FACTORS, RecordModel, Values
from .support.records import Records, lasting, record_of

_CALLERS: Final = ("owner", "service_account")
_EMAILS: Final = ("none", "first", "second")
_CREATIONS: Final = covering(
    {
        "type": ("plain", "linked"),
        "data": ("absent", "empty", "values", "objects", "many keys"),
        "externalId": ("absent", "plain", "a text", "long"),
        "relations": ("absent", "empty"),
        "caller": _CALLERS,
        "before": ("nothing", "a refused request", "the same request"),
    },
    strength=3,
)
_PERSONS: Final = covering(
    {
        "type": ("plain", "linked"),
        "identity": _EMAILS,
        "externalId": ("absent", "plain"),
        "relations": ("absent", "empty"),
        "data": ("alone", "with other keys"),
        "caller": _CALLERS,
    },
    strength=3,
)
_UPDATES: Final = covering(
    {"record": ("plain", "another plain", "linked", "of another caller"), "caller": _CALLERS, **FACTORS}, strength=3
)
_IDENTITY_CHANGES: Final = 40
_IDENTITIES: Final = 4
_LEAST_RECORDS: Final = 3  # Number of records before the first change of one.


@pytest.fixture
def by_caller(sign_in: SignIn, contract_run: Run) -> dict[str, Records]:
    """Records as each caller that may create and update them; the service account may have no permission."""
    callers = {"owner": Records(sign_in("owner"), contract_run)}
    if "service_account" in contract_run.data.tokens:
        other = Records(sign_in("service_account"), contract_run)
        record = other.post(data={"title": contract_run.tag})
        if record.is_success and other.update(record_of(record), relations={}).is_success:
            callers["service_account"] = other
    return callers


@pytest.mark.rule("records.create.answers-record")
def test_a_new_record_has_its_own_fields_and_values(
    by_caller: dict[str, Records], sign_in: SignIn, contract_run: Run, data: Data, tag: str
) -> None:
    """Whatever it was created with and whoever created it, in the response, and when all others have been created."""
    chance = Random(1)  # noqa: S311  # no secret
    values = Values(chance)
    stranger = Records(sign_in(None), contract_run)
    slugs = {"plain": data["object_type"], "linked": data["linked_object_type"]}
    created: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for number, row in enumerate(_CREATIONS):
        body: dict[str, Any] = {"typeSlug": slugs[row["type"]]}
        if row["data"] != "absent":
            sent = {
                "empty": {},
                "values": {f"key {number}": values.next(), "stage": values.next(), "id": values.next()},
                "objects": {f"key {number}": values.next_object(), "externalId": values.next_object()},
                "many keys": {f"key {number}": number, **{f"many {place}": values.next() for place in range(24)}},
            }[row["data"]]
            body["data"] = {**sent, "title": f"{tag} {number}"}
        external = {
            "plain": f"{tag}-combined-{number}",
            "a text": f"x{chance.choice(EXTERNAL_TEXTS)}x {tag} {number}",
            "long": f"{tag}-{'y' * 24}-{number}",
        }
        if row["externalId"] != "absent":
            body["externalId"] = external[row["externalId"]]
        if row["relations"] != "absent":
            body["relations"] = {}
        caller = by_caller.get(row["caller"], by_caller["owner"])
        if row["before"] == "a refused request":
            require_refused(stranger.post(**{**body, "data": {"left": tag}}))
        if row["before"] == "the same request" and "externalId" not in body:
            caller.post(**body)
        response = caller.post(**body)
        if "data" not in body and refused(response):  # the service may require it
            continue
        assert response.is_success, f"creation {number}, {row}: {response.status_code}"
        record = record_of(response)
        assert _differences(body, record, tag) == [], f"creation {number}, {row}"
        created.append((body, record))

    assert len({record["id"] for _, record in created}) == len(created)
    for body, record in reversed(created):
        shown = chance.choice(list(by_caller.values())).read(record)
        assert _differences(body, shown, tag) == [], body
        assert differences(lasting(record), lasting(shown)) == [], body


def _differences(body: dict[str, Any], record: dict[str, Any], tag: str) -> list[str]:
    """Return how a new record differs from the body of its creation, and what it has of another creation."""
    data: dict[str, Any] = record.get("data") or {}
    sent = body.get("data", {})
    fields: dict[str, Any] = {name: body[name] for name in ("typeSlug", "externalId") if name in body}
    found = [*lost(fields, record), *lost(sent, data)]
    if "externalId" not in body and tag in str(record.get("externalId")):
        found.append(f"externalId is {record['externalId']!a}; it was not sent")
    strange = [key for key in data.keys() - sent.keys() if key.startswith(("key ", "many ", "left"))]
    return found + [f"data has {key!a}; it was not sent" for key in strange]


@pytest.mark.rule("records.create.person-attached")
def test_the_person_depends_on_the_identity_alone(
    records: Records, by_caller: dict[str, Records], data: Data, tag: str
) -> None:
    """Neither on the caller, nor on the other fields of the record or the records before it."""
    found = _persons(records, by_caller, data, tag)
    if None in found["linked", "first"]:
        raise MissingError("a new record with an identity has no personRefId")

    assert [len(found["linked", which]) for which in ("first", "second")] == [1, 1]
    assert found["linked", "first"] != found["linked", "second"]


@pytest.mark.rule("records.create.no-person")
def test_no_person_is_attached_whatever_was_created_before(
    records: Records, by_caller: dict[str, Records], data: Data, tag: str
) -> None:
    """Without an identity, or if the type is not person-linked."""
    found = _persons(records, by_caller, data, tag)

    assert set[Any]().union(found["linked", "none"], *(found["plain", which] for which in _EMAILS)) == {None}


def _persons(
    records: Records, by_caller: dict[str, Records], data: Data, tag: str
) -> dict[tuple[str, str], set[str | None]]:
    """Create records, and return their persons by the kind of their type and their identity."""
    emails = {which: records.email() for which in _EMAILS}
    slugs = {"plain": data["object_type"], "linked": data["linked_object_type"]}
    found: dict[tuple[str, str], set[str | None]] = {}
    for number, row in enumerate(_PERSONS):
        body: dict[str, Any] = {"typeSlug": slugs[row["type"]], "data": {"title": tag}}
        if row["identity"] != "none":
            body["data"] |= {"email": emails[row["identity"]], "name": "Contract Person"}
        if row["data"] != "alone":
            body["data"] |= {"source": f"fair {number}", "tags": ["a"], "site": {"email": f"{tag}-below@example.com"}}
        if row["externalId"] != "absent":
            body["externalId"] = f"{number} {emails['first']}"
        if row["relations"] != "absent":
            body["relations"] = {}
        caller = by_caller.get(row["caller"], records)
        person = record_of(require_success(caller.post(**body))).get("personRefId")
        found.setdefault((row["type"], row["identity"]), set()).add(person or None)
    return found


@pytest.mark.rule("records.create.person-attached")
def test_an_identity_is_compared_as_a_whole(records: Records, by_caller: dict[str, Records], data: Data) -> None:
    """Addresses with the same name, domain, beginning or end are different ones; each is the same one again."""
    name, other, *more = (records.email().partition("@")[0] for _ in range(5))
    emails = [
        *(f"{name}@example.com", f"{name}@example.org", f"{name}@mail.example.com", f"{other}@example.com"),
        *(f"{name}x@example.com", f"x{name}@example.com", f"{name}-{other}@example.com"),
        *(f"{name}{'y' * 24}@example.com", f"Ann.{more[0]}@Example.com", f"{more[1]}+list@example.com"),
        f"a_b.{more[2]}@sub-domain.example.com",
    ]
    callers = list(by_caller.values())

    def person(email: str, caller: Records) -> Any:
        body = {"typeSlug": data["linked_object_type"], "data": {"name": "Contract Person", "email": email}}
        return record_of(require_success(caller.post(**body))).get("personRefId")

    first = {email: person(email, callers[0]) for email in emails}
    if first[emails[0]] is None:
        raise MissingError("a new record with an identity has no personRefId")
    again = {email: person(email, callers[-1]) for email in reversed(emails)}

    assert [email for email, found in first.items() if found is None] == []
    assert differences(first, again) == []
    assert len(set(first.values())) == len(emails)


@pytest.mark.rule("records.create.person-attached")
def test_persons_of_records_that_change_their_identity(records: Records, by_caller: dict[str, Records]) -> None:
    """A changed identity keeps the person or attaches that of the new identity; it never attaches another one's."""
    chance = Random(2)  # noqa: S311  # no secret
    emails = [records.email() for _ in range(_IDENTITIES)]
    callers = list(by_caller.values())
    known: dict[str, str] = {}
    unsure: set[str] = set()  # A person that was kept may have the old identity, the new one or both.
    pool: list[tuple[str, dict[str, Any]]] = []
    for number in range(_IDENTITY_CHANGES):
        caller, email, before, named = chance.choice(callers), chance.choice(emails), None, True
        if len(pool) < _LEAST_RECORDS or chance.random() < 0.3:
            old, response = email, caller.post(**records.linked_body({"email": email, "n": number}))
        else:
            old, before = pool.pop(chance.randrange(len(pool)))
            email = chance.choice((old, email))
            named = email != old or chance.random() < 0.5
            response = caller.update(before, data={"n": number, **({"email": email} if named else {})})
        record = record_of(require_success(response))
        person = record.get("personRefId")
        if not person:
            raise MissingError("a record with an identity has no personRefId")
        pool.append((email, record))
        if before is not None and person == before["personRefId"]:
            unsure |= {old, email} if email != old else set()
            continue
        assert named, f"request {number} has no identity and changes the person"
        assert email in unsure or person == known.setdefault(email, person), f"request {number}"
        assert person not in {known[other] for other in known.keys() - {email} - unsure}, f"request {number}"


@pytest.mark.rule("records.update.sequence")
def test_a_record_is_what_the_updates_of_all_callers_make_of_it(
    records: Records, by_caller: dict[str, Records], sign_in: SignIn, contract_run: Run, tag: str
) -> None:
    """Several records change in turns; updates that are stale, invalid or have no token change nothing, then or later."""
    chance = Random(3)  # noqa: S311  # no secret
    values = Values(chance)
    stranger = Records(sign_in(None), contract_run)
    second = by_caller.get("service_account", records)
    created = {
        "plain": records.create({"stage": "open"}, externalId=f"{tag}-sequence-1"),
        "another plain": records.create({"stage": "open", "a": {"b": 1}}),
        "linked": records.linked({"stage": "open", "email": records.email()}, externalId=f"{tag}-sequence-2"),
        "of another caller": record_of(
            require_success(second.post(data={"title": tag}, externalId=f"{tag}-sequence-3"))
        ),
    }
    models = {name: RecordModel(record, chance, values) for name, record in created.items()}
    for number, row in enumerate(_UPDATES):
        model, caller = models[row["record"]], by_caller.get(row["caller"], records)
        others = [other for other in models.values() if other is not model]
        models[row["record"]] = models.pop(row["record"])  # the record that was updated last is the last one
        if row["expectedStatus"] != "absent" and not isinstance(model.record.get("status"), str):
            continue
        body = model.body(row, f"{tag}-u{number}", others)
        shown = f"update {number}, {row}: {body!a}"
        if number % 5 == 0:
            require_refused(stranger.update(model.record, **{**body, "data": {"stage": tag, "title": None}}))
        response = caller.update(model.record, **body)
        if "stale" in (row["expectedData"], row["expectedStatus"]):
            assert response.status_code == 409, f"{shown}: {response.status_code}"
        elif response.is_success:
            assert model.problems(body, record_of(response)) == [], shown
        else:  # another record may have the external identifier, and a status may have its rules
            assert row["externalId"] == "of another record" or row["data"] == "status", (
                f"{shown}: {response.status_code}"
            )
            assert refused(response), f"{shown}: {response.status_code}"
        if number % 6 == 0:
            other, reader = chance.choice(list(models.values())), chance.choice(list(by_caller.values()))
            seen = reader.read(other.record)
            assert differences(lasting(other.record), lasting(seen)) == [], shown
            other.record = seen

    for model in models.values():
        for reader in by_caller.values():
            assert differences(lasting(model.record), lasting(reader.read(model.record))) == []
