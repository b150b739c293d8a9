"""Runs of the suite on a deployment that is a stub behind something."""

from __future__ import annotations

from pathlib import Path

import pytest

from project_platform_contract.data.stub_data import stub_data

from ..conftest import WITH_DATA, Prove, RunResult, ServedStub, write_data


@pytest.fixture
def prove_at(prove: Prove, served: ServedStub, tmp_path: Path) -> Prove:
    """Returns a function that proves the rules at a URL as the owner of the stub, with complete data and all effects.

    Its keyword argument `members` changes members of the data file, `tokens` the tokens by identity; None removes one.
    """

    def prove_at(url: str, *arguments: str, members: dict | None = None, tokens: dict | None = None) -> RunResult:
        known = {**stub_data(served.stub).tokens, **(tokens or {})}
        given = {identity: token for identity, token in known.items() if token is not None}
        environment = write_data(tmp_path, {**served.data(), **(members or {})}, given)
        allowed = ("--allow", "irreversible", "--i-own", "127.0.0.1")
        return prove(url, *WITH_DATA, *allowed, *arguments, environment=environment)

    return prove_at
