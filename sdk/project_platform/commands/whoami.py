"""`project-platform whoami`: the claims, the expiry and the permissions of the token, which itself is never shown."""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from .parser import STATUSES, add_call_options, add_connection_options, parsed, parser

if TYPE_CHECKING:
    from ..calls.profile_tokens import TokenCommand, TokenFile
    from ..calls.profiles import Connection
    from ..client import Client

_NO_JWT: Final = (
    "the token is not a JWT, which the service requires (Authentication 2), so it has no claims: get a new token"
)
_WORKERS: Final = 8  # requests at a time, as browsers open connections to a host and some more


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: The arguments after `whoami`.

    Returns:
        The exit status; `STATUSES` lists them.
    """
    given = parsed(whoami_parser(), argv)
    from .verdict import reported

    return reported("whoami", lambda: _run(given), given)


def whoami_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    result = parser(
        "whoami",
        "Show the service, the project, the claims of the token and the permissions that it has. The claims are read from the "
        "token, whose signature is not checked.",
        STATUSES,
    )
    result.add_argument("--offline", action="store_true", help="send nothing, and show no permissions")
    result.add_argument(
        "--permission", action="append", metavar="NAME", help="check this permission only; repeat the option for others"
    )
    add_call_options(result)
    add_connection_options(result)
    return result


def _run(given: argparse.Namespace) -> int:
    from .connection import call_options, connection, open_client
    from .output import plain, write

    found = connection(given)
    with open_client(found, **call_options(given)) as client:
        result = _description(client, found)
        if not given.offline:
            result["permissions"] = _held(client, given.permission)
    write(plain(result), given.output)
    return 0


def _description(client: Client, found: Connection) -> dict[str, Any]:
    from ..calls.auth import claims

    source = found.token
    known = claims(source if isinstance(source, str) else cast("TokenFile | TokenCommand", source).token())
    return {
        "base_url": client.base_url,
        "project": found.project_id,
        "sources": dict(found.sources),
        "claims": _without_tokens(known),
        **({"problem": _NO_JWT} if known is None else _expiry(known)),
    }


def _without_tokens(value: Any) -> Any:
    """Return claims in which tokens are redacted, which some identity providers put into others."""
    from ..json_values.exact_json import is_array, is_object
    from ..masking import without_credentials

    if is_object(value):
        return {name: _without_tokens(member) for name, member in value.items()}
    if is_array(value):
        return [_without_tokens(element) for element in value]
    return without_credentials(value) if isinstance(value, str) else value


def _expiry(claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return when a token expires, and in how many seconds; nothing if it does not say."""
    expires = claims.get("exp")
    if not isinstance(expires, int | float):
        return {}
    try:
        at = datetime.datetime.fromtimestamp(expires, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return {}
    return {"expires": at, "expires_in": round(expires - time.time())}


def _held(client: Client, chosen: list[str] | None) -> list[str]:
    """Return those of the chosen permissions that the token has."""
    from concurrent.futures import ThreadPoolExecutor

    from .._generated.commands import COMMANDS

    names = chosen or COMMANDS["auth.check_permission"].arguments[0].values
    with ThreadPoolExecutor(_WORKERS) as threads:
        held = threads.map(client.auth.check_permission, names)
        return [name for name, is_held in zip(names, held, strict=True) if is_held]
