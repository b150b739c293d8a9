"""Restores what an earlier run changed in the deployment, if it was killed before it restored it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import httpx

from project_platform_contract.fuse import Fuse
from project_platform_contract.fuse.ledger import Ledger, Unrestored, unrestored

from .contract_run import Run, new_tag
from .folder_lock import FolderLock
from .limits import limits_of
from .restoration import restore
from .settings import Settings
from .target import Target

CHANGES_LOCK: Final = "changes.lock"
"""Name of the file that a process locks while it changes what the run did not create."""

CHANGES_TIMEOUT: Final = 120.0
"""Seconds to wait for another process, which restores what it changed in less."""


class NotRestoredError(Exception):
    """Something that an earlier run changed cannot be restored; the message names its ledger and the way out."""


def repair(settings: Settings, folder: Path) -> list[str]:
    """Restore what the ledgers of a folder show as changed, and return a line for each restored resource.

    Raises:
        NotRestoredError: The settings do not allow it, or the service did not accept it.
    """
    if not unrestored(folder):
        return []
    with FolderLock(folder / CHANGES_LOCK, CHANGES_TIMEOUT):
        # Read again: a worker that outlived its run may have restored it in the meantime.
        return [_repair(settings, folder, item) for item in unrestored(folder)]


def _repair(settings: Settings, folder: Path, item: Unrestored) -> str:
    what = f"{item.backup.what} of {item.target}"
    begin = f"{item.path}: the run {item.run} changed {what} and ended before it restored it."
    if settings.url != item.target or settings.data is None:
        way_out = f"Run the suite on {item.target} with this --report folder first, or use another folder."
        raise NotRestoredError(f"{begin} {way_out}")
    if "write" not in settings.effects:
        raise NotRestoredError(f"{begin} Add --allow write --i-own {httpx.URL(item.target).host} to restore it first.")
    ledger = Ledger(folder / "ledger-repair.jsonl", new_tag(), item.target)
    target = Target(settings.url, settings.data)
    fuse = Fuse(limits_of(settings, target, tag=""), on_pass=ledger.before, on_answer=ledger.after)
    fuse.backups[item.backup.path] = item.backup
    run = Run(target, fuse, ledger, "", settings.timeout)
    with closing(run), run.client(settings.data.token("owner")) as client:
        problem = restore(run, client, item.backup)
    if problem is not None:
        raise NotRestoredError(
            f"{begin} It could not be restored: {problem}. Restore it by hand; its previous value is in the last line of the "
            "file with the event 'saves'. Then delete the file."
        )
    Ledger(item.path, item.run, item.target).restored(item.backup)
    return f"restored {item.backup.what}, which the run {item.run} had changed ({item.path})"
