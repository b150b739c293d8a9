"""The data of a run against the demo world of a stub: `python -m project_platform_contract.data.stub_data DESCRIPTION FILE`.

The stub in this process is asked; one in another describes itself (`project-platform stub --describe DESCRIPTION`). From
that a data file is made, to try the suite out, and what is printed sets the variables that the file names.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from .data_file import Data

if TYPE_CHECKING:
    from project_platform_stub import Stub

_USAGE = 2
_FREE = "2031-03-03T00:00:00Z"  # Far in the future: the demo world has nothing there.
_RECIPIENT = "guest@example.com"
_VARIABLES = {"client": "Acme", "contactEmail": "acme@example.com"}


def stub_data(stub: Stub) -> Data:
    """Return what the demo world has to prove rules with."""
    description = stub.describe("")
    tokens = stub.tokens
    return Data(
        {**described(description), "sidebar": stub.project.sidebar},
        {
            **description["tokens"],
            "expired": tokens.expired(),
            "wrong_key": tokens.unknown_key(),
            "no_user": tokens.no_user_id(),
            "unknown_user": tokens.unknown_user(),
            "session": tokens.session(),
        },
    )


def described(description: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a data file, as a stub's description has them."""
    details = description["details"]
    accounts = {account["platform"]: account["id"] for account in details["accounts"]}
    posts = {(post["platform"], post["status"]): post["id"] for post in details["posts"]}
    primary = next(each["id"] for each in details["calendars"] if each["primary"])
    whole, failing = (template["id"] for template in details["templates"])
    menu = [item for item in details["menu_items"] if item["approved"]]
    month = menu[0]["menuMonth"]
    return {
        "project": description["project_id"],
        "other_project": description["other_project_id"],
        "foreign_project": description["foreign_project_id"],
        "object_type": _type(details, links_to_person=False),
        "linked_object_type": _type(details, links_to_person=True),
        "memory_slug": next(slug for slug in description["memory"] if "/" not in slug),
        "memory_slug_with_slash": next(slug for slug in description["memory"] if "/" in slug),
        "recipient": _RECIPIENT,
        "free_slot": _FREE,
        "calendar": primary,
        "read_only_calendar": next(each["id"] for each in details["calendars"] if each["id"] != primary),
        "template": whole,
        "template_variables": _VARIABLES,
        "failing_template": failing,
        "failing_template_variables": {},
        "published_page_post": posts["pagenet", "published"],
        "unpublished_page_post": posts["pagenet", "scheduled"],
        "failed_post": next(post["id"] for post in details["posts"] if post["status"] == "failed"),
        "page_account": accounts["pagenet"],
        "photo_account": accounts["photonet"],
        "menu_month": month,
        "menu_items": [item["id"] for item in menu if item["menuMonth"] == month],
        "unapproved_menu_item": next(item["id"] for item in details["menu_items"] if not item["approved"]),
        "analytics_configured": True,
    }


def _type(details: dict[str, Any], *, links_to_person: bool) -> str:
    return next(str(each["slug"]) for each in details["object_types"] if each["linksToPerson"] is links_to_person)


def main(argv: Sequence[str]) -> int:
    """Write a data file from a stub's description, and print how the tokens come into the environment."""
    if len(argv) != 2:  # noqa: PLR2004  # two files
        sys.stderr.write("usage: python -m project_platform_contract.data.stub_data DESCRIPTION FILE\n")
        return _USAGE
    source, target = map(Path, argv)
    description = json.loads(source.read_text("utf-8"))
    tokens = {**description["tokens"], "session": next(iter(description["sessions"].values()))}
    variables = {identity: f"CONTRACT_{identity.upper()}" for identity in tokens}
    values = {
        **described(description),
        "token_variables": {identity: name for identity, name in variables.items() if identity != "owner"},
    }
    target.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), "utf-8")
    for identity, name in variables.items():
        sys.stdout.write(f"export {name}={shlex.quote(tokens[identity])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
