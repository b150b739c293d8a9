"""The fields of the resources, with the types that the specification states ("Resources and their fields")."""

from __future__ import annotations

from typing import Final

from .type_check import Fields


def _all(kind: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), kind)


_TIMESTAMPS: Final = _all("date-time", "createdAt updatedAt")

WORKFLOW: Final[Fields] = {
    **_all("string", "id name description triggerTypeSlug triggerEventType revision"),
    "projectId": "uuid",
    "tags": ["string"],
    "actions": ["any"],
    "triggerCondition": "any",
    "isActive": "boolean",
    **_TIMESTAMPS,
}

RECORD: Final[Fields] = {
    **_all("string", "id typeSlug displayName externalId personRefId companyRefId amountCents currency status"),
    **_all("string", "providerExternalId createdBy updatedBy"),
    "data": "object",
    "occurredAt": "date-time",
    **_TIMESTAMPS,
}

MEMORY_ENTRY: Final[Fields] = {
    **_all("string", "id projectId slug title description content"),
    "metadata": "object",
    **_TIMESTAMPS,
}

MCP_SERVER: Final[Fields] = {"name": "string", "url": "string", "headers": "object"}

AGENT: Final[Fields] = {
    **_all("string", "id projectId name description systemPrompt access model"),
    "builtIn": "boolean",
    "memoryFiles": ["string"],
    "toolCategories": ["string"],
    "mcpServers": [MCP_SERVER],
    "allowedRoles": ["string"],
    "maxSteps": "integer",
    "metadata": "object",
    **_TIMESTAMPS,
}

PAGINATION: Final[Fields] = {"limit": "integer", "offset": "integer", "hasMore": "boolean"}

SIDEBAR_ITEM: Final[Fields] = _all("string", "label icon id featureId pluginId href customLabel")
SIDEBAR: Final[Fields] = {"sections": [{"id": "string", "label": "string", "items": [SIDEBAR_ITEM]}]}

TEMPLATE_APPLY_RESULT: Final[Fields] = {
    "project": {"id": "uuid", "name": "string", "slug": "string", "createdAt": "date-time"},
    "templateApply": {
        "status": "string",
        "error": "string",
        "report": {
            "counts": _all("integer", "objectTypes objectRelations roles workflows sidebarSections perRoleHides"),
            "appliedCount": "integer",
            "skipped": [{"entity": "any", "name": "any"}],
            "failures": [{"entity": "any", "name": "any", "error": "any", "code": "any"}],
            "missingVariables": ["string"],
        },
    },
}

BOOKING: Final[Fields] = _all("string", "bookingUid start end htmlLink calendarId")
BUSY_INTERVAL: Final[Fields] = _all("string", "start end")

WEB_ANALYTICS_CONFIG: Final[Fields] = {
    **_all("string", "id projectId analyticsPropertyId analyticsIntegrationAccountId searchSiteUrl"),
    "searchIntegrationAccountId": "string",
    "enabled": "boolean",
    **_TIMESTAMPS,
}

POST_MEDIA: Final[Fields] = {
    "id": "uuid",
    **_all("string", "storeKey storeUrl mediaType filename mimeType"),
    **_all("integer", "sizeBytes orderIndex"),
}

SCHEDULED_POST: Final[Fields] = {
    **_all("uuid", "id socialAccountId"),
    **_all("string", "projectId platform caption mediaType containerId scheduledFor timezone status publishedAt"),
    **_all("string", "permalink errorMessage createdAt updatedAt linkUrl coverStoreUrl"),
    "media": [POST_MEDIA],
    "account": {"username": "string", "profilePictureUrl": "string"},
}

MEDIA_ANALYTICS: Final[Fields] = {
    **_all("string", "mediaId mediaType timestamp caption mediaUrl thumbnailUrl permalink"),
    **_all("integer", "likeCount commentsCount shares impressions reach saved engagement"),
}
