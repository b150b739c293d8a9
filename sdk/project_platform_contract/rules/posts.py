"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.scheduled-post.types",
        "The fields of a scheduled post, and of its account, are of the types that are stated.",
        "Resources, Scheduled post",
        "posts_list",
        "read",
    ),
    Rule(
        "fields.post-media.types",
        "The fields of a post's media are of the types that are stated.",
        "Resources, Scheduled post",
        "posts_list",
        "read",
    ),
    Rule(
        "states.post-failed",
        "A post that could not be published has the status `failed`.",
        "States",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.all",
        "All scheduled posts of the project are listed, published or not, each of them once.",
        "Endpoints 14",
        "posts_list",
        "read",
    ),
    Rule(
        "posts.list.filters-narrow",
        "Filters are optional, and narrow: nothing is listed with one that is not listed without.",
        "Endpoints 14",
        "posts_list",
        "read",
    ),
)
