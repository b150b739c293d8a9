"""Resources: `{projectId}` is a UUID, also for operations that write.

The identifiers contain the run's tag, so that no project can have them. The requests are those that succeed with the
identifier of the project.
"""

from __future__ import annotations

import pytest

from project_platform_contract.rules.kinds import adds_to_a_project
from project_platform_contract.run.api import Api

from .support.parametrize import parametrize_operations
from .support.reading import discloses_nothing, refused
from .support.valid_requests import ValidRequests


@parametrize_operations("scope.project-uuid", adds_to_a_project)
@pytest.mark.parametrize("project", ["{tag}", "{uuid}-{tag}"])
def test_a_write_to_a_project_that_is_not_a_uuid_is_refused(
    api: Api, valid_requests: ValidRequests, operation: str, project: str
) -> None:
    """Also if it begins with one."""
    identifier = project.format(tag=valid_requests.tag, uuid=api.project)

    response = api(operation, **{**valid_requests(operation), "projectId": identifier})

    assert refused(response)
    assert discloses_nothing(response)
