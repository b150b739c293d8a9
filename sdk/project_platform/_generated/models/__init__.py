"""Every model, imported on first use. Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agent import Agent as Agent
    from .agents_page import AgentsPage as AgentsPage
    from .apply_template_body import ApplyTemplateBody as ApplyTemplateBody
    from .attendee import Attendee as Attendee
    from .booking_result import BookingResult as BookingResult
    from .busy_interval import BusyInterval as BusyInterval
    from .busy_response import BusyResponse as BusyResponse
    from .create_booking_body import CreateBookingBody as CreateBookingBody
    from .create_record_body import CreateRecordBody as CreateRecordBody
    from .create_workflow_body import CreateWorkflowBody as CreateWorkflowBody
    from .error_body import ErrorBody as ErrorBody
    from .export_labels_body import ExportLabelsBody as ExportLabelsBody
    from .label_stock import LabelStock as LabelStock
    from .like_body import LikeBody as LikeBody
    from .like_response import LikeResponse as LikeResponse
    from .mcp_server import McpServer as McpServer
    from .media_analytics import MediaAnalytics as MediaAnalytics
    from .media_list import MediaList as MediaList
    from .media_response import MediaResponse as MediaResponse
    from .memory_entry import MemoryEntry as MemoryEntry
    from .memory_response import MemoryResponse as MemoryResponse
    from .object_record import ObjectRecord as ObjectRecord
    from .pagination import Pagination as Pagination
    from .permission import Permission as Permission
    from .permission_check import PermissionCheck as PermissionCheck
    from .post_account import PostAccount as PostAccount
    from .post_media import PostMedia as PostMedia
    from .posts import Posts as Posts
    from .posts_response import PostsResponse as PostsResponse
    from .record_response import RecordResponse as RecordResponse
    from .replace_sidebar_body import ReplaceSidebarBody as ReplaceSidebarBody
    from .reschedule_event_body import RescheduleEventBody as RescheduleEventBody
    from .scheduled_post import ScheduledPost as ScheduledPost
    from .sidebar import Sidebar as Sidebar
    from .sidebar_item import SidebarItem as SidebarItem
    from .sidebar_response import SidebarResponse as SidebarResponse
    from .sidebar_section import SidebarSection as SidebarSection
    from .sub_project import SubProject as SubProject
    from .template_apply import TemplateApply as TemplateApply
    from .template_apply_result import TemplateApplyResult as TemplateApplyResult
    from .template_counts import TemplateCounts as TemplateCounts
    from .template_failure import TemplateFailure as TemplateFailure
    from .template_report import TemplateReport as TemplateReport
    from .template_response import TemplateResponse as TemplateResponse
    from .template_skip import TemplateSkip as TemplateSkip
    from .update_memory_body import UpdateMemoryBody as UpdateMemoryBody
    from .update_record_body import UpdateRecordBody as UpdateRecordBody
    from .web_analytics_config import WebAnalyticsConfig as WebAnalyticsConfig
    from .web_analytics_response import WebAnalyticsResponse as WebAnalyticsResponse
    from .workflow import Workflow as Workflow
    from .workflow_response import WorkflowResponse as WorkflowResponse

MODULES = {
    "Agent": "agent",
    "AgentsPage": "agents_page",
    "ApplyTemplateBody": "apply_template_body",
    "Attendee": "attendee",
    "BookingResult": "booking_result",
    "BusyInterval": "busy_interval",
    "BusyResponse": "busy_response",
    "CreateBookingBody": "create_booking_body",
    "CreateRecordBody": "create_record_body",
    "CreateWorkflowBody": "create_workflow_body",
    "ErrorBody": "error_body",
    "ExportLabelsBody": "export_labels_body",
    "LabelStock": "label_stock",
    "LikeBody": "like_body",
    "LikeResponse": "like_response",
    "McpServer": "mcp_server",
    "MediaAnalytics": "media_analytics",
    "MediaList": "media_list",
    "MediaResponse": "media_response",
    "MemoryEntry": "memory_entry",
    "MemoryResponse": "memory_response",
    "ObjectRecord": "object_record",
    "Pagination": "pagination",
    "Permission": "permission",
    "PermissionCheck": "permission_check",
    "PostAccount": "post_account",
    "PostMedia": "post_media",
    "Posts": "posts",
    "PostsResponse": "posts_response",
    "RecordResponse": "record_response",
    "ReplaceSidebarBody": "replace_sidebar_body",
    "RescheduleEventBody": "reschedule_event_body",
    "ScheduledPost": "scheduled_post",
    "Sidebar": "sidebar",
    "SidebarItem": "sidebar_item",
    "SidebarResponse": "sidebar_response",
    "SidebarSection": "sidebar_section",
    "SubProject": "sub_project",
    "TemplateApply": "template_apply",
    "TemplateApplyResult": "template_apply_result",
    "TemplateCounts": "template_counts",
    "TemplateFailure": "template_failure",
    "TemplateReport": "template_report",
    "TemplateResponse": "template_response",
    "TemplateSkip": "template_skip",
    "UpdateMemoryBody": "update_memory_body",
    "UpdateRecordBody": "update_record_body",
    "WebAnalyticsConfig": "web_analytics_config",
    "WebAnalyticsResponse": "web_analytics_response",
    "Workflow": "workflow",
    "WorkflowResponse": "workflow_response",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    module = MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value
