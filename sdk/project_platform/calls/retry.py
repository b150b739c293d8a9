"""`RetryPolicy`: whether and when a call is sent again after an attempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import UsageError
from ..first_use import IMPORTING
from . import log
from .fate import Fate, Outcome, fate
from .operation import Response, RetryClass

if TYPE_CHECKING:
    from tenacity import RetryCallState

    from .headers import Headers

    StopStrategy: TypeAlias = Callable[[RetryCallState], bool]
    WaitStrategy: TypeAlias = Callable[[RetryCallState], float | int]
else:  # so that pydantic can read the annotations of a policy, without an import of tenacity
    StopStrategy = WaitStrategy = Callable

# Responses that may differ the next time: those after which openai, stripe and botocore repeat, 408 and 429 included.
RETRIED_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})

_KINDS: Final[dict[str, Any]] = {"max_attempts": int, "deadline": int | float | None}  # other numbers: int or float


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The rules by which a call is sent again, and after how long.

    Whether a call may be repeated at all is not up to the policy: it follows from the operation and from the fate of the
    last attempt (`fate.py`). The policy says how often and how fast.

    Attributes:
        max_attempts: Maximum number of attempts, the first included; 1 never repeats. (Three: botocore's standard mode.)
        initial_delay: Upper end of the first delay in seconds. (Half a second: openai.)
        max_delay: Upper end of any delay in seconds. (Eight: openai.) Each delay is drawn from zero to
            `min(max_delay, initial_delay * 2 ** (attempt - 1))`: full jitter.
        deadline: Maximum duration of a call in seconds: tokens, redirects, delays and all attempts; None for no limit.
            Settling a lost response and all rounds of `modify` are part of the call. (Two minutes: google-api-core.)
        max_retry_after: The longest `Retry-After` to wait for, in seconds; a longer one ends the call with its error,
            whose `retry_after` has it. (A minute: openai.)
        stop: The condition to stop, which replaces `max_attempts`: one of tenacity's `stop_*`, or a function with the same
            signature.
        wait: The seconds to wait, in the place of the drawn delays: one of tenacity's `wait_*`, or a function with the same
            signature. A `Retry-After` takes precedence.
    """

    max_attempts: int = 3
    initial_delay: float = 0.5
    max_delay: float = 8.0
    deadline: float | None = 120.0
    max_retry_after: float = 60.0
    stop: StopStrategy | None = None
    wait: WaitStrategy | None = None

    def __post_init__(self) -> None:
        for name in ("max_attempts", "initial_delay", "max_delay", "max_retry_after", "deadline"):
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, _KINDS.get(name, int | float)):
                raise UsageError(f"{name} is of type {type(value).__name__}; give a number")
        for name in ("stop", "wait"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise UsageError(f"{name} is of type {type(value).__name__}; give a strategy of tenacity, or None")
        if self.max_attempts < 1:
            raise UsageError(
                f"max_attempts is {self.max_attempts}; give 1 or more: it counts the first attempt, so 1 never repeats"
            )
        for name in ("initial_delay", "max_delay", "max_retry_after"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} is {getattr(self, name)}; give 0 seconds or more")
        if self.deadline is not None and not self.deadline > 0:
            raise UsageError(f"deadline is {self.deadline}; give more than 0 seconds, or None for no limit")

    def delay(
        self,
        attempt: int,
        outcome: Outcome,
        *,
        retry: RetryClass,
        elapsed: float,
        now: float,
        slept: float = 0.0,
        left: float = float("inf"),
    ) -> float | None:
        """Return the seconds to wait before the next attempt, or None to stop.

        A `Retry-After` of the service is honoured up to `max_retry_after`; without one the delay is drawn.

        Args:
            attempt: Number of the attempt that just ended; the first is 1.
            outcome: The response, or the reason there is none.
            retry: When the operation may be sent again.
            elapsed: Seconds since the call began.
            now: Seconds since the epoch, to read a `Retry-After` that is a date.
            slept: The part of `elapsed` that was spent between attempts, in seconds.
            left: Seconds before the deadline. A delay that would not end before it is not begun.
        """
        if not repeatable(outcome, retry):
            return None
        requested = retry_after(outcome.headers, now) if isinstance(outcome, Response) else None
        if requested is not None and requested > self.max_retry_after:
            return None
        state = self._state(attempt, outcome, elapsed=elapsed, slept=slept)
        try:
            if self._stops(state):
                return None
            delay = requested if requested is not None else self._drawn(state)
        except Exception as error:  # noqa: BLE001  # of the user; the call ends with the error of its attempt, which says what was applied
            log.warn_of_strategy(error)
            return None
        return delay if delay < left else None

    def _stops(self, state: RetryCallState) -> bool:
        return bool((self.stop or _tenacity().stop_after_attempt(self.max_attempts))(state))

    def _drawn(self, state: RetryCallState) -> float:
        wait = self.wait or _tenacity().wait_random_exponential(multiplier=self.initial_delay, max=self.max_delay)
        delay = float(wait(state))
        if not delay >= 0:
            raise ValueError(f"wait returned {delay}; let it return 0 seconds or more")
        state.upcoming_sleep = delay
        return delay

    @staticmethod
    def _state(attempt: int, outcome: Outcome, *, elapsed: float, slept: float) -> RetryCallState:
        tenacity = _tenacity()
        state: RetryCallState = tenacity.RetryCallState(tenacity.Retrying(), fn=None, args=(), kwargs={})
        state.attempt_number = attempt
        state.idle_for = slept
        state.start_time = 0.0
        state.outcome_timestamp = elapsed
        future: Any = tenacity.Future(attempt)
        if isinstance(outcome, Response):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
        state.outcome = future
        return state


def _tenacity() -> Any:
    """Return tenacity, imported on the first failure: a program whose calls succeed never pays for it."""
    with IMPORTING:
        import tenacity
    return tenacity


def repeatable(outcome: Outcome, retry: RetryClass) -> bool:
    """Return whether the same request may be sent again, and may end differently.

    A request that was not sent, and one that was refused with 429, may always be sent again. A request that may have
    arrived is sent again only if the operation is safe to repeat (RFC 9110, section 9.2.2).
    """
    end = fate(outcome)
    if end is Fate.NOT_SENT:
        return True
    if isinstance(outcome, Response):
        if outcome.status == 429:  # noqa: PLR2004
            return True
        # A response that is too large would be too large again, and a refusal is one without its body, too.
        cut_off = not outcome.complete and not outcome.too_large and end is not Fate.NOT_APPLIED
        return retry == "safe" and (outcome.status in RETRIED_STATUSES or cut_off)
    return retry == "safe"


def retry_after(headers: Headers, now: float) -> float | None:
    """Return the seconds that the service asks to wait, or None if the header is missing or cannot be read.

    `retry-after-ms` is in milliseconds (a convention of Azure and OpenAI); `Retry-After` is in seconds or a date (RFC
    9110, section 10.2.3). A date in the past is 0.

    Args:
        headers: The headers of the response.
        now: Seconds since the epoch, which a date is compared with if the response has no `Date`: the clocks may differ.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) / unit
        except ValueError:
            until, sent = _seconds(text), _seconds(headers.get("date", ""))
            if until is None or name != "retry-after":
                continue
            seconds = max(0.0, until - (now if sent is None else sent))
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _seconds(date: str) -> float | None:
    """Return a date of HTTP in seconds since the epoch; None if it is none."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
