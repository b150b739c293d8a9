"""The profiles that the stub is fuzzed with: each switch as it is assumed, and as it is not."""

from __future__ import annotations

from typing import Any, Final

# In the notation of a profile file. Three, because some switches know three values.
PROFILES: Final[dict[str, dict[str, Any]]] = {
    "assumed": {},
    "otherwise": {
        "createdStatus": 200,
        "successStatus": {"sidebar_replace": 202, "agents_list": 203, "workflows_create": 206},
        "invalidStatus": 422,
        "unknownProjectStatus": 404,
        "permissionParameter": "scope",
        "merge": "deep",
        "nestedNulls": "strip",
        "defaultLimit": 3,
        "permissions": {"calendar_busy": None, "memory_update": "settings:write"},
        "duplicateExternalId": "conflict",
        "noOpUpdate": "ignore",
        "encodedSlash": "separator",
        "retryAfter": "seconds",
        # Often enough that it is met, seldom enough that something else is met as well.
        "rateLimit": {"requests": 40, "perSeconds": 0.1},
        "unknownFields": "refuse",
        "publishDuePosts": False,
    },
    "third": {
        "createdStatus": 299,
        "merge": "shallow",
        "nestedNulls": "strip",
        "duplicateExternalId": "update",
        "retryAfter": "date",
        "rateLimit": {"requests": 40, "perSeconds": 0.1},
    },
}
