"""The resources, one property each, imported on first use. Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING

from ..first_use import IMPORTING

if TYPE_CHECKING:
    from ..calendar.resource import AsyncCalendarResource, CalendarResource
    from ..calls.resource import AsyncCaller, Caller
    from ..labels.resource import AsyncLabelsResource, LabelsResource
    from ..records.resource import AsyncRecordsResource, RecordsResource
    from .resources.agents import AgentsResource, AsyncAgentsResource
    from .resources.auth import AsyncAuthResource, AuthResource
    from .resources.engagement import AsyncEngagementResource, EngagementResource
    from .resources.memory import AsyncMemoryResource, MemoryResource
    from .resources.photo_analytics import (
        AsyncPhotoAnalyticsResource,
        PhotoAnalyticsResource,
    )
    from .resources.posts import AsyncPostsResource, PostsResource
    from .resources.sidebar import AsyncSidebarResource, SidebarResource
    from .resources.templates import AsyncTemplatesResource, TemplatesResource
    from .resources.web_analytics import AsyncWebAnalyticsResource, WebAnalyticsResource
    from .resources.workflows import AsyncWorkflowsResource, WorkflowsResource


class ClientScope:
    """The resources of the service itself."""

    @property
    def auth(self: "Caller") -> "AuthResource":
        """Check whether the caller holds a project permission."""
        with IMPORTING:
            from .resources.auth import AuthResource

        return AuthResource(self, "")


class AsyncClientScope:
    """The resources of the service itself, as coroutines."""

    @property
    def auth(self: "AsyncCaller") -> "AsyncAuthResource":
        """Check whether the caller holds a project permission."""
        with IMPORTING:
            from .resources.auth import AsyncAuthResource

        return AsyncAuthResource(self, "")


class ProjectScope:
    """The resources of a project."""

    _caller: "Caller"
    _project_id: str

    @property
    def agents(self) -> "AgentsResource":
        """List the agent definitions of a project."""
        with IMPORTING:
            from .resources.agents import AgentsResource

        return AgentsResource(self._caller, self._project_id)

    @property
    def calendar(self) -> "CalendarResource":
        """Book an event on the connected external calendar. List the busy intervals of a calendar. Move a calendar event, or change its title or description."""
        with IMPORTING:
            from ..calendar.resource import CalendarResource

        return CalendarResource(self._caller, self._project_id)

    @property
    def engagement(self) -> "EngagementResource":
        """Like a published page post as the page."""
        with IMPORTING:
            from .resources.engagement import EngagementResource

        return EngagementResource(self._caller, self._project_id)

    @property
    def labels(self) -> "LabelsResource":
        """Export meal labels as a PDF."""
        with IMPORTING:
            from ..labels.resource import LabelsResource

        return LabelsResource(self._caller, self._project_id)

    @property
    def memory(self) -> "MemoryResource":
        """Update a memory entry, addressed by its slug."""
        with IMPORTING:
            from .resources.memory import MemoryResource

        return MemoryResource(self._caller, self._project_id)

    @property
    def photo_analytics(self) -> "PhotoAnalyticsResource":
        """Read the media analytics of a photo-network account."""
        with IMPORTING:
            from .resources.photo_analytics import PhotoAnalyticsResource

        return PhotoAnalyticsResource(self._caller, self._project_id)

    @property
    def posts(self) -> "PostsResource":
        """List the scheduled posts of a project."""
        with IMPORTING:
            from .resources.posts import PostsResource

        return PostsResource(self._caller, self._project_id)

    @property
    def records(self) -> "RecordsResource":
        """Create an object record. Update parts of an object record, with optional preconditions."""
        with IMPORTING:
            from ..records.resource import RecordsResource

        return RecordsResource(self._caller, self._project_id)

    @property
    def sidebar(self) -> "SidebarResource":
        """Replace the sections of a project's dashboard sidebar."""
        with IMPORTING:
            from .resources.sidebar import SidebarResource

        return SidebarResource(self._caller, self._project_id)

    @property
    def templates(self) -> "TemplatesResource":
        """Create a sub-project and apply a template to it."""
        with IMPORTING:
            from .resources.templates import TemplatesResource

        return TemplatesResource(self._caller, self._project_id)

    @property
    def web_analytics(self) -> "WebAnalyticsResource":
        """Read the web-analytics configuration of a project."""
        with IMPORTING:
            from .resources.web_analytics import WebAnalyticsResource

        return WebAnalyticsResource(self._caller, self._project_id)

    @property
    def workflows(self) -> "WorkflowsResource":
        """Create a workflow."""
        with IMPORTING:
            from .resources.workflows import WorkflowsResource

        return WorkflowsResource(self._caller, self._project_id)


class AsyncProjectScope:
    """The resources of a project, as coroutines."""

    _caller: "AsyncCaller"
    _project_id: str

    @property
    def agents(self) -> "AsyncAgentsResource":
        """List the agent definitions of a project."""
        with IMPORTING:
            from .resources.agents import AsyncAgentsResource

        return AsyncAgentsResource(self._caller, self._project_id)

    @property
    def calendar(self) -> "AsyncCalendarResource":
        """Book an event on the connected external calendar. List the busy intervals of a calendar. Move a calendar event, or change its title or description."""
        with IMPORTING:
            from ..calendar.resource import AsyncCalendarResource

        return AsyncCalendarResource(self._caller, self._project_id)

    @property
    def engagement(self) -> "AsyncEngagementResource":
        """Like a published page post as the page."""
        with IMPORTING:
            from .resources.engagement import AsyncEngagementResource

        return AsyncEngagementResource(self._caller, self._project_id)

    @property
    def labels(self) -> "AsyncLabelsResource":
        """Export meal labels as a PDF."""
        with IMPORTING:
            from ..labels.resource import AsyncLabelsResource

        return AsyncLabelsResource(self._caller, self._project_id)

    @property
    def memory(self) -> "AsyncMemoryResource":
        """Update a memory entry, addressed by its slug."""
        with IMPORTING:
            from .resources.memory import AsyncMemoryResource

        return AsyncMemoryResource(self._caller, self._project_id)

    @property
    def photo_analytics(self) -> "AsyncPhotoAnalyticsResource":
        """Read the media analytics of a photo-network account."""
        with IMPORTING:
            from .resources.photo_analytics import AsyncPhotoAnalyticsResource

        return AsyncPhotoAnalyticsResource(self._caller, self._project_id)

    @property
    def posts(self) -> "AsyncPostsResource":
        """List the scheduled posts of a project."""
        with IMPORTING:
            from .resources.posts import AsyncPostsResource

        return AsyncPostsResource(self._caller, self._project_id)

    @property
    def records(self) -> "AsyncRecordsResource":
        """Create an object record. Update parts of an object record, with optional preconditions."""
        with IMPORTING:
            from ..records.resource import AsyncRecordsResource

        return AsyncRecordsResource(self._caller, self._project_id)

    @property
    def sidebar(self) -> "AsyncSidebarResource":
        """Replace the sections of a project's dashboard sidebar."""
        with IMPORTING:
            from .resources.sidebar import AsyncSidebarResource

        return AsyncSidebarResource(self._caller, self._project_id)

    @property
    def templates(self) -> "AsyncTemplatesResource":
        """Create a sub-project and apply a template to it."""
        with IMPORTING:
            from .resources.templates import AsyncTemplatesResource

        return AsyncTemplatesResource(self._caller, self._project_id)

    @property
    def web_analytics(self) -> "AsyncWebAnalyticsResource":
        """Read the web-analytics configuration of a project."""
        with IMPORTING:
            from .resources.web_analytics import AsyncWebAnalyticsResource

        return AsyncWebAnalyticsResource(self._caller, self._project_id)

    @property
    def workflows(self) -> "AsyncWorkflowsResource":
        """Create a workflow."""
        with IMPORTING:
            from .resources.workflows import AsyncWorkflowsResource

        return AsyncWorkflowsResource(self._caller, self._project_id)
