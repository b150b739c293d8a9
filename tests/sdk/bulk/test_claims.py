"""Claims in a folder and in an object store: one owner for each batch, and what it writes."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from project_platform import UsageError, bulk
from project_platform.bulk.claims import Claims
from project_platform.bulk.journal import End
from project_platform.errors import JournalError

from .ledger import Ledger
from .rows import creates


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The URL of a prefix in a bucket of an S3-compatible server."""
    pytest.importorskip("obstore", reason="needs the extra dask")
    moto = pytest.importorskip("moto.server", reason="needs moto")
    from urllib.request import Request, urlopen

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        urlopen(Request(f"http://{host}:{port}/deals", method="PUT")).close()
        yield "s3://deals/run"
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def place(request: Any, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "claims")
    return f"{request.getfixturevalue('bucket')}/{request.node.name}"


def test_a_batch_has_one_owner_among_threads(place):
    """Exclusive creation is atomic."""
    claims, found = [Claims(place, create=True) for _ in range(8)], []
    threads = [threading.Thread(target=lambda c=c: found.append(c.claim("run/0000001"))) for c in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len([claim for claim in found if claim is not None]) == 1


def test_what_an_owner_writes_is_read_by_others(place):
    """Outcomes are in parts, and a later part may say more about a row that was lost."""
    claim = Claims(place, create=True).claim("run/0000001", keys=["a"])
    claim.write([(0, End("yes", ref="rec_1")), (1, End("lost", note="x"))])
    claim.write([(1, End("in effect"))])

    other = Claims(place)
    assert other.claim("run/0000001") is None
    assert other.facts("run/0000001")["keys"] == ["a"]
    assert {row: (end.kind, end.ref) for row, end in other.ends("run/0000001").items()} == {
        0: ("yes", "rec_1"),
        1: ("in effect", None),
    }
    assert other.ends("run/0000002") == {}
    assert other.facts("run/0000002") is None


def test_partitions_are_claimed_in_a_bucket(bucket, tmp_path):
    from .test_partitions import applied, send

    ledger, place = Ledger(), f"{bucket}/partitions"

    assert applied(send(ledger, place, creates(70))) == ["yes"] * 70
    assert applied(send(ledger, place, creates(70))) == ["yes"] * 70
    assert set(ledger.created.values()) == {1}
    assert bulk.gather(place, tmp_path / "journal").counts["yes"] == 70


def test_a_claim_whose_response_was_lost_is_still_owned(place, monkeypatch):
    """The library of an object store repeats the request, which is then refused because of itself."""
    claims = Claims(place, create=True)
    create = claims._storage.create
    monkeypatch.setattr(claims._storage, "create", lambda path, data: [create(path, data) for _ in range(2)])

    assert claims.claim("run/0000001") is not None
    assert Claims(place).claim("run/0000001") is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_worker_that_is_killed_while_it_writes_its_claim_leaves_none(tmp_path):
    """The batch is free, since nothing of it was sent."""
    claims, pid = Claims(tmp_path), os.fork()
    if pid == 0:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))  # kills it after four bytes
        claims.claim("run/0000001")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGXFSZ

    assert claims.batches() == []
    assert claims.claim("run/0000001") is not None


def test_a_file_system_without_hard_links_has_one_owner_as_well(tmp_path, monkeypatch):
    def refuse(*names):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)

    assert Claims(tmp_path).claim("run/0000001", keys=["a"]) is not None
    assert Claims(tmp_path).claim("run/0000001") is None
    assert Claims(tmp_path).facts("run/0000001")["keys"] == ["a"]


def test_a_place_that_cannot_be_used_is_named(bucket, monkeypatch):
    with pytest.raises(JournalError, match="s3://no-such-bucket/x cannot be used") as raised:
        Claims("s3://no-such-bucket/x").claim("run/0000001")
    assert "test" not in str(raised.value)
    with pytest.raises(UsageError, match="gopher"):
        Claims("gopher://x/y")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_worker_does_not_hang_in_an_object_store(bucket):
    """The threads of obstore do not survive a fork, so the child refuses instead of waiting for them for ever."""
    Claims(bucket).sees("run")
    pid = os.fork()
    if pid == 0:
        try:
            Claims(bucket)
        except UsageError:
            os._exit(3)
        os._exit(4)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
