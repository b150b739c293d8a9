"""A label sheet is saved whole or not at all."""

from __future__ import annotations

import os
import stat
import threading

import pytest


def test_an_existing_file_is_replaced(sheet, tmp_path, pdf):
    """With its permissions. The path may be a string, and becomes a path object."""
    target = tmp_path / "labels.pdf"
    target.write_bytes(b"old")
    target.chmod(0o600)

    assert sheet.save(str(target)) == target

    assert target.read_bytes() == pdf
    assert os.name == "nt" or stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_name_may_be_as_long_as_names_can_be(sheet, tmp_path, pdf):
    assert sheet.save(tmp_path / f"{'y' * 251}.pdf").read_bytes() == pdf


def test_a_save_that_fails_leaves_the_old_file(sheet, tmp_path, monkeypatch):
    target = tmp_path / "labels.pdf"
    target.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        sheet.save(target)

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_a_link_stays_and_a_pipe_is_written_to(sheet, tmp_path, pdf):
    """Also `/dev/stdout`, which is both."""
    (tmp_path / "link.pdf").symlink_to(tmp_path / "real.pdf")
    sheet.save(tmp_path / "link.pdf")
    assert (tmp_path / "link.pdf").is_symlink()
    assert (tmp_path / "real.pdf").read_bytes() == pdf

    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    sheet.save(tmp_path / "pipe")
    reader.join()
    assert (tmp_path / "pipe").is_fifo()
    assert read == [pdf]
