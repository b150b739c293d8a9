"""Which requests a sequence shows for a difference."""

import httpx

from project_platform_contract.run.exchange import Exchange
from project_platform_contract.suite.model.stream import Stream


def sent(name, status):
    request = httpx.Request("POST", "https://api.example.com/workflows", json={"name": name})
    return Exchange(httpx.Response(status, request=request, json={}))


def test_a_difference_shows_the_requests_about_its_object_up_to_that_which_shows_it():
    """Also a refused one, whose response does not name the object; not those that looked for the reason afterwards."""
    stream = Stream(None, seed=1)
    exchanges = stream._exchanges
    exchanges += [sent("mine", 201), sent("another", 201), sent("mine", 400)]
    refused = stream.sent
    exchanges += [sent("mine", 201)]

    assert not stream.check("a rule", "it was refused", "mine", until=refused)

    assert stream.checks.differences["a rule"].exchanges == [exchanges[0], exchanges[2]]
