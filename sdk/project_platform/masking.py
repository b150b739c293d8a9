"""Masks that hide credentials in representations and tables: by the mark of a field, by the name of a member, and in text."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Final, cast

REDACTED: Final = "[redacted]"
SECRET: Final = "secret"  # noqa: S105  # the name of a mark
"""The mark of a field that is a credential or contains one: `x-secret` in the contract."""

# A JSON Web Token (RFC 7519) or a bearer credential (RFC 6750).
_CREDENTIAL: Final = re.compile(r"\beyJ[\w-]+\.[\w-]*\.[\w-]*|(?<=bearer )\S+", re.IGNORECASE)
_MAX_TEXT: Final = 4_000  # characters; a page of a terminal
# Controls but the tab, separators of lines, the marks of Unicode's bidirectional algorithm, and lone surrogates.
_UNSAFE: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# The last word of a name in camelCase, snake_case or with dashes, so `maxTokens` and `token_count` are shown.
_SECRET_NAME: Final = re.compile(
    r"(?:^|[^a-z])(?:headers?|token|authorization|secret|password|passwd|api[^a-z]?key|cookies?|credentials?)$"
)
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def without_credentials(text: str) -> str:
    """Return a text in which tokens that can be recognised are replaced."""
    return _CREDENTIAL.sub(REDACTED, text)


def printable(text: str) -> str:
    """Return a text of at most 4,000 characters that is safe to print: characters that end, hide or reorder a line are escaped."""
    escaped = _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text[:_MAX_TEXT])
    if len(text) <= _MAX_TEXT >= len(escaped):
        return escaped
    return f"{escaped[:_MAX_TEXT]}... ({max(len(text), len(escaped)) - _MAX_TEXT} characters more)"


def by_keys(value: object) -> object:
    """Return a secret value for a representation: the keys of a mapping, and nothing of other values."""
    if isinstance(value, Mapping):
        return dict.fromkeys(cast("Mapping[object, object]", value), REDACTED)
    return REDACTED if value is not None else None


def is_secret(name: object, value: object) -> bool:
    """Return whether a member of free-form JSON is a credential by its name. Numbers, booleans and null are none."""
    if value is None or isinstance(value, int | float) or not isinstance(name, str):
        return False
    return _is_secret_name(name)


@functools.lru_cache(maxsize=1024)  # the rows of a list have the same names
def _is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(_WORD_START.sub("_", name).lower()) is not None


def masked(value: object, name: object = None) -> object:
    """Return a value for a representation, in which secret members, at any depth, are only keys."""
    if is_secret(name, value):
        return by_keys(value)
    if isinstance(value, str):
        return without_credentials(value) if type(value) is str else value
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {key: masked(member, key) for key, member in members.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in cast("list[object]", value)]
    return value


def without_secrets(value: object) -> object:
    """Return free-form JSON without its secret members, at any depth."""
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        return {key: without_secrets(member) for key, member in members.items() if not is_secret(key, member)}
    if isinstance(value, list):
        return [without_secrets(item) for item in cast("list[object]", value)]
    return value
