"""The fixtures: an isolated world for each test, and clients of it."""

from __future__ import annotations

import pytest


def test_each_test_has_an_isolated_world(run):
    """The next test does not see its writes, and its token is refused afterwards."""
    result = run("""
        tokens = []

        def test_first(stub_project, stub_world, stub_token):
            stub_project.records.create(type_slug="deal", data={"stage": "open"}, external_id="mine")
            assert "mine" in [record.get("externalId") for record in stub_world.project.records.values()]
            tokens.append(stub_token)

        def test_second(stub_world, stub_sign_in):
            assert "mine" not in [record.get("externalId") for record in stub_world.project.records.values()]
            with pytest.raises(PlatformError) as caught:
                stub_sign_in(token=tokens[0]).auth.check_permission("crm_objects:read")
            assert caught.value.status == 401
    """)

    result.assert_outcomes(passed=2)


def test_worlds_are_garbage_collected(run):
    """Pytest keeps the items of finished tests, but not their worlds."""
    result = run("""
        import gc, weakref
        worlds = []

        def test_first(stub_world, stub_project, stub_async_project):
            stub_project.posts.list()
            worlds.append(weakref.ref(stub_world))

        def test_second():
            gc.collect()
            assert [world() for world in worlds] == [None]
    """)

    result.assert_outcomes(passed=2)


def test_the_clock_may_be_moved_by_days(run):
    """The tokens of the clients are valid at each time of the world."""
    result = run("""
        @pytest.mark.parametrize("seconds", [2 * 86400, -2 * 86400])
        def test_it(stub_project, stub_clock, seconds):
            stub_project.posts.list()
            stub_clock.advance(seconds)
            stub_project.posts.list()
    """)

    result.assert_outcomes(passed=2)


def test_all_fixtures_belong_to_the_same_world(run):
    """Outbox, journal, clock, faults, tokens and clients are those of `stub_world`."""
    result = run("""
        def test_it(stub_world, stub_project, stub_outbox, stub_journal, stub_clock, stub_faults, stub_token):
            stub_project.calendar.book(
                start="2027-07-01T09:00:00Z", summary="Visit", attendee={"email": "ada@example.com"}
            )

            assert stub_project.id == stub_world.project.id
            assert [mail.to for mail in stub_outbox] == [mail.to for mail in stub_world.outbox] == ["ada@example.com"]
            assert [entry.operation for entry in stub_journal] == ["calendar_book"]
            assert (stub_clock, stub_faults) == (stub_world.clock, stub_world.faults)
            assert stub_token.count(".") == 2
    """)

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("transport", ["in-process", "socket"])
def test_the_asynchronous_project_works_in_any_event_loop(run, transport):
    """Under asyncio and under trio, without leaving a socket open."""
    result = run(
        """
        @pytest.mark.anyio
        @pytest.mark.parametrize("number", range(2))
        async def test_it(stub_async_project, stub_async_sign_in, anyio_backend, number):
            record = await stub_async_project.records.create(type_slug="deal", data={"stage": "open"})
            assert record.data == {"stage": "open"}
            assert await stub_async_sign_in("viewer").auth.check_permission("crm_objects:write") is False

        def test_without_a_plugin(stub_async_project):
            async def main():
                return await stub_async_project.posts.list()

            assert anyio.run(main)
        """,
        *(["--stub-socket"] if transport == "socket" else []),
    )

    result.assert_outcomes(passed=5)


def test_clients_are_in_process_by_default(run):
    """The server is started for the first test that needs it, and serves all tests of the run."""
    result = run("""
        import threading
        addresses = set()

        def test_in_process(stub_client):
            stub_client.auth.check_permission("crm_objects:read")
            assert "http://stub.localhost" in repr(stub_client)
            assert "project-platform-stub" not in [thread.name for thread in threading.enumerate()]

        @pytest.fixture
        def no_transport(stub, monkeypatch):
            monkeypatch.delattr(type(stub), "transport")

        @pytest.mark.stub(socket=True)
        @pytest.mark.parametrize("number", range(2))
        def test_over_a_socket(no_transport, stub_client, stub_base_url, number):
            stub_client.auth.check_permission("crm_objects:read")
            assert stub_base_url in repr(stub_client)
            addresses.add(stub_base_url)

        def test_of_code_that_knows_no_sdk(stub_base_url, stub_token, stub_world):
            headers = {"Authorization": f"Bearer {stub_token}"}
            answer = httpx.get(f"{stub_base_url}/projects/{stub_world.project.id}/agents", headers=headers)
            assert answer.status_code == 200
            addresses.add(stub_base_url)

        def test_afterwards():
            assert len(addresses) == 1
    """)

    result.assert_outcomes(passed=5)


def test_clients_are_closed(run):
    """At the end of its test, so that later use of it fails."""
    result = run("""
        clients = []

        def test_first(stub_client, stub_sign_in):
            clients.extend([stub_client, stub_sign_in("viewer")])

        def test_second():
            for client in clients:
                with pytest.raises(PlatformError, match="closed"):
                    client.auth.check_permission("crm_objects:read")
    """)

    result.assert_outcomes(passed=2)


def test_several_identities_share_the_world(run):
    """`stub_sign_in` returns a client of another identity in the same world, or with an invalid token."""
    result = run("""
        def test_it(stub_project, stub_sign_in, stub_world):
            record = stub_project.records.create(type_slug="deal", data={"stage": "open"})
            stub_sign_in("service_account").project().records.update(record.id, data={"stage": "won"})
            assert stub_world.project.records[record.id]["data"] == {"stage": "won"}
            for client, status in (
                (stub_sign_in("viewer"), 403),
                (stub_sign_in("outsider"), 403),
                (stub_sign_in(token=stub_world.tokens.expired()), 401),
            ):
                with pytest.raises(PlatformError) as caught:
                    client.project().records.update(record.id, data={})
                assert caught.value.status == status
    """)

    result.assert_outcomes(passed=1)


def test_a_stub_fixture_of_the_project_is_used(run):
    """It overrides the plugin's fixture, and the other fixtures use it."""
    result = run("""
        from project_platform_stub import Stub

        @pytest.fixture
        def stub():
            return Stub(seed=7)

        def test_it(stub, stub_world, stub_project):
            assert stub_world in list(stub.worlds)
            assert stub.world.seed == 7
            assert stub_project.agents.list()
    """)

    result.assert_outcomes(passed=1)


def test_a_stub_of_one_class_has_a_server_of_its_own(run):
    """Beside that of the other tests, in either order."""
    result = run(
        """
        def test_before(stub_project):
            stub_project.agents.list()

        class TestOwn:
            @pytest.fixture
            def stub(self):
                from project_platform_stub import Stub

                return Stub()

            def test_own(self, stub_project):
                stub_project.agents.list()

        def test_after(stub_project):
            stub_project.agents.list()
        """,
        "--stub-socket",
    )

    result.assert_outcomes(passed=3)


def test_another_fixture_called_stub_is_reported(run):
    """The fixtures of the plugin fail with the type that they need."""
    result = run("""
        @pytest.fixture
        def stub():
            return "something else"

        def test_theirs(stub):
            assert stub == "something else"

        def test_ours(stub_world):
            pass
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*The fixture 'stub' returned a str;*must return a project_platform_stub.Stub"])
