"""Authentication: the bearer token, and whose it is."""

from __future__ import annotations

from .per_operation import each
from .rule import Rule

RULES = (
    *each(
        "auth.bearer-required",
        "{operation} takes nothing but a bearer token: without one, with another scheme or with a malformed one it refuses.",
        "Authentication 1",
    ),
    *each(
        "auth.signature-verified",
        "{operation} refuses a token whose claims or whose signature were changed, and one that is not signed.",
        "Authentication 2",
    ),
    *each("auth.expired-refused", "{operation} refuses a token that has expired.", "Authentication 2"),
    Rule(
        "auth.token.jwt",
        "The access token is a JWT.",
        "Authentication 2",
        None,
        "read",
    ),
    Rule(
        "auth.token.endpoint",
        "The token endpoint gives an access token that is a JWT, and the service takes it.",
        "Authentication 2",
        None,
        "read",
    ),
    Rule(
        "auth.token.published-key",
        "A token that is signed with a key outside of the published set is refused.",
        "Authentication 2",
        None,
        "read",
    ),
    Rule(
        "auth.token.user-identifier",
        "A token without a user identifier, or with one that is nobody's, is refused.",
        "Authentication 2",
        None,
        "read",
    ),
)
