"""The one exception of the stub: a request that is answered with an error body."""

from __future__ import annotations

from collections.abc import Mapping

_TOLD = 200  # Characters; no name in the contract has as many.


class RefusalError(Exception):
    """A request that is refused.

    Attributes:
        status: HTTP status of the answer.
        message: What the error body says.
        code: What the error body says to programs. The specification shows no values: these are the stub's own.
        headers: Headers of the answer beyond the usual ones.
    """

    def __init__(self, status: int, message: str, code: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, str]:
        """The error body."""
        return {"message": self.message, "code": self.code}


def bad_request(place: str, problem: str) -> RefusalError:
    """Return the refusal of a value that does not fit; the message starts with its place, such as `body.tags[3]`."""
    return RefusalError(400, f"{shortened(place)}: {problem}", "invalid_request")


def shortened(text: str) -> str:
    """Return a text that came in as it is told in messages, which the journal keeps: as it is, or its beginning."""
    return text if len(text) <= _TOLD else f"{text[:_TOLD]}..."


def unauthorized(problem: str) -> RefusalError:
    """Return the refusal of a caller who could not be identified."""
    # RFC 9110 section 11.6.1: a 401 carries the challenge that applies.
    return RefusalError(401, problem, "unauthorized", {"WWW-Authenticate": "Bearer"})


def forbidden(problem: str, code: str = "forbidden") -> RefusalError:
    """Return the refusal of a caller who may not do this."""
    return RefusalError(403, problem, code)


def not_found(problem: str, code: str = "not_found") -> RefusalError:
    """Return the refusal of a request for something that is not there."""
    return RefusalError(404, problem, code)


def conflict(problem: str, code: str) -> RefusalError:
    """Return the refusal of a request that conflicts with the state of the world."""
    return RefusalError(409, problem, code)
