"""What the service does, Resources: a project is the scope of what is asked, and how identifiers and times are written."""

from __future__ import annotations

from .per_operation import each, of_a_project, of_a_project_and_reads
from .rule import Rule

RULES = (
    *each(
        "scope.outsider-refused",
        "{operation} refuses a caller who is no member of the project, and tells nothing of it.",
        "What the service does; Authentication 4",
        of_a_project,
    ),
    *each(
        "scope.foreign-project-refused",
        "{operation} refuses a project that the caller is no member of, or that does not exist, and tells nothing of it.",
        "What the service does; Authentication 4",
        of_a_project_and_reads,
    ),
    *(
        Rule(
            f"scope.own-things.{operation.replace('_', '-')}",
            statement,
            "What the service does",
            operation,
            "read",
        )
        for operation, statement in (
            ("agents_list", "Agents that are listed are those of the project that was asked."),
            ("web_analytics_get_config", "A configuration that is answered is that of the project that was asked."),
            ("posts_list", "Posts that are listed are those of the project that was asked."),
            ("photo_analytics_list_media", "An account of one project has no figures in another."),
        )
    ),
    Rule(
        "scope.own-things.memory-update",
        "An entry of one project is not updated through another.",
        "What the service does",
        "memory_update",
        "write",
    ),
    Rule(
        "scope.own-things.engagement-like",
        "A post of one project is not liked through another.",
        "What the service does",
        "engagement_like",
        "notify",
    ),
    *each(
        "scope.project-uuid",
        "{operation} refuses a project whose identifier is no UUID.",
        "Resources",
        of_a_project_and_reads,
    ),
    Rule(
        "fields.identifiers",
        "All identifiers are text.",
        "Resources",
        None,
        "read",
    ),
    Rule(
        "fields.timestamps",
        "Timestamps are ISO 8601 date-times.",
        "Resources",
        None,
        "read",
    ),
)
