"""Endpoints 1: check permission, and the permission values."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "permissions.check.values",
        "Each of the 81 permissions, a resource with read, write or manage, can be asked about.",
        "Endpoints 1, query; Resources, Permission values",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.other-values",
        "A value that is none of the 81 permissions is refused.",
        "Endpoints 1, query; Resources, Permission values",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.boolean",
        "Whoever asks, the answer is a boolean.",
        "Endpoints 1, response",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.holder",
        "A permission that the caller holds is answered with true.",
        "Endpoints 1",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.by-identity",
        "The answer is about the caller: who may only read holds no permission to write or to manage.",
        "Endpoints 1",
        "auth_check_permission",
        "read",
    ),
)
