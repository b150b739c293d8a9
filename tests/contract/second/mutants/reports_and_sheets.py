"""Services that report a template wrongly, or print other sheets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import labels, pdf, templates
from ..service.app import Call

fields = Kind("fields of the answer")
reports = Kind("template report")
sheets = Kind("label sheets")
REPORT = "Template apply result, with the types of its fields."


def value(operation: str, name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the value of a successful response."""
    fields.add(name, operation, sentence, lambda: alter_value(operation, change))


def applied(name: str, change: Callable[[Json, Json], Any]) -> None:
    """Register a mutant that changes the project or the report of an applied template."""
    reports.add(
        name,
        "templates_apply",
        REPORT,
        lambda: alter_value(
            "templates_apply",
            lambda answer: change(answer["data"]["project"], answer["data"]["templateApply"]["report"]),
        ),
    )


applied(
    "name and slug of a sub-project are swapped",
    lambda project, _: project.update(name=project["slug"], slug=project["name"]),
)


applied("sub-projects are created at a number", lambda project, _: project.update(createdAt=1_900_000_000_000))


applied(
    "failures after the first are names",
    lambda _, report: report.update(
        failures=report["failures"][:1] + [failure["name"] for failure in report["failures"][1:]]
    ),
)


applied(
    "failures after the first have swapped members",
    lambda _, report: [
        failure.update(entity=failure["name"], name=failure["entity"]) for failure in report["failures"][1:]
    ],
)


applied(
    "skipped parts are counted as applied",
    lambda _, report: report.update(appliedCount=report["appliedCount"] + len(report["skipped"])),
)


applied(
    "missing variables have braces",
    lambda _, report: report.update(missingVariables=["{{" + name + "}}" for name in report["missingVariables"]]),
)


applied(
    "counts of zero are left out",
    lambda _, report: report.update(counts={name: count for name, count in report["counts"].items() if count}),
)


@sheets("labels_export", "`stock` (enum: `5x3.5`).")
def the_stock_is_read_without_case() -> None:
    patch(labels, "stock", lambda value: isinstance(value, str) and value.strip().lower() == "5x3.5")


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def blanks_of_the_summary_are_plus_signs() -> None:
    patch(labels, "quote", quote_plus)


@sheets("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_a_query() -> None:
    patch(labels, "summary", lambda body, items: f"printed={len(items)}")


@sheets("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_of_more_than_one_sheet_is_not_attached() -> None:
    whole = pdf.sheets
    patch(pdf, "sheets", lambda lines, files: whole(lines, files if len(lines) <= pdf.PER_SHEET else {}))


@sheets("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_ends_with_a_comma() -> None:
    whole = labels.document
    patch(labels, "document", lambda items, review: whole(items, review[:-1] + b",}"))


@sheets("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def the_last_sheet_is_filled_with_the_last_label() -> None:
    whole = pdf.sheets
    patch(pdf, "sheets", lambda lines, files: whole(lines + lines[-1:] * (-len(lines) % pdf.PER_SHEET), files))


_missing = templates.missing_variables


@reports("templates_apply", "`report.missingVariables`: array of string.")
def values_of_variables_are_remembered() -> None:
    known: Json = {}

    def missing(template: Json, values: Json) -> list[str]:
        known.update(values)
        return _missing(template, known)

    patch(templates, "missing_variables", missing)


@reports("templates_apply", "The report shows what landed and what failed.")
def counts_include_those_of_the_application_before() -> None:
    sums: dict[str, int] = {}

    def added(perform: Any, call: Call) -> Any:
        value = perform(call)
        counts = value["data"]["templateApply"]["report"]["counts"]
        for name in counts:
            sums[name] = counts[name] = counts[name] + sums.get(name, 0)
        return value

    wrap("templates_apply", added)


@reports("templates_apply", "A new sub-project is created under the parent project.")
def a_template_is_applied_to_the_same_project_again() -> None:
    create = templates.new_project
    known: Json = {}

    def once(call: Call, name: str) -> Json:
        if call.path["templateId"] not in known:
            known[call.path["templateId"]] = create(call, name)
        return {**known[call.path["templateId"]], "name": name}

    patch(templates, "new_project", once)
