"""A gateway, a network or a limit between the suite and a healthy service never makes a rule count as violated."""

from __future__ import annotations

import base64
import json
import random
import time

from project_platform_contract.operations import operation_of

from ..conftest import Prove, ServedStub
from ..second.service.app import Request
from .faulty_proxy import FaultyProxy, expiring

OWNER = "user_owner"  # may apply templates; the other identities of the stub may not


def is_usable(authorization: str) -> bool:
    """Return whether there is a token of the owner that has not expired; several rules send requests that are refused."""
    try:
        payload = authorization.removeprefix("Bearer ").split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return claims["sub"] == OWNER and claims["exp"] > time.time()
    except (IndexError, KeyError, TypeError, ValueError):  # it is no token
        return False


def texts(served: ServedStub) -> list[tuple[str, ...]]:
    """Return the texts of the memory entries of the data file."""
    entries = [served.stub.project.memory[served.data()[name]] for name in ("memory_slug", "memory_slug_with_slash")]
    return [tuple(entry[field] for field in ("title", "description", "content")) for entry in entries]


def repeated_writes(proxy: FaultyProxy) -> list[tuple[str, str]]:
    """Return the irreversible requests that were sent more than once and would be accepted."""
    return [
        (method, path)
        for (method, path, token, _), times in proxy.received.items()
        if times > 1
        and is_usable(token)
        and (operation := operation_of(method, path))
        and operation.effect == "irreversible"
    ]


def test_no_rule_is_violated_if_a_tenth_of_the_requests_fails(prove_at: Prove, served: ServedStub) -> None:
    """Reads are repeated. Rules of writes are not run, and the report says why. What was changed is restored."""
    before = texts(served)
    faults = ["503", "503", "reset", "reset after"]
    with FaultyProxy(served.base_url, lambda _, dice: dice.choice(faults) if dice.random() < 0.1 else None, 4) as proxy:
        run = prove_at(proxy.url, "--fuzz", "2")

    assert run.wrong == [], run.out
    assert min(proxy.faults.values()) > 20
    assert set(proxy.faults) == {"503", "reset", "reset after"}
    assert run.report["counts"]["proven"] > 50
    elsewhere = ("only a stub does", "no requests are generated")
    shown = [rule for rule in run.report["rules"] if not any(reason in str(rule["why"]) for reason in elsewhere)]
    unproven = {rule["id"]: rule["why"] for rule in shown if rule["effect"] == "read" and rule["verdict"] != "proven"}
    assert unproven == {}
    assert any("a write is not repeated" in str(rule["why"]) for rule in run.report["rules"])
    assert repeated_writes(proxy) == []
    assert texts(served) == before


def test_no_rule_is_violated_if_what_it_compares_cannot_be_read_at_first(prove_at: Prove, served: ServedStub) -> None:
    """A difference from what was never read shows nothing. The operation is not down, since its first request succeeds."""
    sent = 0

    def disturb(request: Request, dice: random.Random) -> str | None:
        nonlocal sent
        sent += "/memory-entries/" in request.target
        return "503" if "/memory-entries/" in request.target and 1 < sent <= 6 else None

    with FaultyProxy(served.base_url, disturb, 0) as proxy:
        run = prove_at(proxy.url, "-k", "unaffected")

    assert run.wrong == [], run.out
    assert proxy.faults["503"] == 5
    assert {"proven", "not run"} <= {run.verdicts[id] for id in run.verdicts if id.startswith("scope.unaffected")}


def test_a_limit_takes_no_rule_from_a_run(prove_at: Prove, served: ServedStub) -> None:
    """A request that tries what can be restored, and one that restores it, is sent again as well."""
    before, limited = texts(served), 0

    def limit(request: Request, dice: random.Random) -> str | None:
        nonlocal limited
        limited += "/memory-entries/" in request.target
        return "429" if "/memory-entries/" in request.target and limited % 2 else None

    with FaultyProxy(served.base_url, limit, 0) as proxy:
        run = prove_at(proxy.url, "-k", "memory")

    assert run.wrong == [], run.out
    assert "held a request back" not in run.out
    assert run.verdicts["memory.update.changes"] == "proven"
    assert texts(served) == before


def test_an_expired_token_is_renewed_from_the_session(prove_at: Prove, served: ServedStub) -> None:
    """Every rule is proven, although each token is accepted for 200 requests only."""
    with FaultyProxy(served.base_url, expiring(200), 0) as proxy:
        # Only the owner's token is renewed: the tests of several callers send more requests as the service account.
        tests = "not test_model and not permissions and not photo and not sequences"
        run = prove_at(proxy.url, "--fuzz", "0", "-k", tests)

    assert run.wrong == [], run.out
    assert proxy.faults["401"] > 5
    why = {rule["why"] for rule in (*run.report["rules"], *run.report["inferred"]) if rule["verdict"] == "not run"}
    assert not any("no longer accepts" in str(reason) for reason in why)


def test_without_a_session_the_rules_after_the_expiry_are_not_run(prove_at: Prove, served: ServedStub) -> None:
    """And few requests are sent in vain."""
    with FaultyProxy(served.base_url, expiring(150), 0) as proxy:
        run = prove_at(proxy.url, "--fuzz", "0", tokens={"session": None})

    assert run.wrong == [], run.out
    assert any(
        "the service no longer accepts the token of 'owner' (401)" in str(rule["why"]) for rule in run.report["rules"]
    )
    assert proxy.faults["401"] < 20
