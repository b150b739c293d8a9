"""Endpoints 9: apply a template to a new sub-project."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "templates.apply.creates-sub-project",
        "Each application creates a new project with the name of the request.",
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
        "The fields of the project and of the report have the documented types.",
        "Resources, Template apply result",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.applied",
        "If every part of a template is applied, success is true and the status is `applied`.",
        "States; Endpoints 9, response",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-landed",
        "The report counts the applied parts, by kind and in total.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-failures",
        "The report lists each failed part with its kind, name, error and code.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.report-agrees",
        "The report matches the new project: each part of the template is counted once, as applied, skipped or failed.",
        "Endpoints 9, rule 3",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.variables",
        "The values in variableValues replace the variables in the applied parts.",
        "Endpoints 9, rule 2",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.missing-variables",
        "The report lists exactly the variables without a value.",
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
        "name is a string and variableValues is an object; anything else is refused.",
        "Endpoints 9, body",
        "templates_apply",
        "irreversible",
    ),
    Rule(
        "templates.apply.unknown-template",
        "An unknown template is refused, and no project is created.",
        "Endpoints 9, path",
        "templates_apply",
        "irreversible",
    ),
)
