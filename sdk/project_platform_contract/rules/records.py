"""Endpoints 3 and 4: create and update object records."""

from __future__ import annotations

from .rule import Rule

_CREATE = (
    Rule(
        "records.create.answers-record",
        "The response is the new record, with a new identifier and the type and data of the request.",
        "Endpoints 3, body and response",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.free-form-data",
        "Data is free-form JSON keyed by field: nested values are returned unchanged.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.external-id",
        "A record is stored with the externalId of the request.",
        "Endpoints 3, body",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.body-types",
        "typeSlug and externalId are strings, data and relations are objects; anything else is refused.",
        "Endpoints 3, body",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.person-created",
        "A record of a person-linked type gets a personRefId if its data has a new identity.",
        "Endpoints 3, rule",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.person-attached",
        "Records with the same identity are attached to the same person, records with different identities to different ones.",
        "Endpoints 3, rule",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.no-person",
        "Without identity in the data, or on a type that is not person-linked, no person is attached.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
    Rule(
        "fields.object-record.types",
        "The fields of an object record have the documented types; amountCents is a string.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
)

_UPDATE = (
    Rule(
        "records.update.answers-record",
        "The response is the addressed record, as it is after the update.",
        "Endpoints 4, response",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.merge",
        "Data is merged: the keys of the request are changed or added, all others keep their values.",
        "Endpoints 4, rule 1",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.null-deletes",
        "A key whose value is null is deleted; it is not stored with the value null.",
        "Endpoints 4, rule 1",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.external-id",
        "An update can set the externalId; without it, the externalId keeps its value.",
        "Endpoints 4, body",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.body-types",
        "data, expectedData and relations are objects, expectedStatus is a string; anything else is refused.",
        "Endpoints 4, body",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-data-holds",
        "An update succeeds if its expectedData matches the record.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-data-stale",
        "An update is answered with 409 if its expectedData does not match the record.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.containment",
        "expectedData matches if the record's data contains it: additional members, at any depth, are ignored.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-status-holds",
        "An update succeeds if its expectedStatus equals the record's status.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-status-stale",
        "An update is answered with 409 if its expectedStatus differs from the record's status.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.either-stale",
        "One stale precondition is enough for a 409, even if the other holds.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.stale-unchanged",
        "A 409 leaves the record unchanged.",
        "Endpoints 4, rule 2; Errors",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.stale-body",
        "The 409 response for a stale precondition has an error body with a message.",
        "Errors",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.atomic",
        "Of several concurrent updates with the same precondition, which each of them makes stale, exactly one succeeds.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.person-refresh",
        "A record of a person-linked type still has a personRefId after its data changes; a new identity may change it.",
        "Endpoints 4, rule 3",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.unknown-record",
        "An update of a record that does not exist is refused.",
        "Endpoints 4, path",
        "records_update",
        "write",
    ),
)

RULES = (*_CREATE, *_UPDATE)
