"""The data of a run against the demo world of a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .data import Data

if TYPE_CHECKING:
    from project_platform_stub import Stub


def stub_data(stub: Stub) -> Data:
    """Return what the demo world has to prove rules with."""
    project = stub.project
    posts = {(post["platform"], post["status"]): post["id"] for post in project.posts.values()}
    accounts = {account["platform"]: account["id"] for account in project.accounts.values()}
    whole, failing = project.templates
    menu = [item["id"] for item in project.menu_items.values() if item["approved"] and item["menuMonth"] == "2026-11"]
    values = {
        "project": project.id,
        "other_project": stub.other_project.id,
        "foreign_project": stub.foreign_project.id,
        "object_type": "deal",
        "linked_object_type": "lead",
        "memory_slug": "welcome",
        "memory_slug_with_slash": "brand/voice",
        "recipient": "guest@example.com",
        "free_slot": "2031-03-03T00:00:00Z",
        "calendar": project.primary_calendar,
        "read_only_calendar": "holidays@calendar.example",
        "template": whole,
        "template_variables": {"client": "Acme", "contactEmail": "acme@example.com"},
        "failing_template": failing,
        "failing_template_variables": {},
        "published_page_post": posts["pagenet", "published"],
        "unpublished_page_post": posts["pagenet", "scheduled"],
        "page_account": accounts["pagenet"],
        "photo_account": accounts["photonet"],
        "menu_month": "2026-11",
        "menu_items": menu,
        "unapproved_menu_item": next(item["id"] for item in project.menu_items.values() if not item["approved"]),
        "analytics_configured": True,
    }
    tokens = stub.tokens
    return Data(
        values,
        {
            "owner": tokens.valid("owner"),
            "viewer": tokens.valid("viewer"),
            "service_account": tokens.service_account(),
            "outsider": tokens.valid("outsider"),
            "expired": tokens.expired(),
            "wrong_key": tokens.wrong_signature(),
            "session": tokens.session(),
        },
    )
