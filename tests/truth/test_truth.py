"""The verdicts of the SDK about writes, checked against the truth in thousands of seeded runs with faults.

TRUTH_RUNS is the number of runs (20000), TRUTH_SEED the first seed (0). To repeat one run: TRUTH_RUNS=1
TRUTH_SEED=4711 python -m pytest tests/truth.
"""

from __future__ import annotations

import pytest

CHUNKS = 10
ON_EVERY_PYTHON = 3  # chunks; the others take a minute, and differ in their seeds only
RARER = 10  # event loops have a tenth of the runs each: they differ from the sync client by an `await`
ALL_ROWS = 8_000  # runs after which every row has occurred, the rarest a few times


def check(tally, table, record_property):
    """Assert that no verdict was wrong; add the counts to the report of the tests."""
    for (kind, verdict), times in sorted(tally.verdicts.items()):
        record_property(f"{kind}: {verdict}", times)
    record_property("wrong", len(tally.wrong))
    print(f"\n{sum(tally.verdicts.values())} runs: {dict(tally.verdicts)}, wrong: {len(tally.wrong)}")
    assert not tally.wrong, f"{len(tally.wrong)} wrong verdicts\n\n{table.describe_wrong_runs(tally)}"


@pytest.mark.parametrize(
    "chunk",
    [pytest.param(n, marks=[] if n < ON_EVERY_PYTHON else pytest.mark.one_python) for n in range(CHUNKS)],
)
def test_no_verdict_is_ever_wrong(table, runs, seed, chunk, record_property):
    """Whatever is lost, late, cut off or interleaved: yes, no and in effect are true, and no unintended write is applied."""
    tally = table.drive(range(seed + chunk, seed + runs, CHUNKS))

    check(tally, table, record_property)


@pytest.mark.parametrize("how", ["asyncio", "trio"])
def test_no_verdict_of_an_async_client_is_ever_wrong(table, runs, seed, how, record_property):
    """The same under asyncio and trio."""
    tally = table.drive(range(seed, seed + max(1, runs // RARER)), how)

    check(tally, table, record_property)


@pytest.mark.one_python
def test_every_row_of_the_table_is_exercised(table, capsys):
    """Every row of the decision table occurs, and every run belongs to a row."""
    tally = table.drive(range(ALL_ROWS))
    with capsys.disabled():
        print()
        table.print_table(tally)

    assert {row for row, _ in tally.rows} == set(table.ROWS)
    assert set(table.STEPS) <= set(tally.steps)
    assert all(verdict == table.ROWS[row][3] for row, verdict in tally.rows)
