"""What the service does, Resources: a project is the scope of every request; formats of identifiers and timestamps."""

from __future__ import annotations

from project_platform_contract.operations import operations

from .per_operation import dashed, of_a_project, of_a_project_and_reads, rule_per_operation
from .rule import Rule

# Operations that read, and whose tests send updates between the reads.
_ANY_ORDER = (
    *("agents_list", "web_analytics_get_config", "posts_list", "photo_analytics_list_media", "labels_export"),
)

RULES = (
    *rule_per_operation(
        "scope.outsider-refused",
        "{operation} refuses a caller who is not a member of the project, and discloses nothing about it.",
        "What the service does; Authentication 4",
        of_a_project,
        inferred=True,
    ),
    *rule_per_operation(
        "scope.foreign-project-refused",
        "{operation} refuses a project that does not exist or has other members, and discloses nothing about it.",
        "What the service does; Authentication 4",
        of_a_project_and_reads,
        inferred=True,
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
            ("agents_list", "Only agents of the addressed project are listed."),
            ("web_analytics_get_config", "The configuration is that of the addressed project."),
            ("posts_list", "Only posts of the addressed project are listed."),
            ("photo_analytics_list_media", "An account of one project has no figures in another."),
        )
    ),
    Rule(
        "scope.own-things.memory-update",
        "A memory entry cannot be updated through another project.",
        "What the service does",
        "memory_update",
        "write",
    ),
    Rule(
        "scope.own-things.engagement-like",
        "A post cannot be liked through another project.",
        "What the service does",
        "engagement_like",
        "notify",
    ),
    *rule_per_operation(
        "scope.project-uuid",
        "{operation} refuses a project identifier that is not a UUID.",
        "Resources",
        of_a_project_and_reads,
        inferred=True,
    ),
    *(
        Rule(
            f"scope.any-order.{dashed(operation.id)}",
            f"{operation.id} answers each request for its caller, its project and its parameters, whatever was requested before.",
            f"What the service does; {operation.section}, response",
            operation.id,
            "write",
        )
        for operation in operations()
        if operation.id in _ANY_ORDER
    ),
    Rule(
        "fields.identifiers",
        "All identifiers are strings.",
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
