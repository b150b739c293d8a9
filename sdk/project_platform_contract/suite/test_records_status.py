"""Endpoints 4, rule 2: `expectedStatus` is compared exactly with the status before the update."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from project_platform_contract.data.data_file import MissingError

from .support.preconditions import require_conclusive, require_success, without_invalid
from .support.records import Records, record_of, status_of


@pytest.mark.rule("records.update.expected-status-exact")
def test_a_similar_status_is_stale(records: Records) -> None:
    record = records.create({"stage": "open"})
    status = status_of(record)
    require_success(records.update(record, data={"note": "in time"}, expectedStatus=status))
    similar = {
        "empty": "",
        "swapped case": status.swapcase(),
        "a blank after": f"{status} ",
        "a prefix": status[:-1],
        "a wildcard of SQL": f"{status[:1]}%",
        "a letter that is not ASCII after": f"{status}\u00e9",
        "an invisible character": f"{status[:1]}\u200b{status[1:]}",
        "full width": "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in status),
    }

    responses = {
        name: records.update(record, data={"note": "late"}, expectedStatus=text)
        for name, text in similar.items()
        if text != status
    }

    assert {
        name: each.status_code for name, each in without_invalid(responses).items() if each.status_code != 409
    } == {}
    assert records.read(record)["data"]["note"] == "in time"


@pytest.mark.rule("records.update.atomic")
def test_one_of_several_concurrent_updates_of_a_status_succeeds(records: Records) -> None:
    """Check and write are atomic for `expectedStatus`, too."""
    record = records.create({"status": "open"})
    before = _with_next_status(records, record, status_of(record))

    def update(writer: int) -> int:
        return records.update(record, data={"status": f"taken-{writer}"}, expectedStatus=before).status_code

    with ThreadPoolExecutor(4) as writers:
        statuses = list(writers.map(update, range(4)))

    assert len([status for status in statuses if 200 <= status < 300]) <= 1, f"the statuses are {statuses}"
    require_conclusive(statuses)
    assert len([status for status in statuses if status != 409]) == 1, f"the statuses are {statuses}"


def _with_next_status(records: Records, record: dict[str, object], before: str) -> str:
    """Change the status of a record, and return the new one.

    Raises:
        MissingError: The status does not follow the data; the specification does not say where it is from.
    """
    after = record_of(require_success(records.update(record, data={"status": f"{before}-next"}))).get("status")
    if not isinstance(after, str) or after == before:
        raise MissingError("the status of a record does not change with `status` in its data")
    return after
