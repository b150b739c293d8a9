"""Applications of templates are sent once, answered or not: none can be undone."""

from types import SimpleNamespace

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.suite.support.applications import Applications

RUN = SimpleNamespace(tag="contract-1", data={"template": "tpl_1", "template_variables": {"client": "Acme"}})


class Service:
    """Answers an application, or loses the connection."""

    def __init__(self, *, answers):
        self.answers = answers
        self.names = []
        self.exchanges = []

    def __call__(self, operation, **arguments):
        self.names.append(arguments["json"]["name"])
        if not self.answers:
            raise httpx.ReadError("the connection was lost")
        return httpx.Response(200, request=httpx.Request("POST", "http://stub.localhost/"))


def test_tests_share_the_response_to_an_application():
    applications, service = Applications(RUN), Service(answers=True)

    assert applications.whole(service) is applications.whole(service)
    assert service.names == ["contract-1 whole"]
    assert [exchange.operation for exchange in service.exchanges] == ["templates_apply"]


def test_an_application_without_a_response_is_not_sent_again():
    applications, service = Applications(RUN), Service(answers=False)

    with pytest.raises(httpx.ReadError):
        applications.whole(service)
    with pytest.raises(MissingError, match="is not repeated"):
        applications.whole(service)
    assert service.names == ["contract-1 whole"]
