"""What the service does: the rule of each operation, by operationId."""

from __future__ import annotations

from . import (
    agents,
    auth,
    calendar,
    engagement,
    labels,
    memory,
    photo_analytics,
    posts,
    records,
    sidebar,
    templates,
    web_analytics,
    workflows,
)
from .call import Rule

RULES: dict[str, Rule] = {
    "auth_check_permission": auth.check_permission,
    "workflows_create": workflows.create,
    "records_create": records.create,
    "records_update": records.update,
    "calendar_book": calendar.book,
    "calendar_reschedule": calendar.reschedule,
    "calendar_busy": calendar.busy,
    "sidebar_replace": sidebar.replace,
    "templates_apply": templates.apply,
    "memory_update": memory.update,
    "engagement_like": engagement.like,
    "agents_list": agents.list_page,
    "web_analytics_get_config": web_analytics.get_config,
    "posts_list": posts.list_all,
    "photo_analytics_list_media": photo_analytics.list_media,
    "labels_export": labels.export,
}
