"""Endpoints 15: media analytics of a photo-network account."""

from __future__ import annotations

from project_platform_stub.contract import load_contract
from project_platform_stub.http.errors import not_found

from . import Call, Result, operation
from .posts import filtered

TEXT_FIELDS = load_contract().schema_fields("MediaAnalytics", "string")


@operation("photo_analytics_list_media")
def list_media(call: Call) -> Result:
    """List the account's media with their figures, or those that equal the query parameters."""
    account = call.project.accounts.get(call.path["accountId"].lower())
    if account is None or account["platform"] != "photonet":
        raise not_found("The project has no such photo-network account connected.", "account_not_found")
    media = filtered(call.project.media.get(account["id"], ()), call.filters, TEXT_FIELDS)
    return Result({"success": True, "data": {"media": media}})
