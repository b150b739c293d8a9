"""The policy: how often, how fast, and what a service that asks for patience gets."""

from __future__ import annotations

import datetime
from email.utils import format_datetime

import pytest
import tenacity

from project_platform import ConnectionLostError, NotSentError, Response, RetryPolicy, UsageError
from project_platform.calls.headers import Headers
from project_platform.calls.retry import repeatable, retry_after

BUSY = Response(503)
LOST = ConnectionLostError("the connection broke")
NOW = 1_800_000_000.0


def delay(policy, attempt=1, outcome=BUSY, **more):
    """Return what a policy says after an attempt of a call that is safe to repeat."""
    return policy.delay(attempt, outcome, **{"retry": "safe", "elapsed": 0.0, "now": NOW, **more})


@pytest.mark.parametrize(
    ("requested", "seconds"),
    [
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": " 7 "}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "-1", "retry-after": "9"}, 9.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "Fri, 99 Nov 2026 99:99:99 GMT"}, None),
        ({"retry-after": "Fri, 20 Nov 99999 10:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after_headers_are_parsed(requested, seconds):
    """Seconds, milliseconds or a date; a header that cannot be read is ignored."""
    assert retry_after(Headers(requested), NOW) == seconds


@pytest.mark.parametrize(("away", "seconds"), [(30, 30.0), (0, 0.0), (-3600, 0.0)])
def test_a_date_is_read_as_the_time_until_then(away, seconds):
    date = datetime.datetime.fromtimestamp(NOW + away, datetime.UTC)

    headers = {"retry-after": format_datetime(date, usegmt=True)}
    assert retry_after(Headers(headers), NOW) == seconds
    here = {**headers, "date": format_datetime(datetime.datetime.fromtimestamp(NOW, datetime.UTC), usegmt=True)}
    assert retry_after(Headers(here), NOW + 3600) == seconds  # the clock of the service counts
    assert retry_after(Headers({**headers, "date": "today"}), NOW) == seconds


@pytest.mark.parametrize(
    ("policy", "attempt", "elapsed", "stops"),
    [
        *(({"max_attempts": number}, number - 1, 0.0, False) for number in (2, 3, 5)),
        *(({"max_attempts": number}, number, 0.0, True) for number in (1, 2, 3, 5)),
        ({"max_attempts": 3}, 7, 0.0, True),
        ({"stop": tenacity.stop_after_attempt(5)}, 4, 0.0, False),
        ({"stop": tenacity.stop_after_attempt(5)}, 5, 0.0, True),
        ({"stop": tenacity.stop_after_delay(10)}, 1, 9.9, False),
        ({"stop": tenacity.stop_after_delay(10)}, 1, 10.0, True),
        ({"stop": lambda state: state.attempt_number >= 2}, 2, 0.0, True),
    ],
)
def test_max_attempts_or_a_tenacity_strategy_decides_when_to_stop(policy, attempt, elapsed, stops):
    """`max_attempts` counts the first; `stop` replaces it, and any function with the same signature can be used."""
    assert (delay(RetryPolicy(**policy), attempt, elapsed=elapsed) is None) is stops


@pytest.mark.parametrize(
    ("wait", "attempt", "expected"),
    [
        (tenacity.wait_fixed(3), 2, 3.0),
        (tenacity.wait_chain(tenacity.wait_fixed(1), tenacity.wait_fixed(9)), 2, 9.0),
        (lambda state: state.idle_for + 1, 2, 3.5),
        (lambda state: 40 if state.outcome.failed else 2, 1, 2.0),
    ],
)
def test_a_tenacity_strategy_decides_how_long_to_wait(wait, attempt, expected):
    """It is called with the attempt, the time slept and the outcome, as tenacity calls it."""
    assert delay(RetryPolicy(wait=wait, stop=tenacity.stop_never), attempt, slept=2.5) == expected


def test_a_strategy_cannot_resend_a_lost_write():
    eager = RetryPolicy(stop=tenacity.stop_never, wait=tenacity.wait_none())

    assert delay(eager, outcome=LOST, retry="never") is None
    assert delay(eager, outcome=NotSentError("no connection"), retry="never") == 0.0


@pytest.mark.parametrize(
    "policy",
    [
        RetryPolicy(wait=lambda state: -1),
        RetryPolicy(wait=lambda state: None),
        RetryPolicy(wait=tenacity.wait_exception(lambda error: 1)),
        RetryPolicy(stop=lambda state: 1 / 0),
    ],
)
def test_a_strategy_that_fails_ends_the_call_with_the_error_of_its_attempt(policy, caplog):
    """Its own exception would hide whether a write was applied; the log has it."""
    assert delay(policy, outcome=Response(503)) is None
    assert "of the retry policy raised" in caplog.text


@pytest.mark.parametrize(("retry", "repeated"), [("safe", {408, 429, 500, 502, 503, 504}), ("never", {429})])
def test_these_statuses_are_repeated_and_no_others(retry, repeated):
    """The whole set: transient failures where it is safe, and a 429 always, since nothing was done."""
    assert {status for status in range(100, 600) if repeatable(Response(status), retry)} == repeated
    assert not repeatable(Response(409, complete=False), retry)
    assert repeatable(Response(200, complete=False), retry) == (retry == "safe")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_attempts": 0}, "max_attempts is 0"),
        ({"max_attempts": -1}, "max_attempts is -1"),
        ({"initial_delay": -0.1}, "initial_delay is -0.1"),
        ({"max_delay": float("nan")}, "max_delay is nan"),
        ({"max_retry_after": -1}, "max_retry_after is -1"),
        ({"deadline": 0}, "deadline is 0"),
        ({"deadline": float("nan")}, "deadline is nan"),
        ({"deadline": "60"}, "deadline is of type str"),
        ({"max_attempts": 1.5}, "max_attempts is of type float"),
        ({"max_delay": None}, "max_delay is of type NoneType"),
        ({"stop": 3}, "stop is of type int; give a strategy of tenacity"),
    ],
)
def test_an_invalid_policy_is_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        RetryPolicy(**wrong)
