"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.scheduled-post.types",
        "The fields of a scheduled post, and of its account, have the documented types.",
        "Resources, Scheduled post",
        "posts_list",
        "read",
    ),
    Rule(
        "fields.post-media.types",
        "The fields of a post's media have the documented types.",
        "Resources, Scheduled post",
        "posts_list",
        "read",
    ),
    Rule(
        "states.post-failed",
        "A post whose publication failed has the status `failed`.",
        "States",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.all",
        "All scheduled posts of the project, published or not, are listed once.",
        "Endpoints 14",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.filters-narrow",
        "Filters are optional and only narrow the list.",
        "Endpoints 14",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.account-id",
        "The socialAccountId of a post is the id of the account that posts it.",
        "Resources, Scheduled post; What the service does",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.account-platform",
        "All posts of an account have the same platform, that of the account.",
        "Resources, Scheduled post",
        "posts_list",
        "read",
        inferred=True,
    ),
    Rule(
        "posts.list.as-stored",
        "Every stored post is listed, with all of its values.",
        "Endpoints 14; Resources, Scheduled post",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.every-caller",
        "The list is the same for every caller who may read it: all posts of the project, not those of the caller.",
        "Endpoints 14",
        "posts_list",
        "read",
    ),
)
