"""The models of the service, imported on first use. Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING, Any

from .first_use import IMPORTING

if TYPE_CHECKING:
    from ._generated.models.agents import Agent, AgentsPage, McpServer, Pagination
    from ._generated.models.auth import PermissionCheck
    from ._generated.models.calendar import (
        Attendee,
        BookingResult,
        BusyInterval,
        BusyResponse,
        CreateBookingBody,
        RescheduleEventBody,
    )
    from ._generated.models.engagement import LikeBody, LikeResponse
    from ._generated.models.enumerations import LabelStock, Permission
    from ._generated.models.labels import ExportLabelsBody
    from ._generated.models.memory import MemoryEntry, MemoryResponse, UpdateMemoryBody
    from ._generated.models.photo_analytics import (
        MediaAnalytics,
        MediaList,
        MediaResponse,
    )
    from ._generated.models.posts import (
        PostAccount,
        PostMedia,
        Posts,
        PostsResponse,
        ScheduledPost,
    )
    from ._generated.models.records import (
        CreateRecordBody,
        ObjectRecord,
        RecordResponse,
        UpdateRecordBody,
    )
    from ._generated.models.shared import ErrorBody
    from ._generated.models.sidebar import (
        ReplaceSidebarBody,
        Sidebar,
        SidebarItem,
        SidebarResponse,
        SidebarSection,
    )
    from ._generated.models.templates import (
        ApplyTemplateBody,
        SubProject,
        TemplateApply,
        TemplateApplyResult,
        TemplateCounts,
        TemplateFailure,
        TemplateReport,
        TemplateResponse,
        TemplateSkip,
    )
    from ._generated.models.web_analytics import (
        WebAnalyticsConfig,
        WebAnalyticsResponse,
    )
    from ._generated.models.workflows import (
        CreateWorkflowBody,
        Workflow,
        WorkflowResponse,
    )

_NAMES = {
    "agents": "Agent AgentsPage McpServer Pagination",
    "auth": "PermissionCheck",
    "calendar": "Attendee BookingResult BusyInterval BusyResponse CreateBookingBody RescheduleEventBody",
    "engagement": "LikeBody LikeResponse",
    "enumerations": "LabelStock Permission",
    "labels": "ExportLabelsBody",
    "memory": "MemoryEntry MemoryResponse UpdateMemoryBody",
    "photo_analytics": "MediaAnalytics MediaList MediaResponse",
    "posts": "PostAccount PostMedia Posts PostsResponse ScheduledPost",
    "records": "CreateRecordBody ObjectRecord RecordResponse UpdateRecordBody",
    "shared": "ErrorBody",
    "sidebar": "ReplaceSidebarBody Sidebar SidebarItem SidebarResponse SidebarSection",
    "templates": "ApplyTemplateBody SubProject TemplateApply TemplateApplyResult TemplateCounts TemplateFailure TemplateReport TemplateResponse TemplateSkip",
    "web_analytics": "WebAnalyticsConfig WebAnalyticsResponse",
    "workflows": "CreateWorkflowBody Workflow WorkflowResponse",
}

__all__ = [
    "Agent",
    "AgentsPage",
    "ApplyTemplateBody",
    "Attendee",
    "BookingResult",
    "BusyInterval",
    "BusyResponse",
    "CreateBookingBody",
    "CreateRecordBody",
    "CreateWorkflowBody",
    "ErrorBody",
    "ExportLabelsBody",
    "LabelStock",
    "LikeBody",
    "LikeResponse",
    "McpServer",
    "MediaAnalytics",
    "MediaList",
    "MediaResponse",
    "MemoryEntry",
    "MemoryResponse",
    "ObjectRecord",
    "Pagination",
    "Permission",
    "PermissionCheck",
    "PostAccount",
    "PostMedia",
    "Posts",
    "PostsResponse",
    "RecordResponse",
    "ReplaceSidebarBody",
    "RescheduleEventBody",
    "ScheduledPost",
    "Sidebar",
    "SidebarItem",
    "SidebarResponse",
    "SidebarSection",
    "SubProject",
    "TemplateApply",
    "TemplateApplyResult",
    "TemplateCounts",
    "TemplateFailure",
    "TemplateReport",
    "TemplateResponse",
    "TemplateSkip",
    "UpdateMemoryBody",
    "UpdateRecordBody",
    "WebAnalyticsConfig",
    "WebAnalyticsResponse",
    "Workflow",
    "WorkflowResponse",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    module = next((module for module, names in _NAMES.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with IMPORTING:
        value = getattr(import_module(f"._generated.models.{module}", __package__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
