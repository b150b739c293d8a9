"""The models of the service, generated from `openapi.yaml` and imported on first use."""

from typing import TYPE_CHECKING, Any

from ._generated import models as _generated

if TYPE_CHECKING:
    from ._generated.models import Agent as Agent
    from ._generated.models import AgentAccess as AgentAccess
    from ._generated.models import AgentsPage as AgentsPage
    from ._generated.models import ApplyTemplateBody as ApplyTemplateBody
    from ._generated.models import Attendee as Attendee
    from ._generated.models import BookingResult as BookingResult
    from ._generated.models import BusyAnswer as BusyAnswer
    from ._generated.models import BusyInterval as BusyInterval
    from ._generated.models import CreateBookingBody as CreateBookingBody
    from ._generated.models import CreateRecordBody as CreateRecordBody
    from ._generated.models import CreateWorkflowBody as CreateWorkflowBody
    from ._generated.models import ErrorBody as ErrorBody
    from ._generated.models import ExportLabelsBody as ExportLabelsBody
    from ._generated.models import LabelStock as LabelStock
    from ._generated.models import LikeAnswer as LikeAnswer
    from ._generated.models import LikeBody as LikeBody
    from ._generated.models import McpServer as McpServer
    from ._generated.models import MediaAnalytics as MediaAnalytics
    from ._generated.models import MediaAnswer as MediaAnswer
    from ._generated.models import MediaList as MediaList
    from ._generated.models import MemoryAnswer as MemoryAnswer
    from ._generated.models import MemoryEntry as MemoryEntry
    from ._generated.models import ObjectRecord as ObjectRecord
    from ._generated.models import Pagination as Pagination
    from ._generated.models import Permission as Permission
    from ._generated.models import PermissionCheck as PermissionCheck
    from ._generated.models import PostAccount as PostAccount
    from ._generated.models import PostMedia as PostMedia
    from ._generated.models import Posts as Posts
    from ._generated.models import PostsAnswer as PostsAnswer
    from ._generated.models import RecordAnswer as RecordAnswer
    from ._generated.models import ReplaceSidebarBody as ReplaceSidebarBody
    from ._generated.models import RescheduleEventBody as RescheduleEventBody
    from ._generated.models import ScheduledPost as ScheduledPost
    from ._generated.models import Sidebar as Sidebar
    from ._generated.models import SidebarAnswer as SidebarAnswer
    from ._generated.models import SidebarItem as SidebarItem
    from ._generated.models import SidebarSection as SidebarSection
    from ._generated.models import SubProject as SubProject
    from ._generated.models import TemplateAnswer as TemplateAnswer
    from ._generated.models import TemplateApply as TemplateApply
    from ._generated.models import TemplateApplyResult as TemplateApplyResult
    from ._generated.models import TemplateCounts as TemplateCounts
    from ._generated.models import TemplateFailure as TemplateFailure
    from ._generated.models import TemplateReport as TemplateReport
    from ._generated.models import TemplateSkip as TemplateSkip
    from ._generated.models import ToolCategory as ToolCategory
    from ._generated.models import UpdateMemoryBody as UpdateMemoryBody
    from ._generated.models import UpdateRecordBody as UpdateRecordBody
    from ._generated.models import WebAnalyticsAnswer as WebAnalyticsAnswer
    from ._generated.models import WebAnalyticsConfig as WebAnalyticsConfig
    from ._generated.models import Workflow as Workflow
    from ._generated.models import WorkflowAnswer as WorkflowAnswer

__all__ = [
    "Agent",
    "AgentAccess",
    "AgentsPage",
    "ApplyTemplateBody",
    "Attendee",
    "BookingResult",
    "BusyAnswer",
    "BusyInterval",
    "CreateBookingBody",
    "CreateRecordBody",
    "CreateWorkflowBody",
    "ErrorBody",
    "ExportLabelsBody",
    "LabelStock",
    "LikeAnswer",
    "LikeBody",
    "McpServer",
    "MediaAnalytics",
    "MediaAnswer",
    "MediaList",
    "MemoryAnswer",
    "MemoryEntry",
    "ObjectRecord",
    "Pagination",
    "Permission",
    "PermissionCheck",
    "PostAccount",
    "PostMedia",
    "Posts",
    "PostsAnswer",
    "RecordAnswer",
    "ReplaceSidebarBody",
    "RescheduleEventBody",
    "ScheduledPost",
    "Sidebar",
    "SidebarAnswer",
    "SidebarItem",
    "SidebarSection",
    "SubProject",
    "TemplateAnswer",
    "TemplateApply",
    "TemplateApplyResult",
    "TemplateCounts",
    "TemplateFailure",
    "TemplateReport",
    "TemplateSkip",
    "ToolCategory",
    "UpdateMemoryBody",
    "UpdateRecordBody",
    "WebAnalyticsAnswer",
    "WebAnalyticsConfig",
    "Workflow",
    "WorkflowAnswer",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_generated, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
