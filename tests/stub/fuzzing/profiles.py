"""The profiles of the fuzzed stubs: every switch with its default and with its other values."""

from __future__ import annotations

from typing import Any, Final

# In the format of a profile file. There are three, because some switches have three values.
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
        "containmentArrays": "equal",
        "memoryMetadata": "merged",
        "defaultLimit": 3,
        "permissions": {"calendar_busy": None, "memory_update": "settings:write"},
        "externalId": "unique",
        "noOpUpdate": "ignore",
        "encodedSlash": "separator",
        "retryAfter": "seconds",
        # Low enough that some requests get a 429, high enough that others do not.
        "rateLimit": {"requests": 40, "perSeconds": 0.1},
        "capacity": 100_000,
        "unknownFields": "refuse",
        "publishDuePosts": False,
    },
    "third": {
        "containmentArrays": "prefix",
        "createdStatus": 299,
        "merge": "shallow",
        "nestedNulls": "strip",
        "externalId": "upsert",
        "retryAfter": "date",
        "rateLimit": {"requests": 40, "perSeconds": 0.1},
    },
}
