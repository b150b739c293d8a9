"""Forged tokens: variants of an issued token that the service must refuse."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from project_platform_contract.data.data_file import MissingError


def parts_of(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes] | None:
    """Return header, claims and signature of a JWT (RFC 7519, RFC 7515 section 3.1); None if the token is not a JWT."""
    parts = token.split(".")
    try:
        header, claims, signature = (urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in parts)
        read = json.loads(header), json.loads(claims)
    except ValueError:
        return None
    return (*read, signature) if all(isinstance(part, dict) for part in read) else None


def other_claims(token: str) -> str:
    """Return the token with an additional claim and the original signature."""
    header, claims, signature = _parts(token)
    return ".".join((_json(header), _json({**claims, "contract": "changed"}), _text(signature)))


def other_signature(token: str) -> str:
    """Return the token with a different signature of the same length."""
    head, _, _ = token.rpartition(".")
    _, _, signature = _parts(token)
    return f"{head}.{_text(bytes(byte ^ 0xFF for byte in signature))}"


def without_signature(token: str) -> str:
    """Return the token with an empty signature; its header names the original algorithm."""
    _parts(token)
    head, _, _ = token.rpartition(".")
    return f"{head}."


def cut(token: str) -> str:
    """Return the token without the second half of its signature."""
    _parts(token)
    head, _, signature = token.rpartition(".")
    return f"{head}.{signature[: len(signature) // 2]}"


def continued(token: str) -> str:
    """Return the token with a fourth part."""
    _parts(token)
    return f"{token}.contract"


def unsigned(token: str) -> str:
    """Return the token without a signature and with the algorithm `none` (RFC 8725 section 2.1)."""
    header, claims, _ = _parts(token)
    return f"{_json({**header, 'alg': 'none'})}.{_json(claims)}."


def _parts(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    parts = parts_of(token)
    if parts is None:
        raise MissingError("the owner's token is not a JWT, so it cannot be forged")
    return parts


def _json(value: dict[str, Any]) -> str:
    return _text(json.dumps(value, separators=(",", ":")).encode())


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode("ascii")
