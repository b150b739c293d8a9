"""Endpoints 11: like a page post as the page."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "engagement.like.published",
        "A published page post is liked, and the answer says success.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.unpublished",
        "A post that is not published is not liked, and neither is one that does not exist.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.as-the-page",
        "It is the page that likes: an account that is not connected, or is none of the page network, does not.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.account-uuid",
        "An accountId that is no UUID is refused.",
        "Endpoints 11, body",
        "engagement_like",
        "notify",
    ),
)
