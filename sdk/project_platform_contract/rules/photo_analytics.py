"""Endpoints 15: photo-network media analytics."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.media-analytics.types",
        "The fields of a media item have the documented types; its figures are integers.",
        "Resources, Photo-network media analytics item",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.per-post",
        "Each media item of the account is listed once, with figures of engagement, reach or interaction.",
        "Endpoints 15",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.of-account",
        "The figures are those of the account in the path; there are none for an account that is not connected.",
        "Endpoints 15",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.as-stored",
        "Every media item of the account is listed with its figures; a figure of 0 is 0.",
        "Endpoints 15; Resources, Photo-network media analytics item",
        "photo_analytics_list_media",
        "read",
    ),
    Rule(
        "photo-analytics.media.every-caller",
        "The figures are the same for every caller who may read them.",
        "Endpoints 15",
        "photo_analytics_list_media",
        "read",
    ),
)
