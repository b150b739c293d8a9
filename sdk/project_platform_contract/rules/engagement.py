"""Endpoints 11: like a page post as the page."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "engagement.like.published",
        "A published page post is liked, and success is true.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.unpublished",
        "A post that is not published, or does not exist, is not liked.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.as-the-page",
        "The like is given as the page: an account that is not connected, or of another network, cannot like.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.account-uuid",
        "An accountId that is not a UUID is refused.",
        "Endpoints 11, body",
        "engagement_like",
        "notify",
        inferred=True,
    ),
    Rule(
        "engagement.like.given",
        "A confirmed like is given, by the page and once.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.refused-not-given",
        "A like that is not confirmed is not given.",
        "Endpoints 11; Errors",
        "engagement_like",
        "notify",
    ),
    Rule(
        "engagement.like.page-only",
        "Only a post of the page network can be liked, and only by an account of the project.",
        "Endpoints 11",
        "engagement_like",
        "notify",
    ),
)
