"""Endpoints 1: check permission, and the permission values."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "permissions.check.values",
        "Each of the 81 permissions, a resource with read, write or manage, can be checked.",
        "Endpoints 1, query; Resources, Permission values",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.other-values",
        "A value that is not one of the 81 permissions is refused.",
        "Endpoints 1, query; Resources, Permission values",
        "auth_check_permission",
        "read",
        inferred=True,
    ),
    Rule(
        "permissions.check.boolean",
        "The result is a boolean for every caller.",
        "Endpoints 1, response",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.holder",
        "The result is true for a permission that the caller holds.",
        "Endpoints 1",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.by-identity",
        "The result depends on the caller: one who may only read holds no write or manage permission.",
        "Endpoints 1",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.owner",
        "An owner of the project holds each of the 81 permissions.",
        "Endpoints 1; Resources, Permission values",
        "auth_check_permission",
        "read",
    ),
    Rule(
        "permissions.check.exact",
        "The result is true for exactly the permissions of an identity: write, for instance, is not manage.",
        "Endpoints 1; Resources, Permission values",
        "auth_check_permission",
        "read",
    ),
)
