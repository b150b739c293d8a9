"""The promise about writes over sockets: every transport, against a faulty server that knows the specification alone.

TRUTH_RUNS is ten times the number of runs (20000), which are divided among the lanes; TRUTH_SEED is the first seed (0).
`tests/truth/trials.py` makes as many as you like, and prints the counts.
"""

from __future__ import annotations

import gc

import pytest
from wire.http2 import AFTER, BEFORE
from wire.plans import CONNECTION_FAULTS, FAULTS, TLS_FAULTS
from wire.proxies import CONNECT_FAULTS, SOCKS_FAULTS
from wire.runs import Tally, drive
from wire.transports import PROXIES, TRANSPORTS, lanes

RARER = 10  # a run over sockets takes longer than one in the process
ALL_FAULTS = 20_000  # runs in which every fault occurs
CALM = 5


def of(transport):
    return [lane for lane in lanes() if lane.transport == transport]


def missing_faults(transport, faults):
    """Return the faults that a transport should have met, and the groups of which it should have met some."""
    groups = [CONNECTION_FAULTS, TLS_FAULTS]
    if transport == "httpx http2":
        groups += [BEFORE, AFTER]
    elif transport == "socks5 proxy":
        groups += [SOCKS_FAULTS]
    elif transport in PROXIES:
        groups += [CONNECT_FAULTS, ("proxy responds with 407 to a request",)]
    return [
        *({*FAULTS, "connection refused"} - set(faults)),
        *(group for group in groups if not set(group) & set(faults)),
    ]


# After a failure, httpx and httpcore leave sockets and generators to the garbage collector, which warns of them.
LEFT_TO_GC = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
MARKED = [
    pytest.param(name, marks=[LEFT_TO_GC] if "httpx" in name or name == "third party" else []) for name in TRANSPORTS
]


@pytest.mark.parametrize("transport", MARKED)
def test_no_verdict_over_a_socket_is_ever_wrong(transport, runs, seed, record_property):
    """Whatever breaks on the wire: yes, no and in effect are true, no write lands twice, every response is that of its call."""
    tally = Tally()
    share = max(1, runs // RARER // len(lanes()))
    for lane in of(transport):
        tally.add(drive(lane, range(seed, seed + share)))
    gc.collect()  # so that its warnings belong to this test

    for (lane, kind, applied), times in sorted(tally.verdicts.items(), key=str):
        record_property(f"{lane}, {kind}: {applied}", times)
    assert not tally.claims, f"{tally.claims}\n\n" + "\n\n".join(tally.logs)
    assert runs < ALL_FAULTS or not missing_faults(transport, tally.faults)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_call_is_carried_out_where_nothing_is_broken(transport, seed):
    """Without faults every call of every transport returns its result; otherwise the trials would try nothing."""
    for lane in of(transport):
        tally = drive(lane, range(seed, seed + CALM), calm=True)

        assert not tally.claims, tally.logs
        assert {applied for _, _, applied in tally.verdicts} == {"yes"}, tally.verdicts
        assert set(tally.faults) <= {"none", "HTTP/2 request"}
