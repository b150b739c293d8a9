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
)
