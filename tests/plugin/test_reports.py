"""The report of a failed test, and the tests that fail because of unmet faults."""

from __future__ import annotations

import pytest

TITLES = ["stub journal", "stub faults"]


def test_an_unmet_fault_fails_its_test(run):
    """The next test starts without planned faults."""
    result = run("""
        def test_it(stub_faults, stub_project):
            stub_faults.plan("agents_list", faults.status(503, retry_after=2))
            stub_faults.plan("records_update", faults.drop_after_apply())
            stub_project.posts.list()

        def test_next(stub_project):
            assert list(stub_project.agents.list())
    """)

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "*__ test_it __*",
            "Planned faults that no request met:",
            "  agents_list: status 503 Retry-After 2 s",
            "  records_update: drop_after_apply",
            "To permit that, call stub_faults.clear() at the end of the test.",
            "*- stub journal -*",
            "*owner  GET /socials/posts/*  200",
            "*- stub faults -*",
            "*not met: status 503 Retry-After 2 s",
        ]
    )


def test_an_unmet_fault_fails_an_asynchronous_test(run):
    """In the same way as a synchronous one."""
    result = run("""
        import unittest

        @pytest.mark.anyio
        async def test_it(stub_faults, stub_async_project, anyio_backend):
            stub_faults.plan("records_update", faults.drop_after_apply())

        @pytest.mark.usefixtures("planned")
        class TestOld(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def planned(self, stub_faults):
                stub_faults.plan("records_update", faults.drop_after_apply())

            def test_it(self):
                pass
    """)

    result.assert_outcomes(failed=3)


def test_met_and_cleared_faults_fail_no_test(run):
    """Only faults that are left at the end of a test count."""
    result = run("""
        def test_met(stub_faults, stub_project):
            stub_faults.plan("agents_list", faults.status(404))
            with pytest.raises(PlatformError):
                list(stub_project.agents.list())

        def test_cleared(stub_faults):
            stub_faults.plan("agents_list", faults.status(503))
            stub_faults.clear()
    """)

    result.assert_outcomes(passed=2)


def test_a_failing_test_keeps_its_error(run):
    """A test that fails before its faults are met shows its own error, and the faults in a section."""
    result = run("""
        def test_it(stub_faults):
            stub_faults.plan("records_update", faults.drop_after_apply())
            raise RuntimeError("its own")

        def test_skipped(stub_faults):
            stub_faults.plan("records_update", faults.drop_after_apply())
            pytest.skip("not today")
    """)

    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["E * RuntimeError: its own", "*- stub faults -*", "*not met: drop_after_apply"])


def test_near_misses_are_shown(run):
    """A failure shows requests that are likely mistakes, with hints and the beginning of their bodies."""
    result = run("""
        def test_it(stub, stub_token, stub_project):
            headers = {"Authorization": f"Bearer {stub_token}"}
            with httpx.Client(transport=stub.transport(), base_url="http://stub.localhost", headers=headers) as client:
                client.get(f"/projects/{stub_project.id}/agent")
                client.post(
                    f"/projects/{stub_project.id}/object-records", json={"typeSlug": "deal", "dta": {"stage": "open"}}
                )
            assert not "reached"
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- stub journal -*",
            "Near misses:",
            "*GET /projects/*/agent  404*did you mean GET /projects/{projectId}/agents?",
            "*owner  POST /projects/*/object-records  201",
            "*dta*did you mean data?*",
            '*body: {"typeSlug":"deal","dta":{"stage":"open"}}',
            "Requests (2):",
        ]
    )


def test_a_report_has_only_the_requests_of_its_test(run):
    """Including those that belong to no world."""
    result = run("""
        def test_first(stub):
            with httpx.Client(transport=stub.transport(), base_url="http://stub.localhost") as client:
                client.get("/earlier")

        def test_second(stub_world):
            assert not "reached"

        def test_third(stub):
            assert not "reached"
    """)

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*- stub journal -*", "no requests"])
    result.stdout.no_fnmatch_line("*earlier*")
    assert str(result.stdout).count("stub journal") == 1, "a test without a world has no journal"


def test_a_passing_test_has_no_section(run):
    """Not even with `-rA`."""
    result = run(
        """
        def test_it(stub_project):
            stub_project.posts.list()
        """,
        "-rA",
    )

    result.assert_outcomes(passed=1)
    for title in TITLES:
        result.stdout.no_fnmatch_line(f"*{title}*")


@pytest.mark.parametrize("phase", ["setup", "teardown"])
def test_a_failure_in_a_fixture_is_reported(run, phase):
    """With the requests so far, in setup and in teardown."""
    result = run(f"""
        @pytest.fixture
        def prepared(stub_project):
            stub_project.posts.list()
            assert {phase == "teardown"}
            yield
            assert {phase == "setup"}

        def test_it(prepared):
            pass
    """)

    result.assert_outcomes(errors=1, passed=phase == "teardown")
    result.stdout.fnmatch_lines(["*- stub journal -*", "*owner  GET /socials/posts/*  200"])


def test_no_report_shows_a_credential(run, pytester):
    """Tokens and session credentials are redacted everywhere, and control characters are escaped."""
    result = run("""
        @pytest.fixture
        def secrets(stub_world):
            return type("Secrets", (), {"token": stub_world.token(), "session": stub_world.tokens.session()})

        def test_it(stub, stub_project, secrets):
            headers = {"Authorization": f"Bearer {secrets.token}"}
            with httpx.Client(transport=stub.transport(), base_url="http://stub.localhost", headers=headers) as client:
                client.get(f"/projects/{stub_project.id}/agent?token={secrets.token}&session={secrets.session}")
                client.post(
                    f"/projects/{stub_project.id}/workflows",
                    json={"name": "x" * 150, "description": secrets.token, "tags": [secrets.session, "\\x1b[31m"]},
                )
                client.post(f"/projects/{stub_project.id}/workflows", content="\\x1b[31mred", headers=headers)
            with open("secrets.txt", "w") as file:
                file.write(f"{secrets.token}\\n{secrets.session}")
            assert not "reached"
    """)

    result.assert_outcomes(failed=1)
    shown = str(result.stdout)
    token, session = (pytester.path / "secrets.txt").read_text().splitlines()
    assert "token=[redacted]&session=[redacted]" in shown
    assert "\\x1b[31mred" in shown
    assert "\x1b" not in shown
    for part in (*token.split("."), session, session.rpartition("_")[2]):
        assert part not in shown
        assert part[:20] not in shown


def test_the_report_shows_whether_retry_after_was_honoured(run):
    """The table of faults has each attempt with its response and the wait of the client."""
    result = run("""
        def test_it(stub, stub_faults, stub_token, stub_clock, stub_world):
            stub_clock.freeze()
            stub_faults.plan("agents_list", *faults.flaky(2, faults.status(503, retry_after=2)))
            path, headers = f"/projects/{stub_world.project.id}/agents", {"Authorization": f"Bearer {stub_token}"}
            with httpx.Client(transport=stub.transport(), base_url="http://stub.localhost", headers=headers) as client:
                client.get(path)
                client.get(path)
                stub_clock.advance(2)
                client.get(path)
            assert not "reached"
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- stub faults -*",
            "*agents_list*503*2 s, retried after * TOO EARLY",
            "*agents_list*503*2 s, retried after 2 s: honoured",
        ]
    )


def test_pending_requests_are_reported(run):
    """A request that is still to be carried out late does not fail its test, but is in the report of a failure."""
    result = run("""
        @pytest.mark.parametrize("fails", [False, True])
        def test_it(stub_faults, stub_project, fails):
            stub_faults.plan("calendar_book", faults.apply_late(3600))
            with pytest.raises(PlatformError):
                stub_project.calendar.book(start="2027-07-01T09:00:00Z", summary="Visit")
            assert not fails
    """)

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*- stub faults -*", "Late requests that were not carried out by the end of the test: 1"]
    )


def test_a_long_journal_is_truncated(run):
    """To the latest requests, with their total number."""
    result = run("""
        def test_it(stub_project):
            for number in range(30):
                stub_project.posts.list()
            assert not "reached"
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Requests (the last 20 of 30):"])
    assert str(result.stdout).count("GET /socials/posts/") == 20
