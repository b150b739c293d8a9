"""Runs of the suite on a deployment that is a stub behind something."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ..conftest import Prove, RunResult, ServedStub


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
        variables = {identity: f"TRIAL_{identity.upper()}" for identity, token in known.items() if token is not None}
        values = {
            **served.data(),
            "token_variables": {identity: name for identity, name in variables.items() if identity != "owner"},
            **(members or {}),
        }
        (tmp_path / "data.yaml").write_text(yaml.safe_dump(values), "utf-8")
        return prove(
            url,
            *("--token-env", "TRIAL_OWNER", "--data", "data.yaml", "--allow", "irreversible", "--i-own", "127.0.0.1"),
            *arguments,
            environment={name: known[identity] for identity, name in variables.items()},
        )

    return prove_at
