"""Which responses prove something, and which requests are repeated until one does."""

import httpx
import pytest

from project_platform_contract.fuse import BlockedError
from project_platform_contract.run.conclusive import Conclusive, InconclusiveError, Repeat, UnknownFates

REQUEST = httpx.Request("POST", "https://platform.example/projects/p/object-records", json={"data": {}})
LOST = httpx.ReadError("reset")
TIMEOUT = httpx.ReadTimeout("slow")
HEALTHY, SICK = [True] * 9, [False]


class Trial:
    """Sends a request whose outcomes are known in advance.

    Args:
        outcomes: Statuses and exceptions, in order.
        controls: Whether the control requests succeed, in order.
        after: Value of `Retry-After` in every response.
    """

    def __init__(self, *outcomes, controls=HEALTHY, after=None):
        self.slept = []
        self.sent = 0
        self.controlled = 0
        self._outcomes = list(outcomes)
        self._controls = list(controls)
        self._headers = {} if after is None else {"Retry-After": after}
        self.conclusive = Conclusive(self._control, self.slept.append)

    def status(self, repeat=Repeat.ALWAYS):
        return self.conclusive.response(self._send, "records_create", repeat).status_code

    def _send(self):
        self.sent += 1
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return httpx.Response(outcome, request=REQUEST, headers=self._headers)

    def _control(self, operation):
        assert operation == "records_create"
        self.controlled += 1
        return self._controls.pop(0)


@pytest.mark.parametrize("outcome", [502, 503, 504, 520, 408, 425, 429, LOST])
def test_a_read_is_repeated_after_a_response_that_proves_nothing(outcome):
    trial = Trial(outcome, outcome, 200)

    assert trial.status() == 200
    assert trial.slept == [0.1, 0.2]


@pytest.mark.parametrize("outcomes", [[502], [503], [504], [LOST], [TIMEOUT], [429, LOST]])
@pytest.mark.parametrize("repeat", [Repeat.FAILURE, Repeat.NEVER])
def test_a_write_is_not_repeated(outcomes, repeat):
    """It may have been applied."""
    trial = Trial(*outcomes)

    with pytest.raises(InconclusiveError, match="records_create may have been applied, and a write is not repeated"):
        trial.status(repeat)
    assert trial.sent == len(outcomes)


@pytest.mark.parametrize("outcome", [200, 204, 301, 400, 401, 403, 404, 409, 413, 422])
@pytest.mark.parametrize("repeat", Repeat)
def test_any_other_response_is_conclusive(outcome, repeat):
    trial = Trial(outcome)

    assert trial.status(repeat) == outcome
    assert (trial.sent, trial.controlled) == (1, 0)


def test_a_sick_service_gets_no_repetitions():
    """Until one of its responses proves something."""
    trial = Trial(*[503] * 25, 503, 200, 503, 200)
    for _ in range(6):
        with pytest.raises(InconclusiveError):
            trial.status()
    assert trial.sent == 26

    assert trial.status() == 200
    assert trial.status() == 200


@pytest.mark.parametrize("repeat", Repeat)
def test_a_retry_after_is_waited_for(repeat):
    """Also before a write is sent again: a limit refuses it, so it was not applied."""
    trial = Trial(429, 429, 200, after="7")

    assert trial.status(repeat) == 200
    assert trial.slept == [7, 7]


@pytest.mark.parametrize("status", [500, 501])
@pytest.mark.parametrize("repeat", [Repeat.ALWAYS, Repeat.FAILURE])
def test_a_reproducible_failure_is_conclusive(status, repeat):
    """The service fails because of this request: others succeed before, between and after."""
    trial = Trial(*[status] * 5)

    assert trial.status(repeat) == status
    assert (trial.sent, trial.controlled) == (5, 5)


def test_a_read_that_fails_once_or_twice_has_its_response():
    assert Trial(500, 500, 200).status() == 200


BOTH = r"was answered with 500 .* and with 201 Created when it was repeated"
SO_WAS = "so was a request that has nothing to do with it"
INCONCLUSIVE = {
    "a read is given up after five attempts": (Trial(*[503] * 5), Repeat.ALWAYS, "503 Service Unavailable", 5),
    "a timeout has waited long enough": (Trial(TIMEOUT), Repeat.ALWAYS, "no response: ReadTimeout: slow", 1),
    "a write may have been applied twice": (Trial(500, 201), Repeat.FAILURE, BOTH, 2),
    "a write may have been applied": (Trial(500), Repeat.NEVER, "500 .*; it may have been applied", 1),
    "the service is sick before": (Trial(*[500] * 5, controls=[False]), Repeat.ALWAYS, SO_WAS, 1),
    "the service is sick between": (Trial(*[500] * 5, controls=[True, False]), Repeat.ALWAYS, SO_WAS, 2),
    "the service is sick after": (Trial(*[500] * 5, controls=[True] * 4 + [False]), Repeat.ALWAYS, SO_WAS, 5),
}


@pytest.mark.parametrize(("trial", "repeat", "message", "sent"), INCONCLUSIVE.values(), ids=list(INCONCLUSIVE))
def test_other_failures_prove_nothing(trial, repeat, message, sent):
    with pytest.raises(InconclusiveError, match=message):
        trial.status(repeat)
    assert trial.sent == sent


@pytest.mark.parametrize(("after", "slept"), [("31", []), ("3", [3] * 5)])
@pytest.mark.parametrize("repeat", Repeat)
def test_a_long_limit_ends_the_rule_and_the_request_after_a_limited_one_waits(after, repeat, slept):
    trial = Trial(*[429] * 5, after=after)

    with pytest.raises(InconclusiveError, match="429 Too Many Requests"):
        trial.status(repeat)
    assert trial.slept == slept


def test_a_request_that_was_held_back_is_not_repeated():
    with pytest.raises(BlockedError):
        Trial(BlockedError("no")).status()


def test_an_irreversible_request_of_unknown_fate_is_not_sent_again():
    """By no test of the run; the same request to another resource may be sent."""
    fates = UnknownFates()
    other = httpx.Request("POST", "https://platform.example/projects/other", json={"data": {}})
    with pytest.raises(InconclusiveError, match="lost"), fates.guard(REQUEST, "irreversible"):
        raise InconclusiveError("lost")
    with pytest.raises(InconclusiveError, match="lost"), fates.guard(other, "write"):
        raise InconclusiveError("lost")

    with fates.guard(other, "write"):
        pass
    with (
        pytest.raises(InconclusiveError, match="the same request was sent before"),
        fates.guard(REQUEST, "irreversible"),
    ):
        pass
