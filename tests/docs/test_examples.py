"""The examples run without a service, and against the service that the environment names."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from project_platform import operations
from project_platform_stub import Stub

EXAMPLES = Path(__file__).parents[2] / "examples"
# A line of the output of each example.
OUTPUT = {
    "async_overview.py": "agents in all: 8",
    "book_a_slot.py": "refused: The slot was taken; nothing was written. Applied: no.",
    "change_many_records.py": "reported as applied: 299; in the service: 299 won, 1 lost",
    "check_permission.py": "did you mean crm_objects:write",
    "claim_a_lease.py": "term 2: 1 of 8 won",
    "conditional_update.py": "refused: <Change of rec_",
    "conflict_report.py": "as a whole: conflict",
    "counter.py": "8 workers counted 5 times each, and one more: 41",
    "create_and_update_record.py": "refused: expectedData is stale; the record is unchanged. Applied: no.",
    "export_labels.py": "left out: Test kitchen pie (not approved)",
    "handle_errors.py": "8 agents, although a response was lost",
    "import_a_file.py": ", of which 0 twice",
    "import_with_dask.py": "300 of 300 rows are records",
    "list_agents.py": "offset 6: 2 agents, more: False",
    "lost_answers.py": "applied: in effect, stage is 'won'",
    "many_worlds.py": "deals per world: [0, 1, 2, 3, 4, 5]",
    "modify_record.py": "after a function returned a snapshot: {'signatures': ['Eve', 'Ada'], 'missing': 1}",
    "own_transport.py": "canned: True",
    "plan_faults.py": "drop_after_apply                      -> check the calendar  one event in the calendar",
    "retry_policy.py": "steady: 5 posts after 3 requests",
    "time_travel.py": "02 May 17:00  'Tomorrow: tasting of the new menu' is published",
}
# These plan faults, create worlds or move clocks, so they always use their own stub.
OWN_STUB = {
    "change_many_records.py",
    "counter.py",
    "handle_errors.py",
    "import_a_file.py",
    "lost_answers.py",
    "many_worlds.py",
    "plan_faults.py",
    "retry_policy.py",
    "time_travel.py",
}
# Packages that an example needs beside the SDK and the stub. It runs only once, because it takes seconds.
NEEDS = {"import_with_dask.py": "distributed"}


def run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example as a script without arguments."""
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{name} needs {NEEDS[name]}")
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.syspath_prepend(EXAMPLES)  # as Python does for the folder of a script
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


@pytest.mark.parametrize("name", OUTPUT)
def test_an_example_runs_without_a_service(name, workplace, monkeypatch, capsys):
    """An example needs no server and no settings: it starts a stub in its process."""
    run(name, monkeypatch)

    assert OUTPUT[name] in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(OUTPUT.keys() - OWN_STUB - NEEDS.keys()))
def test_an_example_runs_against_the_service_in_the_environment(name, service: Stub, monkeypatch, capsys):
    run(name, monkeypatch)

    assert OUTPUT[name] in capsys.readouterr().out
    assert len(service.world.journal) > 0, "the example did not call the service"


def test_every_example_is_run():
    """A new example must be added to `OUTPUT`; the demonstration has a separate test."""
    assert {path.name for path in EXAMPLES.glob("*.py")} - {"demo.py"} == set(OUTPUT)


def test_the_demonstration_calls_operations(workplace, monkeypatch, capsys):
    """What `make demo` runs calls operations of the SDK, says how many there are and which it leaves out; none fails."""
    with pytest.raises(SystemExit) as ended:
        run("demo.py", monkeypatch)

    out = capsys.readouterr().out
    assert ended.value.code == 0, out
    shown = {match.replace(".", "_") for match in re.findall(r"^sync \+ async  (\S+)", out, re.MULTILINE)}
    missing = set(operations.__all__) - shown
    assert shown <= set(operations.__all__)
    assert f"\n{len(shown)} of {len(operations.__all__)} operations" in out
    assert [line for line in out.splitlines() if line.startswith("Not shown: ")] == [
        f"Not shown: {', '.join(sorted(missing))}" for _ in [missing] if missing
    ]
