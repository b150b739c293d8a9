"""Services with defects of label sheets, tokens, applied templates, sidebars and likes."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote_plus

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import Service, World, labels, pdf, social, templates, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.workflows import is_real

everyday = Kind("everyday sheets and tokens")

REVIEW = "The full review is attached inside the PDF as `label-review.json`."
KEY_SET = "Its verification uses a published key set"
USER = "it must include a valid user identifier"
REPORT = "The report shows what landed and what failed."
SECTIONS = "The entire section list of the project is replaced."
PAGE = "Like a published page post as the page."


@everyday("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_label_summary_is_encoded_as_a_form() -> None:
    patch(labels, "quote", quote_plus)


@everyday("labels_export", REVIEW)
def the_review_is_attached_to_full_sheets_only() -> None:
    document = labels.document

    def partly(items: list[Json], review: bytes) -> bytes:
        return pdf.sheets([pdf.lines_of(item) for item in items], {}) if len(items) % 4 else document(items, review)

    patch(labels, "document", partly)


@everyday("labels_export", REVIEW)
def the_review_is_written_as_a_python_value() -> None:
    document = labels.document
    patch(labels, "document", lambda items, review: document(items, str(json.loads(review)).encode()))


@everyday("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def the_fifth_label_is_printed_over_the_first() -> None:
    position = pdf.position
    patch(pdf, "position", lambda place: position(place % 4))
    patch(pdf, "PER_SHEET", 1000)


@everyday("labels_export", "Body: `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)")
def to_include_unapproved_items_is_to_leave_out_the_others() -> None:
    wanted = labels.wanted
    patch(
        labels,
        "wanted",
        lambda item, body: wanted(item, body) and not (body.get("includeUnapproved") and item["approved"]),
    )


def during(which: Callable[[Request], bool]) -> Callable[[], bool]:
    """Return a function that returns whether the service answers one of some requests."""
    answers = ContextVar("answers", default=False)
    respond = Service.__call__

    def observed(self: Service, request: Request) -> Reply:
        answers.set(which(request))
        return respond(self, request)

    patch(Service, "__call__", observed)
    return answers.get


def decoded(token: str) -> Json | None:
    """Return the claims of a token that is not verified."""
    with suppress(ValueError, IndexError):
        claims = json.loads(tokens._bytes(token.split(".")[1]))
        return claims if isinstance(claims, dict) else None
    return None


def users_without_membership(user: Callable[[World, Json], str | None], asked: Callable[[], bool]) -> None:
    """Take a user from the claims of valid tokens that name no known user."""
    user_of = tokens.user_of

    def found(world: World, authorization: str | None) -> str:
        try:
            return user_of(world, authorization)
        except Refusal:
            claims = tokens.verified(world, (authorization or "").removeprefix("Bearer ")) if asked() else None
            other = None if claims is None or tokens.expired(claims) else user(world, claims)
            if other is None:
                raise
            return other

    patch(tokens, "user_of", found)


@everyday("posts_list", "The token is a JWT obtained from `{base_url}/api/auth/token`.")
def an_expired_token_may_still_read() -> None:
    expired, reading = tokens.expired, during(lambda request: request.method == "GET")
    patch(tokens, "expired", lambda claims: expired(claims) and not reading())


@everyday("labels_export", KEY_SET)
def the_export_decodes_the_token_without_verification() -> None:
    verified, exporting = tokens.verified, during(lambda request: "/label-export" in request.target)
    patch(tokens, "verified", lambda world, token: decoded(token) if exporting() else verified(world, token))


@everyday("auth_check_permission", USER)
def an_unknown_user_is_told_that_nothing_is_allowed() -> None:
    users_without_membership(
        lambda world, claims: claims.get("user_id"), during(lambda request: "/check-permission" in request.target)
    )


@everyday("memory_update", USER)
def a_token_without_a_user_updates_memory_as_the_first_member() -> None:
    users_without_membership(
        lambda world, claims: None if "user_id" in claims else next(user for _, user in world.members),
        during(lambda request: "/memory-entries/" in request.target),
    )


@everyday("workflows_create", KEY_SET)
def verified_tokens_are_remembered_by_their_signature() -> None:
    verified = tokens.verified
    known: set[str] = set()

    def remembered(world: World, token: str) -> Json | None:
        signature = token.rpartition(".")[2]
        claims = verified(world, token)
        if claims is not None:
            known.add(signature)
        return decoded(token) if signature in known else None

    patch(tokens, "verified", remembered)


@everyday("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def values_that_no_variable_takes_are_reported_as_missing() -> None:
    missing_variables = templates.missing_variables
    patch(
        templates,
        "missing_variables",
        lambda template, values: [
            *missing_variables(template, values),
            *(name for name in values if name not in template["variables"]),
        ],
    )


@everyday("templates_apply", REPORT)
def the_applied_count_is_the_number_of_kinds() -> None:
    def counted(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report["appliedCount"] = sum(map(bool, report["counts"].values()))

    alter_value("templates_apply", counted)


@everyday("templates_apply", "A new sub-project is created under the parent project and the template is applied to it.")
def a_template_that_was_applied_once_is_skipped_in_the_next_sub_project() -> None:
    done: set[tuple[str, str]] = set()

    def skipped(perform: Any, call: Call) -> Any:
        value, key = perform(call), (call.project, call.path["templateId"])
        if key in done:
            parts = [part for part in templates.find_template(call)["parts"] if not part.get("broken")]
            value["data"]["templateApply"]["report"].update(
                counts=dict.fromkeys(templates.COUNTS, 0),
                appliedCount=0,
                skipped=[{"entity": part["kind"], "name": part["name"]} for part in parts],
            )
        done.add(key)
        return value

    wrap("templates_apply", skipped)


@everyday("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def a_sub_project_needs_a_person_as_its_owner() -> None:
    def by_persons(perform: Any, call: Call) -> Any:
        if not is_real(call):
            raise Refusal(403, "A project needs an owner.", "real_user_required")
        return perform(call)

    wrap("templates_apply", by_persons)


@everyday("sidebar_replace", SECTIONS)
def an_item_is_kept_in_the_first_section_that_has_its_id() -> None:
    def once(value: Json) -> None:
        seen: set[str] = set()
        for section in value["data"]["sections"]:
            section["items"] = [item for item in section["items"] if "id" not in item or item["id"] not in seen]
            seen |= {item["id"] for item in section["items"] if "id" in item}

    alter_value("sidebar_replace", once)


@everyday("sidebar_replace", "An object with `sections`: an ordered array of section.")
def sections_with_numbers_as_identifiers_come_first() -> None:
    def place(section: Json) -> tuple[bool, int]:
        id = section.get("id", "")
        number = id.isascii() and id.isdecimal()
        return not number, int(id) if number else 0

    alter_value("sidebar_replace", lambda value: value["data"]["sections"].sort(key=place))


@everyday("engagement_like", "Accounts are the social accounts connected to a project.")
def a_page_of_any_project_of_the_caller_may_like() -> None:
    require_page = social.require_page

    def of_any(call: Call, account_id: str) -> None:
        for (project, id), account in call.world.accounts.items():
            member = (project, call.user) in call.world.members
            if member and id == account_id and account["platform"] == "pagenet":
                return
        require_page(call, account_id)

    patch(social, "require_page", of_any)


@everyday("engagement_like", PAGE)
def an_account_that_nobody_knows_stands_for_the_first_page() -> None:
    require_page = social.require_page

    def any_page(call: Call, account_id: str) -> None:
        if any(id == account_id for _, id in call.world.accounts):
            require_page(call, account_id)

    patch(social, "require_page", any_page)
