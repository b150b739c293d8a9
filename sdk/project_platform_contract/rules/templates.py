"""Endpoints 9: apply a template to a new sub-project."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "templates.apply.creates-sub-project",
        "Each application creates a new project, with the name that was given.",
        "Endpoints 9, rule 1",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.under-parent",
        "The new project is a sub-project of the project in the path.",
        "Endpoints 9, rule 1",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "fields.template-apply.types",
        "The fields of the project and of the report are of the types that are stated.",
        "Resources, Template apply result",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.applied",
        "A template that lands whole is answered with success and the status applied.",
        "States; Endpoints 9, response",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-landed",
        "The report counts what landed, by kind and in all.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-failures",
        "The report names each part that failed, with its kind, its name, the error and a code.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-agrees",
        "The report agrees with what is there: each part of the template has landed and is counted, was skipped, or failed.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.variables",
        "The values in variableValues stand for the template's variables in what landed.",
        "Endpoints 9, rule 2",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.missing-variables",
        "The report lists the variables that no value was given for, and only those.",
        "Endpoints 9, rule 2; Resources, Template apply result",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.permission",
        "A caller without sub_projects:write on the parent project is refused, and no project is created.",
        "Endpoints 9, rule 4; Authentication 4",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.body-types",
        "name is text and variableValues is an object; anything else is refused.",
        "Endpoints 9, body",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.unknown-template",
        "A template that does not exist is refused, and no project is created.",
        "Endpoints 9, path",
        "templates_apply",
        "irreversible",
    ),
)
