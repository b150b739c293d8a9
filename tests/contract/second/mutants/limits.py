"""Limits that count something else than characters or items."""

from __future__ import annotations

from collections.abc import Callable

from ..mutant import Kind, alter_body, patch
from ..service import checks, workflows

limits = Kind("limits and what they count")

NAME = "Workflow `name` | 1-200 characters"
SLUGS = "Workflow `triggerTypeSlug`, `triggerEventType` | 1-120 characters each"
DESCRIPTION = "Workflow `description` | at most 1000 characters"
TAGS = "Workflow `tags` | at most 12 items, each 1-40 characters"
SENTENCES = {
    "name": NAME,
    "triggerTypeSlug": SLUGS,
    "triggerEventType": SLUGS,
    "description": DESCRIPTION,
    "tags": TAGS,
}


def utf_16(value: str) -> int:
    """Return the number of UTF-16 code units."""
    return len(value.encode("utf-16-le", "surrogatepass")) // 2


def utf_8(value: str) -> int:
    """Return the number of bytes in UTF-8."""
    return len(value.encode("utf-8", "surrogatepass"))


def counting(name: str, field: str, length: Callable[[str], int]) -> None:
    """Register a mutant that counts the characters of a field in another way."""

    def apply() -> None:
        limit = {"name": 200, "triggerTypeSlug": 120, "triggerEventType": 120, "description": 1000, "tags": 40}[field]
        checked = workflows.checked

        def longer(*arguments, **members):
            check = members[field]
            texts = (lambda value: value) if field == "tags" else (lambda value: [value])
            members[field] = lambda value: check(value) and all(length(text) <= limit for text in texts(value))
            return checked(*arguments, **members)

        patch(workflows, "checked", longer)

    limits.add(name, "workflows_create", SENTENCES[field], apply)


for field in SENTENCES:
    counting(f"UTF-16 units are counted in {field}", field, utf_16)
for field in ("name", "description", "tags"):
    counting(f"bytes are counted in {field}", field, utf_8)


def bounds(name: str, field: str, least: int, most: int) -> None:
    """Register a mutant with other bounds of a text."""

    def apply() -> None:
        checked = workflows.checked
        patch(
            workflows,
            "checked",
            lambda *arguments, **members: checked(*arguments, **{**members, field: checks.text(least, most)}),
        )

    limits.add(name, "workflows_create", SENTENCES[field], apply)


bounds("a trigger type of 120 characters is refused", "triggerTypeSlug", 1, 119)
bounds("an empty trigger type is accepted", "triggerTypeSlug", 0, 120)
bounds("an event type of 121 characters is accepted", "triggerEventType", 1, 121)
bounds("an empty event type is accepted", "triggerEventType", 0, 120)
bounds("a name of one character is refused", "name", 2, 200)
bounds("a name of 255 characters is accepted", "name", 1, 255)


@limits("workflows_create", TAGS)
def a_tag_of_one_character_is_refused() -> None:
    tags(lambda value: all(len(tag) > 1 for tag in value))


@limits("workflows_create", TAGS)
def a_tag_of_40_characters_is_refused() -> None:
    tags(lambda value: all(len(tag) < 40 for tag in value))


@limits("workflows_create", TAGS)
def all_tags_together_have_at_most_200_characters() -> None:
    tags(lambda value: sum(map(len, value)) <= 200)


@limits("workflows_create", TAGS)
def only_the_first_tag_is_checked() -> None:
    alter_body(
        "workflows_create",
        lambda body: (
            body.update(tags=[*body["tags"][:1], *(tag[:40] or "-" for tag in body["tags"][1:])])
            if isinstance(body.get("tags"), list) and all(isinstance(tag, str) for tag in body["tags"])
            else None
        ),
    )


@limits("workflows_create", TAGS)
def tags_beyond_the_twelfth_are_dropped() -> None:
    alter_body(
        "workflows_create",
        lambda body: body.update(tags=body["tags"][:12]) if isinstance(body.get("tags"), list) else None,
    )


@limits("workflows_create", DESCRIPTION)
def a_long_description_is_cut() -> None:
    alter_body(
        "workflows_create",
        lambda body: (
            body.update(description=body["description"][:1000]) if isinstance(body.get("description"), str) else None
        ),
    )


def tags(check: Callable[[list[str]], bool]) -> None:
    """Add a check of the tags."""
    checked = workflows.checked

    def narrower(*arguments, **members):
        old = members["tags"]
        return checked(*arguments, **{**members, "tags": lambda value: old(value) and check(value)})

    patch(workflows, "checked", narrower)


@limits("calendar_book", "Calendar booking `summary` | at least 1 character")
def a_summary_of_one_character_outside_ascii_is_refused() -> None:
    from ..service import calendar

    text = calendar.text
    patch(
        calendar,
        "text",
        lambda least=0, most=None: (
            lambda value: text(least, most)(value) and (least == 0 or bool(value.encode("ascii", "ignore")))
        ),
    )
