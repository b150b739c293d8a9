"""Runs of the suite on a deployment that is a stub behind something."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import WITH_DATA, Prove, RunResult, ServedStub, write_data


@pytest.fixture
def prove_at(prove: Prove, served: ServedStub, tmp_path: Path) -> Prove:
    """Returns a function that proves the rules at a URL as the owner of the stub, with complete data and all effects.

    Its keyword argument `members` changes members of the data file, `tokens` the tokens by identity; None removes one.
    """

    def prove_at(url: str, *arguments: str, members: dict | None = None, tokens: dict | None = None) -> RunResult:
        stub = served.stub
        known = {
            **stub.describe(served.base_url)["tokens"],
            "expired": stub.tokens.expired(),
            "wrong_key": stub.tokens.unknown_key(),
            "no_user": stub.tokens.no_user_id(),
            "unknown_user": stub.tokens.unknown_user(),
            "session": stub.tokens.session(),
            **(tokens or {}),
        }
        given = {identity: token for identity, token in known.items() if token is not None}
        environment = write_data(tmp_path, {**served.data(), **(members or {})}, given)
        allowed = ("--allow", "irreversible", "--i-own", "127.0.0.1")
        return prove(url, *WITH_DATA, *allowed, *arguments, environment=environment)

    return prove_at
