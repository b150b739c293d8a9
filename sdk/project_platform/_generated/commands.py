"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final, get_args

from ..commands.table import Argument, Command
from .models.enumerations import LabelStock, Permission

COMMANDS: Final[dict[str, Command]] = {
    "agents.list": Command(
        "agents.list",
        "List the agent definitions of a project.",
        description="All agent definitions of the project, in pages.",
        reads=True,
        in_project=True,
        paged=True,
        arguments=(
            Argument("limit", "limit", "integer", "Agents on a page, 1 to 100; the service chooses if not given."),
            Argument("offset", "offset", "integer", "Agents to skip, 0 or more; the service chooses if not given."),
        ),
        model="Agent",
        columns=("id", "name", "model", "description"),
    ),
    "auth.check_permission": Command(
        "auth.check_permission",
        "Check whether the caller holds a project permission.",
        description="A debug endpoint: it resolves the identity of the token and returns whether that identity holds the given project-scoped permission.",
        reads=True,
        arguments=(
            Argument(
                "permission",
                "permission",
                "text",
                "The permission to check, as `<resource>:<action>`.",
                positional=True,
                required=True,
                values=get_args(Permission),
            ),
        ),
    ),
    "calendar.book": Command(
        "calendar.book",
        "Book an event on the connected external calendar.",
        description="The event is written to the external calendar, and if it has an attendee with an email address, a real invitation is sent. If `--conflict-check` is true, the busy intervals are checked again immediately before the insert, and a slot that was taken meanwhile is a 409. The calendar connection must have the calendar-events write scope.",
        in_project=True,
        arguments=(
            Argument(
                "start",
                "start",
                "text",
                "Start of the event, an ISO 8601 timestamp. At least 1 character.",
                required=True,
            ),
            Argument("summary", "summary", "text", "Title of the event, at least 1 character.", required=True),
            Argument(
                "end",
                "end",
                "text",
                "End of the event, an ISO 8601 timestamp; start plus `--duration-minutes` if not given. At least 1 character.",
            ),
            Argument(
                "duration_minutes", "durationMinutes", "integer", "Length of the event in minutes, if no end is given."
            ),
            Argument(
                "time_zone",
                "timeZone",
                "text",
                "IANA time zone for start and end, such as Europe/Berlin. At least 1 character.",
            ),
            Argument("description", "description", "text", "Description of the event."),
            Argument(
                "calendar_id",
                "calendarId",
                "text",
                "The calendar to write to; the connected primary calendar if not given.",
            ),
            Argument(
                "attendee", "attendee", "json", "The person to invite. A real invitation is sent to the email address."
            ),
            Argument("metadata", "metadata", "json", "Free-form JSON stored with the event."),
            Argument(
                "conflict_check",
                "conflictCheck",
                "boolean",
                "Whether to check the busy intervals again before the insert; true if not given.",
            ),
        ),
        model="BookingResult",
    ),
    "calendar.busy": Command(
        "calendar.busy",
        "List the busy intervals of a calendar.",
        description="The intervals that overlap the range from `--time-min` (inclusive) to `--time-max` (exclusive).",
        reads=True,
        in_project=True,
        arguments=(
            Argument(
                "time_min",
                "timeMin",
                "text",
                "Start of the range, inclusive, an ISO 8601 timestamp. At least 1 character.",
                required=True,
            ),
            Argument(
                "time_max",
                "timeMax",
                "text",
                "End of the range, exclusive, an ISO 8601 timestamp. At least 1 character.",
                required=True,
            ),
            Argument(
                "calendar_id",
                "calendarId",
                "text",
                "The calendar to read; the connected primary calendar if not given.",
            ),
        ),
        model="BusyInterval",
    ),
    "calendar.reschedule": Command(
        "calendar.reschedule",
        "Move a calendar event, or change its title or description.",
        description="The event gets a new start and end, a new title and description, or both. Attendees are notified again unless `--notify-attendees` is false.",
        in_project=True,
        arguments=(
            Argument(
                "event_id",
                "eventId",
                "text",
                "Identifier of the calendar event, the `bookingUid` of its booking.",
                positional=True,
                required=True,
            ),
            Argument("calendar_id", "calendarId", "text", "Identifier of the calendar that the event is in."),
            Argument("start", "start", "text", "New start, an ISO 8601 timestamp. At least 1 character."),
            Argument("end", "end", "text", "New end, an ISO 8601 timestamp. At least 1 character."),
            Argument("duration_minutes", "durationMinutes", "integer", "New length in minutes, if no end is given."),
            Argument(
                "time_zone",
                "timeZone",
                "text",
                "IANA time zone for start and end, such as Europe/Berlin. At least 1 character.",
            ),
            Argument("summary", "summary", "text", "New title."),
            Argument("description", "description", "text", "New description."),
            Argument("conflict_check", "conflictCheck", "boolean", "Whether to check that the new slot is free."),
            Argument(
                "notify_attendees",
                "notifyAttendees",
                "boolean",
                "Whether attendees are notified again; true if not given.",
            ),
        ),
        model="BookingResult",
    ),
    "engagement.like": Command(
        "engagement.like",
        "Like a published page post as the page.",
        description="The like is given in the name of the connected page account, not of the caller.",
        in_project=True,
        arguments=(
            Argument(
                "post_id", "postId", "text", "Identifier of the published page post.", positional=True, required=True
            ),
            Argument("account_id", "accountId", "text", "Identifier of the connected page account.", required=True),
        ),
    ),
    "labels.export": Command(
        "labels.export",
        "Export meal labels as a PDF.",
        description="Landscape Letter pages with four labels per sheet, each 5 inches wide and 3.5 inches tall. The header `X-Label-Summary` contains URI-encoded JSON, and the full review is attached inside the PDF as `label-review.json`.",
        reads=True,
        in_project=True,
        saves=True,
        arguments=(
            Argument("menu_month", "menuMonth", "text", "The month of the menu, such as 2026-11."),
            Argument("item_ids", "itemIds", "texts", "The menu items to print labels for."),
            Argument(
                "include_unapproved", "includeUnapproved", "boolean", "Whether to include labels that are not approved."
            ),
            Argument(
                "stock", "stock", "text", "The label stock, width by height in inches.", values=get_args(LabelStock)
            ),
        ),
    ),
    "memory.update": Command(
        "memory.update",
        "Update a memory entry, addressed by its slug.",
        description="Only the fields that are given are updated.",
        in_project=True,
        arguments=(
            Argument(
                "slug",
                "slug",
                "text",
                "Slug of the memory entry; it may contain `/`, which is sent percent-encoded in one path segment.",
                positional=True,
                required=True,
            ),
            Argument("title", "title", "text", "Title."),
            Argument("description", "description", "text", "Description."),
            Argument("content", "content", "text", "Content."),
            Argument("metadata", "metadata", "json", "Free-form JSON; it replaces the previous value."),
        ),
        model="MemoryEntry",
    ),
    "photo_analytics.list_media": Command(
        "photo_analytics.list_media",
        "Read the media analytics of a photo-network account.",
        description="Engagement, reach and interaction figures, post by post.",
        reads=True,
        in_project=True,
        arguments=(
            Argument(
                "account_id",
                "accountId",
                "text",
                "Identifier of the connected photo-network account.",
                positional=True,
                required=True,
            ),
            Argument("filters", "filters", "pairs", "Query parameters by name, each sent unchanged."),
        ),
        model="MediaAnalytics",
        columns=("mediaId", "mediaType", "likeCount", "commentsCount", "reach", "caption"),
    ),
    "posts.list": Command(
        "posts.list",
        "List the scheduled posts of a project.",
        description="All scheduled posts that match the filters.",
        reads=True,
        in_project=True,
        arguments=(
            Argument("filters", "filters", "pairs", "Filters by name, each sent as a query parameter of that name."),
        ),
        model="ScheduledPost",
        columns=("id", "status", "scheduledFor", "caption"),
    ),
    "records.create": Command(
        "records.create",
        "Create an object record.",
        description="When the object type links to persons and the payload carries an identity that matches, the service attaches an existing person or creates one, and the returned record has `personRefId`.",
        in_project=True,
        arguments=(
            Argument("type_slug", "typeSlug", "text", "Identifier of the object type.", required=True),
            Argument("data", "data", "json", "Free-form JSON, keyed by field."),
            Argument("external_id", "externalId", "text", "Identifier of the record in another system."),
            Argument("relations", "relations", "json", "Relations to other records; the shape is not shown."),
        ),
        model="ObjectRecord",
    ),
    "records.update": Command(
        "records.update",
        "Update parts of an object record, with optional preconditions.",
        description="`--data` is merged into the record's data, and a key whose value is null is deleted. `--expected-data` is a precondition by JSON containment and `--expected-status` one on the status: if either is stale the response is a 409 and the record does not change. On a person-linked type, data that contains an identity may refresh `personRefId`.",
        in_project=True,
        arguments=(
            Argument(
                "record_id", "recordId", "text", "Identifier of the object record.", positional=True, required=True
            ),
            Argument("data", "data", "json", "Merged into the record's data; a key whose value is null is deleted."),
            Argument("external_id", "externalId", "text", "Identifier of the record in another system."),
            Argument(
                "expected_data", "expectedData", "json", "Precondition; the record's data must contain this JSON."
            ),
            Argument("expected_status", "expectedStatus", "text", "Precondition; the record's status must be this."),
            Argument("relations", "relations", "json", "Relations to other records; the shape is not shown."),
        ),
        model="ObjectRecord",
    ),
    "sidebar.replace": Command(
        "sidebar.replace",
        "Replace the sections of a project's dashboard sidebar.",
        description="The whole list of sections is replaced. Hiding an entry does not remove permissions: callers who may read the resource behind it can still reach it by its URL.",
        in_project=True,
        arguments=(Argument("sections", "sections", "json", "All sections, in order.", required=True),),
        model="Sidebar",
    ),
    "templates.apply": Command(
        "templates.apply",
        "Create a sub-project and apply a template to it.",
        description="A new sub-project is created under the project, and the template is applied to it. `--variable-values` gives a value for each `{{variable}}` that the template declares. The report lists what was applied and what failed. The caller needs the permission `sub_projects:write` on the parent project.",
        in_project=True,
        arguments=(
            Argument(
                "template_id",
                "templateId",
                "text",
                "Identifier of the project template.",
                positional=True,
                required=True,
            ),
            Argument("name", "name", "text", "Name of the new sub-project.", required=True),
            Argument(
                "variable_values", "variableValues", "json", "Value of each `{{variable}}` that the template declares."
            ),
        ),
        model="TemplateApplyResult",
    ),
    "web_analytics.get_config": Command(
        "web_analytics.get_config",
        "Read the web-analytics configuration of a project.",
        description="The configuration is null while web analytics is not configured.",
        reads=True,
        in_project=True,
    ),
    "workflows.create": Command(
        "workflows.create",
        "Create a workflow.",
        description="The caller must be a real user: a service account is refused, because the executor needs one unambiguous principal when it dispatches. New integrations should use the workflow-drafts resource and activate a workflow only after its readiness was reviewed; `--is-active` remains for backward compatibility.",
        in_project=True,
        arguments=(
            Argument("name", "name", "text", "Name, 1 to 200 characters.", required=True),
            Argument(
                "trigger_type_slug",
                "triggerTypeSlug",
                "text",
                "Slug of the trigger's type, 1 to 120 characters.",
                required=True,
            ),
            Argument(
                "trigger_event_type",
                "triggerEventType",
                "text",
                "Type of the triggering event, 1 to 120 characters; the possible types are not shown.",
                required=True,
            ),
            Argument("actions", "actions", "json", "What the workflow does; the shape of an element is not shown."),
            Argument("description", "description", "text", "Description, at most 1000 characters."),
            Argument("tags", "tags", "texts", "At most 12 tags, each 1 to 40 characters."),
            Argument(
                "trigger_condition",
                "triggerCondition",
                "json",
                "Condition on the trigger; any JSON, its shape is not shown.",
            ),
            Argument(
                "is_active",
                "isActive",
                "boolean",
                "Exists for backward compatibility; activate a workflow through workflow drafts.",
            ),
        ),
        model="Workflow",
    ),
}
