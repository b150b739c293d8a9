"""A call as a curl command, which takes the token from the environment."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ..calls.configuration import TOKEN_VARIABLE

if TYPE_CHECKING:
    from ..calls.operation import Call


def curl(base_url: str, call: Call[Any], file: str | None = None) -> str:
    """Return the command.

    Args:
        base_url: URL of the service.
        call: The call.
        file: The file that the response is written to.
    """
    # --globoff: brackets in the URL are those of an address.
    words = ["curl", "--globoff", "--silent", "--show-error", "--request", call.operation.method, base_url + call.path]
    words += ["--header", f"Accept: {call.operation.accept}"]
    if call.body is not None:
        words += ["--header", "Content-Type: application/json", "--data-binary", call.body.decode()]
    if file is not None:
        words += ["--output", file]
    return f'{shlex.join(words)} --header "Authorization: Bearer ${TOKEN_VARIABLE}"'
