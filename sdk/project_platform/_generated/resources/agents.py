"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING

from ...calls.operation import UNSET, Unset
from ...calls.page import PagedCall
from ...calls.pagination import AsyncPager, Pager
from ...calls.resource import AsyncResource, Resource
from ..models.agents import Agent, AgentsPage
from ..operations import agents_list

if TYPE_CHECKING:
    from ...calls.configuration import Options


class AgentsResource(Resource):
    """The `agents` of a project."""

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Pager[Agent]:
        """List the agent definitions of a project.

        All agent definitions of the project, in pages.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            page = project.agents.list(limit=2).first_page()
            print([agent.name for agent in page.items])
            ```

        Args:
            limit: Agents on a page, 1 to 100; the service chooses if not given.
            offset: Agents to skip, 0 or more; the service chooses if not given.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 12.
        """
        paged: PagedCall[AgentsPage, Agent] = PagedCall(
            agents_list.call(
                self._project_id,
                limit=limit,
                offset=offset,
            ),
            offset,
            lambda start: agents_list.call(
                self._project_id,
                limit=limit,
                offset=start,
            ),
            lambda page: (page.agents, page.pagination),
            lambda item: getattr(item, "id", None) or repr(item),
            Agent,
        )
        return Pager(paged, lambda call: self._caller.send(call, options=options))


class AsyncAgentsResource(AsyncResource):
    """The `agents` of a project, as coroutines."""

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        options: "Options | None" = None,
    ) -> AsyncPager[Agent]:
        """List the agent definitions of a project.

        Same as `AgentsResource.list`, but iterated with `async for`.
        """
        paged: PagedCall[AgentsPage, Agent] = PagedCall(
            agents_list.call(
                self._project_id,
                limit=limit,
                offset=offset,
            ),
            offset,
            lambda start: agents_list.call(
                self._project_id,
                limit=limit,
                offset=start,
            ),
            lambda page: (page.agents, page.pagination),
            lambda item: getattr(item, "id", None) or repr(item),
            Agent,
        )
        return AsyncPager(paged, lambda call: self._caller.send(call, options=options))
