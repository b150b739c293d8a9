"""Authentication: the bearer token and its user."""

from __future__ import annotations

from .per_operation import rule_per_operation
from .rule import Rule

RULES = (
    *rule_per_operation(
        "auth.bearer-required",
        "{operation} refuses a request without a bearer token, with another scheme or with a malformed token.",
        "Authentication 1",
    ),
    *rule_per_operation(
        "auth.signature-verified",
        "{operation} refuses a token with changed claims, with a changed signature or without a signature.",
        "Authentication 2",
    ),
    *rule_per_operation("auth.expired-refused", "{operation} refuses a token that has expired.", "Authentication 2"),
    *rule_per_operation(
        "auth.token.published-key",
        "{operation} refuses a token that is signed with a key outside of the published key set.",
        "Authentication 2",
    ),
    *rule_per_operation(
        "auth.token.user-identifier",
        "{operation} refuses a token without a user identifier, or with an unknown one.",
        "Authentication 2",
    ),
    *rule_per_operation(
        "auth.session-refused",
        "{operation} refuses a session credential that is no JWT: an access token is one.",
        "Authentication 2",
    ),
    Rule(
        "auth.concurrent-callers",
        "Of requests of two callers at the same time, each is answered for its own caller.",
        "Authentication 2; Authentication 4",
        "records_create",
        "write",
    ),
    Rule(
        "auth.token.jwt",
        "The access token is a JWT.",
        "Authentication 2",
        None,
        "read",
    ),
    Rule(
        "auth.token.endpoint",
        "The token endpoint returns an access token that is a JWT, and the service accepts it.",
        "Authentication 2",
        None,
        "read",
    ),
)
