"""Endpoints 15: photo-network media analytics."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.media-analytics.types",
        "The fields of a media item are of the types that are stated; its figures are integers.",
        "Resources, Photo-network media analytics item",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.per-post",
        "Each media item of the account comes once, with figures of engagement, reach and interaction.",
        "Endpoints 15",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.of-account",
        "The figures are those of the account in the path: of one that is not connected there are none.",
        "Endpoints 15",
        "photo_analytics_list_media",
        "read",
    ),
)
