"""Endpoints 3 and 4: create and update object records."""

from __future__ import annotations

from .rule import Rule

_CREATE = (
    Rule(
        "records.create.answers-record",
        "The answer is the new record, with an identifier of its own, of the type and with the data that were given.",
        "Endpoints 3, body and response",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.free-form-data",
        "Data is free-form JSON keyed by field: what is nested in it comes back as it was given.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.external-id",
        "A record is kept with the externalId that was given.",
        "Endpoints 3, body",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.body-types",
        "typeSlug and externalId are text, data and relations are objects; anything else is refused.",
        "Endpoints 3, body",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.person-created",
        "A record of a type that links to persons carries personRefId when its data has an identity that nobody had.",
        "Endpoints 3, rule",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.person-attached",
        "Records with the same identity are attached to the same person, and those with another to another.",
        "Endpoints 3, rule",
        "records_create",
        "write",
    ),
    Rule(
        "records.create.no-person",
        "Without identity in the data, or on a type that does not link to persons, no person is attached.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
    Rule(
        "fields.object-record.types",
        "The fields of an object record are of the types that are stated; amountCents is text.",
        "Resources, Object record",
        "records_create",
        "write",
    ),
)

_UPDATE = (
    Rule(
        "records.update.answers-record",
        "The answer is the record that was named, as it is after the update.",
        "Endpoints 4, response",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.merge",
        "Data is merged: keys that are given change or are added, and all others stay.",
        "Endpoints 4, rule 1",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.null-deletes",
        "A key whose value is null is deleted; it is not kept with null as its value.",
        "Endpoints 4, rule 1",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.external-id",
        "An update can set the externalId; without it the externalId stays.",
        "Endpoints 4, body",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.body-types",
        "data, expectedData and relations are objects and expectedStatus is text; anything else is refused.",
        "Endpoints 4, body",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-data-holds",
        "An update whose expectedData is what the record has goes through.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-data-stale",
        "An update whose expectedData the record does not have is answered with 409.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.containment",
        "expectedData holds when the record's data contains it: members beside it, at any depth, do not matter.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-status-holds",
        "An update whose expectedStatus is the record's status goes through.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.expected-status-stale",
        "An update whose expectedStatus is not the record's status is answered with 409.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.either-stale",
        "One stale precondition is enough for a 409, though the other holds.",
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
        "The 409 of a stale precondition has an error body with a message.",
        "Errors",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.atomic",
        "Of several updates at once with the same precondition, which each makes stale, exactly one goes through.",
        "Endpoints 4, rule 2",
        "records_update",
        "write",
    ),
    Rule(
        "records.update.person-refresh",
        "A record of a person-linked type keeps a personRefId when its data changes; new identity may refresh it.",
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
