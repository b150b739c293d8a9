"""Data of a run against the demo world of a stub.

A stub in this process is read directly. For a stub in another process,
`python -m project_platform_contract.data.stub_data DESCRIPTION FILE` converts the description that
`project-platform stub --describe DESCRIPTION` writes to a data file, and prints the shell commands that set the variables
with its tokens.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from .data_file import Data

if TYPE_CHECKING:
    from project_platform_stub import Stub

_USAGE = 2
_FREE_SLOT = "2031-03-03T00:00:00Z"  # Far in the future, where the demo world has no events.
_RECIPIENT = "guest@example.com"
_VARIABLES = {"client": "Acme", "contactEmail": "acme@example.com"}

_COUNTS = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")
_TEMPLATE_REPORT = {
    "counts": dict(zip(_COUNTS, (2, 1, 1, 1, 1, 1), strict=True)),
    "appliedCount": 7,
    "skipped": [{"entity": "objectType", "name": "Person"}],
    "failures": [],
    "missingVariables": [],
}
_FAILING_TEMPLATE_REPORT = {
    "counts": dict(zip(_COUNTS, (1, 0, 0, 0, 0, 0), strict=True)),
    "appliedCount": 1,
    "skipped": [],
    "failures": [
        {"entity": entity, "name": name, "code": code}
        for entity, name, code in (
            ("objectRelation", "order-invoice", "unknown_object_type"),
            ("role", "clerk", "unknown_permission"),
            ("workflow", "{{greeting}}", "missing_variable"),
            ("perRoleHide", "clerk: orders", "unknown_role"),
        )
    ],
    "missingVariables": ["greeting"],
}


def stub_data(stub: Stub) -> Data:
    """Return the data of the demo world, with tokens for every identity."""
    description = stub.describe("")
    issuer = stub.tokens
    tokens = {
        **description["tokens"],
        "expired": issuer.expired(),
        "wrong_key": issuer.unknown_key(),
        "no_user": issuer.no_user_id(),
        "unknown_user": issuer.unknown_user(),
        "session": issuer.session(),
    }
    return Data(data_members(description), tokens, variables(tokens))


def data_members(description: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a data file from a stub's description."""
    details = description["details"]
    accounts = {account["platform"]: account["id"] for account in details["accounts"]}
    posts = {(post["platform"], post["status"]): post["id"] for post in details["posts"]}
    primary = next(calendar["id"] for calendar in details["calendars"] if calendar["primary"])
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
        "free_slot": _FREE_SLOT,
        "calendar": primary,
        "read_only_calendar": next(calendar["id"] for calendar in details["calendars"] if calendar["id"] != primary),
        "template": whole,
        "template_variables": _VARIABLES,
        "template_report": _TEMPLATE_REPORT,
        "failing_template": failing,
        "failing_template_variables": {},
        "failing_template_report": _FAILING_TEMPLATE_REPORT,
        "published_page_post": posts["pagenet", "published"],
        "unpublished_page_post": posts["pagenet", "scheduled"],
        "failed_post": next(post["id"] for post in details["posts"] if post["status"] == "failed"),
        "page_account": accounts["pagenet"],
        "photo_account": accounts["photonet"],
        "agents": [agent["id"] for agent in details["agents"]],
        "permissions": {name: details["identities"][name]["permissions"] for name in ("viewer", "service_account")},
        "menu_month": month,
        "menu_items": [item["id"] for item in menu if item["menuMonth"] == month],
        "unapproved_menu_item": next(item["id"] for item in details["menu_items"] if not item["approved"]),
        "analytics_configured": True,
        "sidebar": details["sidebar"],
    }


def variables(tokens: Iterable[str]) -> dict[str, str]:
    """Return names of environment variables for the tokens of some identities."""
    return {identity: f"CONTRACT_{identity.upper()}" for identity in tokens}


def _type(details: dict[str, Any], *, links_to_person: bool) -> str:
    return next(str(type_["slug"]) for type_ in details["object_types"] if type_["linksToPerson"] is links_to_person)


def main(argv: Sequence[str]) -> int:
    """Write a data file from a stub's description, and print the `export` commands for its tokens."""
    if len(argv) != 2:  # noqa: PLR2004  # two files
        sys.stderr.write("usage: python -m project_platform_contract.data.stub_data DESCRIPTION FILE\n")
        return _USAGE
    source, target = map(Path, argv)
    description = json.loads(source.read_text("utf-8"))
    tokens = {**description["tokens"], "session": next(iter(description["sessions"].values()))}
    names = variables(tokens)
    values = {
        **data_members(description),
        "token_variables": {identity: name for identity, name in names.items() if identity != "owner"},
    }
    target.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), "utf-8")
    for identity, name in names.items():
        sys.stdout.write(f"export {name}={shlex.quote(tokens[identity])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
