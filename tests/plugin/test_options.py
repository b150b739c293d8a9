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


def test_a_marker_configures_the_world(run):
    """Seed, time and identity; the marker of a test takes precedence over that of its class."""
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


def test_a_marker_selects_a_world_file(run, pytester):
    """The path is relative to the folder of the test, and the first identity of the file is the default."""
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


def test_the_ini_file_sets_world_profile_and_transport(run, pytester):
    """For every test whose marker does not override them; paths are relative to the ini file."""
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
def test_an_invalid_file_is_reported_with_its_line(run, pytester, name):
    """The tests that need the file fail with a message that names file and line."""
    (pytester.path / "wrong.yaml").write_text("people: []\nnonsense: true\n")
    pytester.makeini(f"[pytest]\nstub_{name} = wrong.yaml\n")
    result = run("def test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*wrong.yaml:2:*nonsense*"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("sed=7", "has no argument 'sed'; did you mean 'seed'?"),
        ("colour='red'", "has no argument 'colour'"),
        ("7", "takes only keyword arguments, not (7,)"),
        ("seed=True", "has seed=True; it must be an integer"),
        ("socket='yes'", "has socket='yes'; it must be True or False"),
        ("at='tomorrow'", "has at='tomorrow'; it must be a time with an offset*"),
        ("at='2026-11-02T08:30:00'", "has at='2026-11-02T08:30:00'; it must be a time with an offset*"),
        ("world=7", "has world=7; it must be the path of a file*"),
    ],
)
def test_an_invalid_marker_is_refused(run, arguments, message):
    """The test fails with the valid arguments."""
    result = run(f"@pytest.mark.stub({arguments})\ndef test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*The marker 'stub' {message}*".replace("[", "[[]")])


def test_an_unknown_identity_is_refused(run):
    """The message lists the known ones."""
    result = run("@pytest.mark.stub(identity='nobody')\ndef test_it(stub_world): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["This world has no identity 'nobody'; it has: owner, viewer, *"])


def test_an_unknown_transport_is_refused(run, pytester):
    """The run does not start, and the message lists the known ones."""
    pytester.makeini("[pytest]\nstub_transport = pigeon\n")
    result = run("def test_it(): pass")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: stub_transport is 'pigeon'; it must be one of in-process, socket"])


def test_the_plugin_can_be_disabled(run):
    """With `-p no:project_platform`."""
    result = run("def test_it(stub_world): pass", "-p", "no:project_platform")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'stub_world' not found"])


def test_loading_the_plugin_is_cheap():
    """It imports neither the SDK nor the stub, nor their dependencies."""
    code = (
        "import sys, pytest; before = set(sys.modules); import project_platform_pytest.plugin\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )

    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()

    assert loaded == ["project_platform_pytest"]


def test_a_missing_extra_is_named(pytester, monkeypatch):
    """Without the dependencies of the stub, its fixtures fail with the package to install, and other tests pass."""
    pytester.makepyfile(rpds="raise ModuleNotFoundError('gone', name='rpds')")
    pytester.makepyfile(test_it="def test_theirs(): pass\n\ndef test_ours(stub_project): pass")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=os.pathsep)

    # Plugins of other projects may need the missing package too.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:schemathesis")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["The stub needs rpds: pip install 'project-platform[[]stub[]]'"])
