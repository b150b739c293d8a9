"""The limiter, in virtual time: how fast it sends, and what it learns."""

from __future__ import annotations

import random
from math import inf

import pytest
from benchmarks.limiter import BARS, Ours, Service, simulate, steady

from project_platform.bulk.limiter import Limiter, Window
from project_platform.bulk.pace import Pace, SharedPace, curve, pace_of


@pytest.mark.parametrize("name", BARS)
def test_each_kind_of_limit_is_used_and_rarely_exceeded(name):
    """The bars of `python -m benchmarks.limiter --bars`, over ten minutes and over the first 30 s."""
    least = BARS[name][0]
    (share, refused), (first, _) = steady(name, 600.0), steady(name, 30.0)

    assert share >= least
    assert refused <= 0.02
    assert first >= 0.75


@pytest.mark.parametrize("hint", ["none", "seconds"])
@pytest.mark.parametrize("rate", [20, 200, 800])
def test_a_constant_quota_is_used_and_rarely_exceeded(rate, hint):
    """Without a number to set, at least 95 % of the quota and at most 2 % of 429."""
    service = Service([(0, rate)], random.Random(1), hint=hint)
    result = simulate([Ours()], service)

    assert result.good / service.capacity() >= 0.95
    assert result.refused / (result.good + result.refused) <= 0.02


def test_a_quota_that_returns_after_a_fall_is_found_within_seconds():
    """A probe doubles the rate ever faster as long as nothing is refused."""
    pace, service = Pace(), Service([(0, 100), (30, 25), (60, 150)], random.Random(1), hint="seconds", window=1.0)
    sender, rates = Ours(pace=pace), {}
    end = sender.end

    def observed(now, began, **response):
        rates[round(now)] = pace.rate
        return end(now, began, **response)

    sender.end = observed
    simulate([sender], service)

    assert rates[58] < 60
    assert max(rates.get(second, 0) for second in range(60, 66)) > 120


def test_a_service_that_queues_is_not_given_more_than_helps():
    """Its latency stays near that of an idle service."""
    service = Service([(0, 400)], random.Random(0), slots=16, latency=0.02)
    result = simulate([Ours()], service)

    assert result.good / service.capacity() >= 0.95
    assert sorted(result.latencies)[len(result.latencies) // 2] < 0.12


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("window", [0.0, 1.0], ids=["bucket", "window"])
def test_senders_that_start_at_once_find_the_quota_within_seconds(window, seed):
    """A refusal of a request from before the pause that another sender was asked for says nothing about the rate."""
    pace, service = Pace(), Service([(0, 120)], random.Random(seed), latency=0.02, hint="seconds", window=window)
    result = simulate([Ours(pace=pace) for _ in range(8)], service, 1.0, 30.0)

    assert result.good / service.capacity(30.0) >= 0.8


def test_without_responses_the_pause_grows_to_half_a_minute():
    """A service that is away is not asked more often; the rows wait."""
    limiter, now = Limiter(), 0.0
    for _ in range(40):
        while wait := limiter.start(now):
            assert wait == pytest.approx(min(wait, 30))
            now += wait
        limiter.failed(now, now)

    assert limiter.start(now) == pytest.approx(30)


@pytest.mark.parametrize(("outage", "most"), [(0.3, 2.0), (6.0, 10.0)])
@pytest.mark.parametrize("in_flight", [8, 100])
def test_an_outage_costs_little_more_than_its_time(outage, most, in_flight):
    """Attempts that were in flight together are one round of the pause; then one at a time looks whether the service is back."""
    limiter, now, latest, lost = Limiter(Window(size=in_flight)), 0.0, 0.0, 0
    while latest < outage:
        started = 0
        while not (wait := limiter.start(now)):
            started, latest = started + 1, now
        for _ in range(started):
            if now < outage:
                limiter.failed(now + 0.05, now)
                lost += 1
            else:
                limiter.answered(now + 0.05)
        now += 0.05 if wait == inf else max(0.05, wait)

    assert latest <= most
    assert lost <= in_flight + 15
    assert not limiter.waits_for_answers


def test_a_pace_survives_hours_without_a_refusal():
    """The curve has an end, so no number overflows, and the next refusal is compared with what was really sent."""
    pace = Pace()
    for now in range(100):
        pace.start(now * 0.01)
        pace.granted(now * 0.01)
    pace.refused(1.0, 0.99, None)
    for second in range(100):  # one per second, for hours
        now = 10_000.0 + second
        assert pace.start(now) == 0
        pace.granted(now)
    pace.refused(10_100.0, 10_099.5, None)

    assert curve(1e9, 4.0) < inf
    assert pace.rate < 10


def test_a_window_is_never_larger_than_the_number_of_connections():
    """More requests would wait inside of the transport, with their intents written."""
    limiter = Limiter(Window(most=3))
    started = [limiter.start(0.0) for _ in range(5)]

    assert started == [0, 0, 0, inf, inf]


def test_processes_share_a_pace_through_a_file(tmp_path):
    """What one is refused, the others learn."""
    one, other = (SharedPace(tmp_path / "pace", 100.0) for _ in range(2))
    one.start(100.0)
    other.granted(100.2)
    one.refused(100.3, 100.1, 5.0)

    assert other.rate == one.rate > 0
    assert other.start(100.4) == pytest.approx(4.9, abs=0.5)
    for pace in (one, other):
        pace.close()


@pytest.mark.parametrize("now", [50.0, 10_000.0], ids=["the machine was started again", "long ago"])
def test_an_old_pace_is_discarded(tmp_path, now):
    """Its numbers say nothing about today."""
    old = SharedPace(tmp_path / "pace", 5000.0)
    old.start(5000.0)
    old.refused(5001.0, 5000.5, None)
    old.close()

    new = SharedPace(tmp_path / "pace", now)
    assert new.rate == 0
    new.close()


def test_without_a_place_for_a_file_a_run_has_a_pace_of_its_own(tmp_path, monkeypatch):
    """A folder that others can write to is no place."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))

    assert isinstance(pace_of("https://platform.example", 0.0), Pace)


def test_one_bad_measurement_does_not_end_the_search_for_the_capacity():
    """A pause of the machine is no queue of the service: a window that stopped there stayed at 8 for a whole run."""
    window, now = Window(most=100), 0.0

    def measure(seconds, answers):
        nonlocal now
        for _ in range(answers):
            now += seconds / answers
            window.measure(now, good=True, paced=False)

    measure(0.53, 41)
    measure(0.53, 90)
    assert window.size == 32
    measure(5.1, 26)
    assert window.size == 32
    measure(0.53, 192)

    assert window.size == 64
