"""Endpoints 3 and 4: records of two projects that several callers create, update and read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

from ..support.covering import Row
from ..support.free_form import is_plain
from ..support.json_equality import differences, lost, merge_differences
from ..support.preconditions import require_conclusive, require_success
from ..support.reading import refused
from ..support.records import lasting, record_of
from .record_updates import EXTERNAL_TEXTS, FACTORS, RELATIONS, RecordModel, Values
from .stream import Checks, Command, Stream, shown

RULES: Final = (
    *("records.create.answers-record", "records.create.external-id", "records.create.own-data"),
    *("records.create.no-person", "records.create.person-attached", "records.create.concurrent"),
    *("scope.own-things.records-create", "records.update.other-project", "records.update.unknown-record"),
    *("records.update.answers-record", "records.update.external-id", "records.update.merge"),
    "records.update.only-addressed",
    *("records.update.null-deletes", "records.update.sequence", "records.update.expected-data-holds"),
    *("records.update.expected-data-stale", "records.update.expected-status-holds"),
    *("records.update.expected-status-stale", "records.update.either-stale", "records.update.stale-unchanged"),
    *("records.update.refused-unchanged", "records.update.atomic", "records.update.concurrent-merges"),
    *("records.update.precondition-always", "records.create.relations-stored", "records.update.relations-stored"),
    "auth.concurrent-callers",
)
"""The rules that the sequence checks."""

_CREATIONS: Final = {
    "type": ("plain", "linked"),
    "identity": ("none", "first", "second"),
    "data": ("absent", "empty", "values", "objects", "many keys"),
    "externalId": ("absent", "plain", "a text", "long"),
    "relations": RELATIONS,
    "before": ("nothing", "a refused request", "the same request"),
}
_STEPS: Final = 95  # Number of commands.
_AT_ONCE: Final = 4  # Number of concurrent requests.
_POOL: Final = 3  # Number of the latest records, which are updated and read.
_MANY: Final = 24
_WITHOUT_ACCESS: Final = ("expired", "wrong_key", "no_user", "unknown_user", "outsider")
_MAY_WRITE: Final = ("viewer", "owner")
_CONFLICT: Final = 409

Json = dict[str, Any]


class RecordsModel:
    """The model of the records of a run.

    Args:
        stream: The stream that sends the commands.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._run = stream.run
        self._values = Values(stream.random)
        self._creations = stream.rows(_CREATIONS)
        self._updates = stream.rows(FACTORS)
        # One contains the other, as a search for a part would find it.
        self._emails = {"first": f"x-{self._run.tag}@example.com", "second": f"{self._run.tag}@example.com"}
        self._persons: dict[tuple[str, str], str] = {}
        self._projects: dict[str, str] = {}  # by record
        self._in_turn = cycle([self._run.data["project"], *self._others()])
        self._models: list[RecordModel] = []
        self._stored: Mapping[str, Json] | None = None
        self._related: dict[str, Json] = {}  # Relations by record.
        self._number = 0
        self._strangers = cycle([*stream.identities("viewer", "owner"), None, *stream.identities(*_WITHOUT_ACCESS)])

    def know_relations(self) -> None:
        """Compare relations, too, from now on.

        Raises:
            MissingError: The target is a deployment.
        """
        self._stored = self._run.target.stub_project("the relations of a record").relations

    def callers(self) -> list[str]:
        """Return the identities that may create and update records."""
        return [
            identity
            for identity in self._stream.identities("owner", "service_account")
            if identity == "owner" or self._create(identity, {"title": self._run.tag}).is_success
        ]

    def commands(self) -> dict[Command, int]:
        """Return the commands and their weights."""
        return {
            self.create: 8,
            self.attach_persons: 0,
            self.update: 20,
            self.read: 2,
            self.expect_what_is_deleted: 2,
            self.update_as_a_stranger: 2,
            self.update_back: 0,
            self.update_elsewhere: 0,
            self.race: 0,
            self.merge_at_once: 0,
            self.create_at_once: 0,
        }

    def forget(self) -> None:
        """Forget the records: one of them may have been changed."""
        self._models.clear()

    def create(self, caller: str) -> None:
        """Create a record, in either project."""
        project = self._stream.choice([self._run.data["project"]] * 4 + self._others())
        self._create_in(project, caller, next(self._creations))

    def attach_persons(self, caller: str) -> None:
        """Create records of two persons in a project, with and without an external identifier."""
        row = {"type": "linked", "data": "values", "relations": "absent", "before": "nothing"}
        project = next(self._in_turn)
        for which, external in (("first", "absent"), ("second", "plain"), ("first", "plain")):
            self._create_in(project, caller, {**row, "identity": which, "externalId": external})

    def _create_in(self, project: str, caller: str, row: Row) -> None:
        body = self._body(row)
        if row["before"] == "a refused request":
            self._stream.api(None)("records_create", json={**body, "data": {"left": self._run.tag}})
        earlier = None
        if row["before"] == "the same request" and "externalId" not in body:
            earlier = self._api_of(project, caller)("records_create", json=body, projectId=project)
        response = self._api_of(project, caller)("records_create", json=body, projectId=project)
        if earlier is not None and earlier.is_success and response.is_success:
            same = (
                record_of(earlier)["id"] == record_of(response)["id"] and f"two requests of {shown(body)} created one"
            )
            self._stream.check("records.create.answers-record", same, self._run.tag)
        if response.is_success:
            self._created(body, record_of(response), project, row)
        # the service may require data, or a type elsewhere
        elif not self._stream.leaves_out(response) and "data" in body and project == self._run.data["project"]:
            self._stream.check(
                "records.create.answers-record", f"{response.status_code} for the valid {shown(body)}", self._run.tag
            )

    def update(self, caller: str) -> None:
        """Update a record, with and without preconditions that hold or are stale."""
        model, row = self._some(), next(self._updates)
        if row["expectedStatus"] != "absent" and not isinstance(model.record.get("status"), str):
            return
        self._number += 1
        others = [other for other in self._models if other is not model] or [model]
        body = {**model.body(row, f"{self._run.tag}-u{self._number}", others), **self._relations(row)}
        response = self._send(model, caller, body)
        self._compare_relations(model, "records.update.relations-stored", body if response.is_success else {})
        stale = [name for name in ("expectedData", "expectedStatus") if row[name] == "stale"]
        if stale:
            self._stale(model, caller, body, stale, response)
        elif response.is_success:
            self._updated(model, body, record_of(response))
            for name, rule in (("expectedData", "expected-data-holds"), ("expectedStatus", "expected-status-holds")):
                if name in body:
                    self._check(f"records.update.{rule}", None, model)
        elif not self._stream.leaves_out(response):
            # Another record may have the external identifier, and a status may have its rules.
            free = row["externalId"] == "of another record" or row["data"] == "status"
            problem = None if free and refused(response) else f"{response.status_code} for the valid {shown(body)}"
            self._check("records.update.sequence", problem, model)

    def expect_what_is_deleted(self, caller: str) -> None:
        """Set a key, delete it, alone or beside an object, expect its value, and set it again: it has nothing of before."""
        model = self._some()
        self._number += 1
        key, text = f"gone {self._number}", f"{self._run.tag} {self._number}"
        value = {"before": text} if self._number % 2 else text
        self._updated(model, {"data": {key: value}}, self._success(model, caller, {"data": {key: value}}))
        gone: Json = {"data": {key: None, **({"beside": {"of": text}} if self._number % 2 else {})}}
        deleted = self._send(model, caller, gone)
        if not self._check(
            "records.update.null-deletes", not deleted.is_success and f"{deleted.status_code} for null", model
        ):
            return
        self._updated(model, gone, record_of(deleted))
        body: Json = {"data": {"stage": "late"}, "expectedData": {key: value}}
        self._stale(model, caller, body, ["expectedData"], self._send(model, caller, body))
        again: Json = {"data": {key: {"again": text}}}
        self._updated(model, again, self._success(model, caller, again))

    def update_back(self, caller: str) -> None:
        """Set a key to a value, to another one if it has that, and by the first request again, which is no repetition of it."""
        model = self._some()
        first, second = ({"back": f"{self._run.tag} {value}"} for value in ("first", "second"))
        guarded: Json = {"data": second, "expectedData": first}
        for body in ({"data": first}, guarded, {"data": first}):
            response = self._send(model, caller, body)
            if body is guarded:
                refusal = not response.is_success and f"{response.status_code} for {shown(body)}"
                if not self._check("records.update.expected-data-holds", refusal, model):
                    return
            self._updated(model, body, record_of(require_success(response)))

    def read(self, caller: str) -> None:
        """Read a record: no operation does, but an update of nothing returns it."""
        self._read(self._some(), caller, "records.update.sequence")

    def update_as_a_stranger(self, caller: str) -> None:
        """Update a record without a permission, or with an invalid field, which changes nothing."""
        model = self._some()
        data = {"stage": f"{self._run.tag} of a stranger", "title": None}
        body = {"data": data, "externalId": f"{self._run.tag}-s", "relations": {"lost": self._run.tag}}
        identity = next(self._strangers)
        sent: Json = {**body, "data": ["a"]} if identity == "owner" else body
        response = self._stream.api(identity)("records_update", recordId=model.record["id"], json=sent)
        if refused(response):
            self._read(model, caller, "records.update.refused-unchanged")
            self._compare_relations(model, "records.update.relations-stored", {})
        elif response.is_success and identity in _MAY_WRITE:  # the field may have been converted
            model.follow(record_of(response))

    def update_elsewhere(self, caller: str) -> None:
        """Update a record through the other project, and records that do not exist, whose identifiers are similar."""
        model = self._some()
        id, tag, owner = model.record["id"], self._run.tag, self._stream.api("owner")
        body = {"data": {"stage": "elsewhere"}}
        for other in {self._run.data["project"], *self._others()} - {self._projects[id]}:
            response = owner("records_update", recordId=id, projectId=other, json=body)
            problem = None if response.is_client_error else f"{response.status_code} in another project"
            self._check("records.update.other-project", problem, model)
            self._read(model, caller, "records.update.other-project")
        for unknown in (f"{tag}-nowhere", f"{id}{tag}", f"{id} {tag}"):
            response = owner("records_update", recordId=unknown, json=body)
            problem = None if response.is_client_error else f"{response.status_code} for the unknown record {unknown!r}"
            self._check("records.update.unknown-record", problem, model)
            self._stream.fact("records.unknown-record", response.status_code, response)
        self._read(model, caller, "records.update.only-addressed")

    def race(self, caller: str) -> None:
        """Update a record several times at once, with the same precondition, which each update makes stale."""
        self._some()
        own = [model for model in self._models if self._projects[model.record["id"]] == self._run.data["project"]]
        if not own:
            return
        model = own[-1]
        for key in ("title", "status"):
            first, *others = ({key: f"{self._run.tag} s{number}"} for number in range(_AT_ONCE + 1))
            before, after = model.record, self._success(model, "owner", {"data": first})
            self._updated(model, {"data": first}, after)
            if key == "status" and after.get("status") in {before.get("status"), None}:
                return  # where the status is from, the specification does not say
            expected = {"expectedData": first} if key == "title" else {"expectedStatus": after["status"]}
            self._race(model, caller, [{"data": data, **expected} for data in others])

    def _race(self, model: RecordModel, caller: str, bodies: list[Json]) -> None:
        """Send updates at once, one of which succeeds."""
        responses = self._stream.together(lambda body: self._send(model, caller, body), bodies)
        require_conclusive([response.status_code for response in responses])
        won = [body for body, response in zip(bodies, responses, strict=True) if response.is_success]
        problem = len(won) != 1 and f"{len(won)} of {_AT_ONCE} updates that were sent at the same time succeeded"
        if not self._check("records.update.atomic", problem, model):
            raise MissingError("the state of a record is not known after updates at the same time")
        self._updated(model, {"data": won[0]["data"]}, self._success(model, "owner", {}))

    def merge_at_once(self, caller: str) -> None:
        """Update different keys of a record at once; a caller without a permission is refused beside the others."""
        model = self._some()
        self._number += 1
        sent = {f"once {number}": f"{self._number} {number}" for number in range(_AT_ONCE)}
        stranger = self._stream.api(None)

        def update(data: Json) -> httpx.Response:
            if "once" in data:
                return stranger("records_update", recordId=model.record["id"], json={"data": data})
            return self._send(model, caller, {"data": data})

        items: list[Json] = [*({key: value} for key, value in sent.items()), {"once": 1}]
        *responses, strange = self._stream.together(update, items)
        problem = strange.is_success and "a stranger's update succeeded"
        self._check("auth.concurrent-callers", problem, model)
        if problem and not all(response.is_success for response in responses):
            problem = "a stranger's update succeeded in the place of another one"
            self._check("records.update.concurrent-merges", problem, model)
        require_conclusive([response.status_code for response in responses])
        if all(response.is_success for response in responses):
            shows = [record_of(response)["data"] for response in responses]
            own = [lost({key: sent[key]}, data) for key, data in zip(sent, shows, strict=True)]
            after = self._success(model, "owner", {})
            self._check("records.update.concurrent-merges", lost(sent, after["data"]) or [*filter(None, own)], model)
            self._updated(model, {"data": sent}, after)
        else:
            self._models.remove(model)

    def create_at_once(self, caller: str) -> None:
        """Create several records at once."""
        sent = [{"title": self._run.tag, f"key {number}": self._values.next()} for number in range(_AT_ONCE)]
        responses = self._stream.together(lambda data: self._create(caller, data), sent)
        if not all(response.is_success for response in responses):
            return
        for data, response in zip(sent, responses, strict=True):
            record = record_of(response)
            strange = {f"key {number}" for number in range(_AT_ONCE)} & record["data"].keys() - data.keys()
            problem = (
                lost(data, record["data"])
                or (strange and f"data have {strange}")
                or self._stream.is_known(record["id"])
            )
            self._stream.check("records.create.concurrent", problem, record["id"])

    def _body(self, row: Row) -> Json:
        """Return the body of a creation."""
        number = self._number = self._number + 1
        slug = self._run.data["object_type" if row["type"] == "plain" else "linked_object_type"]
        body: Json = {"typeSlug": slug}
        data = {
            "absent": None,
            "empty": {},
            "values": {f"key {number}": self._values.next(), "stage": self._values.next(), "id": self._values.next()},
            "objects": {f"key {number}": self._values.next_object(), "externalId": self._values.next_object()},
            "many keys": {f"key {number}": number, **{f"many {place}": place for place in range(_MANY)}},
        }[row["data"]]
        if row["identity"] != "none":
            data = {**(data or {}), "email": self._emails[row["identity"]], "name": "Contract Person"}
        if data is not None:
            body["data"] = {**data, "title": f"{self._run.tag} {number}"}
        external = {
            "plain": f"{self._run.tag}-r{number}",
            "a text": f"x{self._stream.choice(EXTERNAL_TEXTS)}x {self._run.tag} {number}",
            "long": f"{self._run.tag}-{'y' * _MANY}-{number}",
        }
        if row["externalId"] != "absent":
            body["externalId"] = external[row["externalId"]]
        return {**body, **self._relations(row)}

    def _relations(self, row: Row) -> Json:
        """Return relations of a kind; some only where a stub shows them, since the specification does not show their members."""
        if row["relations"] == "absent":
            return {}
        if row["relations"] == "empty" or self._stored is None:
            return {"relations": {}}
        other = self._models[-1].record["id"] if self._models else self._run.tag
        nested = {"of": {"id": other}, "number": self._number}
        return {"relations": {f"relation {self._number}": other, "list": [other, self._number], "nested": nested}}

    def _compare_relations(self, model: RecordModel, rule: str, body: Json) -> None:
        """Compare the relations of all latest records with those of all bodies, the last of which is given."""
        if self._stored is None:
            return
        related = self._related.setdefault(model.record["id"], {})
        related.update(body.get("relations", {}))
        own = [
            each.record["id"] for each in self._models if self._projects[each.record["id"]] == self._run.data["project"]
        ]
        for id in own:
            found = differences(self._related.get(id, {}), dict(self._stored.get(id, {})))
            self._stream.check(rule, found and f"the relations of {id} after {shown(body)}: {found}", id)

    def _created(self, body: Json, record: Json, project: str, row: Row) -> None:
        """Compare a new record with the body of its creation."""
        id, sent = record["id"], body.get("data", {})
        data: Json = record.get("data") or {}
        known = self._stream.is_known(id)
        fields: Json = {name: body[name] for name in ("typeSlug", "externalId") if name in body}
        self._stream.check("records.create.answers-record", known or [*lost(fields, record), *lost(sent, data)], id)
        strange = [key for key in data.keys() - sent.keys() if key.startswith(("key ", "many ", "left", "once "))]
        if "data" not in body:  # a service may number records in their data
            strange += [key for key, value in data.items() if key == "stage" or self._run.tag in str(value)]
        self._stream.check("records.create.own-data", strange and f"data have {strange}, which were not sent", id)
        if "externalId" not in body:
            foreign = self._run.tag in str(record.get("externalId")) and f"externalId is {record['externalId']!a}"
            self._stream.check("records.create.external-id", foreign, id)
        self._person(record, project, row)
        self._projects[id] = project
        self._models.append(model := RecordModel(record, self._stream.random, self._values))
        self._compare_relations(model, "records.create.relations-stored", body)

    def _person(self, record: Json, project: str, row: Row) -> None:
        """Compare the person of a new record with those of other records with the same identity, and with others."""
        person, which = record.get("personRefId") or None, row["identity"]
        if row["type"] == "plain" or which == "none":
            self._stream.check(
                "records.create.no-person", person and f"the person {person!a} is attached", record["id"]
            )
            return
        if person is None and (project, which) not in self._persons:
            return  # the identity may be another member of the data
        known = self._persons.setdefault((project, which), person or "")
        self._stream.check(
            "records.create.person-attached", known != person and "not the person of before", record["id"]
        )
        for (of, other), another in self._persons.items():
            if (of, other) != (project, which):
                rule = "records.create.person-attached" if of == project else "scope.own-things.records-create"
                self._stream.check(rule, another == person and f"the person of {other!r} in {of}", record["id"])

    def _stale(
        self,
        model: RecordModel,
        caller: str,
        body: Json,
        stale: list[str],
        response: httpx.Response,
        *,
        again: bool = False,
    ) -> None:
        """Check the response to an update with a stale precondition, which is as stale if it is sent again."""
        given = [name for name in ("expectedData", "expectedStatus") if name in body]
        rule = {"expectedData": "expected-data-stale", "expectedStatus": "expected-status-stale"}[stale[0]]
        if len(given) > len(stale):
            rule = "either-stale"
        wrong = response.status_code != _CONFLICT
        if self._stream.leaves_out(response) and not self._is_stated(model, caller, body):
            return
        for each in (rule, "precondition-always"):
            self._check(
                f"records.update.{each}", wrong and f"{response.status_code} for the stale {shown(body)}", model
            )
        if response.is_success:
            model.record = record_of(response)
        elif self._stream.random.random() < 0.5:  # the next update would show it, too
            self._read(model, caller, "records.update.stale-unchanged")
        elif not again:
            self._stale(model, caller, body, stale, self._send(model, caller, body), again=True)

    def _is_stated(self, model: RecordModel, caller: str, body: Json) -> bool:
        """Return whether an update expects plain values of known keys, and is accepted if it expects nothing."""
        stale = {name: value for name, value in body.items() if name.startswith("expected")}
        known = body.get("expectedData", {}).keys() <= model.data.keys()
        response = self._send(model, caller, {name: value for name, value in body.items() if name not in stale})
        if response.is_success:
            model.follow(record_of(response))
        return response.is_success and known and all(map(is_plain, stale.values()))

    def _updated(self, model: RecordModel, body: Json, after: Json) -> None:
        """Compare a record with what an update makes of it, which is its new state."""
        before, data = model.record, body.get("data", {})
        external = body.get("externalId", before.get("externalId"))
        kept = {name: before.get(name) for name in ("id", "typeSlug", "createdAt", "createdBy")}
        if "email" in before["data"] and "email" not in data:  # without the identity, the person may be refreshed
            kept["personRefId"] = before.get("personRefId")
        left = [key for key, value in data.items() if value is None and key in after["data"]]
        about = f" after {shown(body)}"
        for rule, problem in (
            ("null-deletes", left and f"{left} are left"),
            ("merge", merge_differences(before["data"], data, after["data"])),
            ("external-id", external != after.get("externalId") and f"externalId is {after.get('externalId')!a}"),
            ("answers-record", differences(kept, {name: after.get(name) for name in kept})),
        ):
            self._check(f"records.update.{rule}", problem and f"{problem}{about}", model)
        model.follow(after)

    def _read(self, model: RecordModel, caller: str, rule: str) -> None:
        """Compare a record with its model."""
        response = self._send(model, caller, {"relations": {}})
        if self._stream.leaves_out(response):
            return
        problem: object = None if response.is_success else f"{response.status_code} for an update of nothing"
        if response.is_success:
            problem = differences(lasting(model.record), lasting(record_of(response)))
            model.follow(record_of(response))
        self._check(rule, problem, model)

    def _send(self, model: RecordModel, caller: str, body: Json) -> httpx.Response:
        id = model.record["id"]
        project = self._projects[id]
        return self._api_of(project, caller)("records_update", recordId=id, json=body, projectId=project)

    def _success(self, model: RecordModel, caller: str, body: Json) -> Json:
        return record_of(require_success(self._send(model, caller, body)))

    def _create(self, caller: str, data: Json) -> httpx.Response:
        body = {"typeSlug": self._run.data["object_type"], "data": data}
        return self._stream.api(caller)("records_create", json=body)

    def _some(self) -> RecordModel:
        """Return one of the latest records, the one that was updated last most seldom."""
        while len(self._models) < 2:  # one, and another one
            before = len(self._models)
            self.create("owner")
            if len(self._models) == before:
                self._create_plain()
        del self._models[:-_POOL]
        model = self._models.pop(self._stream.random.randrange(len(self._models)))
        self._models.append(model)
        return model

    def _create_plain(self) -> None:
        """Create a record like that of the plain request, which a type with a schema accepts, too."""
        record = record_of(require_success(self._create("owner", {"title": self._run.tag})))
        self._projects[record["id"]] = self._run.data["project"]
        self._models.append(RecordModel(record, self._stream.random, self._values))

    def _api_of(self, project: str, caller: str) -> Api:
        return self._stream.api(caller if project == self._run.data["project"] else "owner")

    def _others(self) -> list[str]:
        return [self._run.data.values["other_project"]] if "other_project" in self._run.data.values else []

    def _check(self, rule: str, problem: object, model: RecordModel) -> bool:
        return self._stream.check(rule, problem, model.record["id"])


def play(stream: Stream) -> Checks:
    """Send the sequence, and return the checks."""
    model = RecordsModel(stream)
    stream.attempt(model.know_relations)
    return stream.play(model, model.callers(), _STEPS)
