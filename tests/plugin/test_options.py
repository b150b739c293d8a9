"""The marker, the command line and the ini file."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

WORLD = """
people:
  - {key: boss, name: Berta Boss}
  - {key: intern, name: Ida Intern}
projects:
  - {key: team, name: Team, members: {boss: owner, intern: viewer}}
"""


def test_a_marker_says_how_the_world_is(run):
    """Seed, moment and identity are those of the marker, and a test's own marker goes before that of its class."""
    result = run("""
        @pytest.mark.stub(seed=7, at="2026-11-02T08:30:00Z", identity="viewer")
        class TestIt:
            def test_of_the_class(self, stub_world, stub_clock, stub_project):
                assert stub_world.seed == 7
                assert f"{stub_clock.now():%Y-%m-%d %H:%M}" == "2026-11-02 08:30"
                with pytest.raises(PlatformError) as caught:
                    stub_project.records.create(type_slug="deal", data={})
                assert caught.value.status == 403

            @pytest.mark.stub(identity="owner")
            def test_of_its_own(self, stub_world, stub_project):
                assert stub_world.seed == 7
                assert stub_project.records.create(type_slug="deal", data={}).created_by == "user_owner"
    """)

    result.assert_outcomes(passed=2)


def test_a_seed_gives_the_same_identifiers(run):
    """Tests with the same seed have the same identifiers, and those with another have others."""
    result = run("""
        seen = []

        @pytest.mark.parametrize("seed", [
            pytest.param(1, marks=pytest.mark.stub(seed=1, at="2026-11-02T08:30:00Z")),
            pytest.param(1, marks=pytest.mark.stub(seed=1, at="2026-11-02T08:30:00Z")),
            pytest.param(2, marks=pytest.mark.stub(seed=2, at="2026-11-02T08:30:00Z")),
        ])
        def test_it(stub_project, seed):
            record = stub_project.records.create(type_slug="deal", data={})
            seen.append((seed, stub_project.id, record.id))

        def test_afterwards():
            assert seen[0] == seen[1]
            assert not set(seen[1][1:]) & set(seen[2][1:])
    """)

    result.assert_outcomes(passed=4)


def test_a_marker_names_the_file_of_the_world(run, pytester):
    """The path is counted from the folder of the test, and its first identity is signed in."""
    (pytester.path / "team.yaml").write_text(WORLD)
    result = run("""
        @pytest.mark.stub(world="team.yaml")
        def test_it(stub_world, stub_project, stub_sign_in):
            assert stub_world.project.name == "Team"
            assert [identity.key for identity in stub_world.identities.values()] == ["boss", "intern"]
            assert stub_sign_in("intern").auth.check_permission("crm_objects:read")
            assert not stub_sign_in("intern").auth.check_permission("crm_objects:write")
            assert list(stub_project.agents.list()) == []

        def test_of_another_world(stub_world):
            assert stub_world.project.name == "Demo"
    """)

    result.assert_outcomes(passed=2)


def test_the_ini_file_names_a_world_a_profile_and_a_transport(run, pytester):
    """They hold for every test whose marker says nothing else, and paths are counted from the ini file."""
    (pytester.path / "team.yaml").write_text(WORLD)
    (pytester.path / "profile.yaml").write_text("createdStatus: 200\n")
    pytester.makeini("[pytest]\nstub_world = team.yaml\nstub_profile = profile.yaml\nstub_transport = socket\n")
    result = run("""
        def test_it(stub_world, stub_client, stub_journal):
            assert stub_world.project.name == "Team"
            assert "http://127.0.0.1:" in repr(stub_client)

        @pytest.mark.stub(socket=False)
        def test_of_its_own(stub_client, stub_project, stub_journal):
            assert "http://stub.localhost" in repr(stub_client)
            stub_project.workflows.create(name="N", trigger_type_slug="t", trigger_event_type="e", actions=[])
            assert [entry.status for entry in stub_journal] == [200]
    """)

    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("name", ["world", "profile"])
def test_a_file_that_is_wrong_is_told_with_its_line(run, pytester, name):
    """A file that cannot be used fails the tests that need it, and the text names file and line."""
    (pytester.path / "wrong.yaml").write_text("people: []\nnonsense: true\n")
    pytester.makeini(f"[pytest]\nstub_{name} = wrong.yaml\n")
    result = run("def test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*wrong.yaml:2:*nonsense*"])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("sed=7", "does not take 'sed'; did you mean 'seed'?"),
        ("colour='red'", "does not take 'colour'"),
        ("7", "takes no positional arguments, and was given (7,)"),
        ("seed=True", "takes as seed an integer, and was given True"),
        ("socket='yes'", "takes as socket True or False, and was given 'yes'"),
        ("at='tomorrow'", "takes as at a moment with its offset*was given 'tomorrow'"),
        ("at='2026-11-02T08:30:00'", "takes as at a moment with its offset*was given '2026-11-02T08:30:00'"),
        ("world=7", "takes as world the path of a file*was given 7"),
    ],
)
def test_a_marker_that_says_what_cannot_be_is_refused(run, said, told):
    """A misspelt or impossible marker fails the test, and says what would do."""
    result = run(f"@pytest.mark.stub({said})\ndef test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*The marker 'stub' {told}*".replace("[", "[[]")])


def test_an_identity_that_is_not_there_is_refused(run):
    """The text names those that there are."""
    result = run("@pytest.mark.stub(identity='nobody')\ndef test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["This world has no identity 'nobody'; it has: owner, viewer, *"])


def test_a_transport_that_is_none_is_refused(run, pytester):
    """The run does not begin, and the text names those that there are."""
    pytester.makeini("[pytest]\nstub_transport = pigeon\n")
    result = run("def test_it(): pass")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: stub_transport is 'pigeon'; it must be one of in-process, socket"])


def test_the_plugin_can_be_turned_off(run):
    """With `-p no:project_platform` there is nothing of it."""
    result = run("def test_it(stub_world): pass", "-p", "no:project_platform")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'stub_world' not found"])


def test_who_does_not_use_it_does_not_pay_for_it():
    """To load the plugin imports neither the SDK nor the stub, nor anything that they need."""
    code = (
        "import sys, pytest; before = set(sys.modules); import project_platform_pytest.plugin\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )

    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()

    assert loaded == ["project_platform_pytest"]


def test_a_missing_extra_is_named(pytester, monkeypatch):
    """Without the stub's packages its fixtures say what to install, and other tests pass."""
    pytester.makepyfile(rpds="raise ModuleNotFoundError('gone', name='rpds')")
    pytester.makepyfile(test_it="def test_theirs(): pass\n\ndef test_ours(stub_project): pass")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=os.pathsep)

    # Packages that plugins of other projects bring may need the missing one too.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:schemathesis")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["The stub needs rpds: pip install 'project-platform[[]stub[]]'"])
