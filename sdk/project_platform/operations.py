"""The operations as functions that return a `Call` for `client.send`. They send nothing.

```python
response = client.send(operations.records_update(project_id, record_id, data={"stage": "won"}))
response.value, response.status, response.headers, response.attempts, response.applied
```

Generated from openapi.yaml by `python -m codegen`. Do not edit.
"""

from typing import TYPE_CHECKING, Any

from .first_use import IMPORTING

if TYPE_CHECKING:
    from ._generated.operations.agents_list import call as agents_list
    from ._generated.operations.auth_check_permission import (
        call as auth_check_permission,
    )
    from ._generated.operations.calendar_book import call as calendar_book
    from ._generated.operations.calendar_busy import call as calendar_busy
    from ._generated.operations.calendar_reschedule import call as calendar_reschedule
    from ._generated.operations.engagement_like import call as engagement_like
    from ._generated.operations.labels_export import call as labels_export
    from ._generated.operations.memory_update import call as memory_update
    from ._generated.operations.photo_analytics_list_media import (
        call as photo_analytics_list_media,
    )
    from ._generated.operations.posts_list import call as posts_list
    from ._generated.operations.records_create import call as records_create
    from ._generated.operations.records_update import call as records_update
    from ._generated.operations.sidebar_replace import call as sidebar_replace
    from ._generated.operations.templates_apply import call as templates_apply
    from ._generated.operations.web_analytics_get_config import (
        call as web_analytics_get_config,
    )
    from ._generated.operations.workflows_create import call as workflows_create

__all__ = [
    "agents_list",
    "auth_check_permission",
    "calendar_book",
    "calendar_busy",
    "calendar_reschedule",
    "engagement_like",
    "labels_export",
    "memory_update",
    "photo_analytics_list_media",
    "posts_list",
    "records_create",
    "records_update",
    "sidebar_replace",
    "templates_apply",
    "web_analytics_get_config",
    "workflows_create",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with IMPORTING:
        value = import_module(f"._generated.operations.{name}", __package__).call
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
