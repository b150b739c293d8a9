"""The error of the API: an exception that the service turns into a response with an error body."""

from __future__ import annotations

from collections.abc import Mapping

_MAX_LENGTH = 200  # Characters; every name in the contract is shorter.


class ApiError(Exception):
    """An error response to a request.

    Attributes:
        code: `code` of the error body. The specification states no values: these are defined by the stub.
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


def bad_request(place: str, problem: str) -> ApiError:
    """Return a 400 for an invalid value; its message starts with the place of the value, such as `body.tags[3]`."""
    return ApiError(400, f"{shortened(place)}: {problem}", "invalid_request")


def shortened(text: str) -> str:
    """Return a string of the request for use in a message: unchanged, or cut off after 200 characters."""
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}..."


def unsupported(field: str, found: str, demand: str) -> ApiError:
    """Return a 415 for a body in a form that is not read."""
    message = f"{field}: is {shortened(found) or 'missing'}; {demand}"
    return ApiError(415, message, "unsupported_media_type")


def unauthorized(problem: str) -> ApiError:
    """Return a 401 for a request without a valid credential."""
    # RFC 9110 section 11.6.1: a 401 carries the challenge that applies.
    return ApiError(401, problem, "unauthorized", {"WWW-Authenticate": "Bearer"})


def forbidden(problem: str, code: str = "forbidden") -> ApiError:
    """Return a 403 for a caller without the permission."""
    return ApiError(403, problem, code)


def not_found(problem: str, code: str = "not_found") -> ApiError:
    """Return a 404 for something that does not exist."""
    return ApiError(404, problem, code)


def conflict(problem: str, code: str) -> ApiError:
    """Return a 409 for a request that conflicts with the state of the world."""
    return ApiError(409, problem, code)
