"""Inferred rules: those for which the specification has no sentence are reported apart, and can be switched."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
import yaml

from project_platform_contract.data.data_file import DataError, load_data
from project_platform_contract.rules import RULES
from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import status

INFERRED = (
    *(
        "*.body-types",
        "scope.outsider-refused.*",
        "scope.foreign-project-refused.*",
        "scope.project-uuid.*",
    ),
    *("schema.invalid-refused.*", "permissions.check.other-values", "agents.list.echo", "agents.list.integers"),
    *("calendar.book.attendee-email", "calendar.busy.parameter-types", "calendar.reschedule.conflict-check"),
    *("engagement.like.account-uuid", "*.unknown-*", "calendar.busy.exact-calendar"),
    *("scope.own-things.calendar-book", "scope.own-things.calendar-busy", "scope.own-things.templates-apply"),
    "memory.update.slash-in-slug",
    *("records.create.large-integers", "records.update.other-fields", "records.update.expected-null"),
    *("workflows.create.texts-unchanged", "workflows.create.actions", "records.create.external-id-blanks"),
    *("records.create.time", "records.create.empty-key", "records.create.person-concurrent", "workflows.create.time"),
    *("calendar.book.empty-description", "templates.apply.permission-enough"),
    *("calendar.book.any-text", "calendar.book.other-project", "calendar.sequence-checked", "memory.update.time"),
    *("labels.export.whole-month", "content-type.parameters.*"),
    *("posts.list.account-platform", "workflows.create.trigger-condition"),
    *("labels.export.order", "labels.export.month", "labels.export.review-items"),
    *("calendar.book.calendar-name", "calendar.book.offset-of-times", "calendar.busy.offset-of-times"),
    *("calendar.reschedule.keeps-identifier", "calendar.sequence-long"),
    *("labels.export.forbidden", "labels.export.stock", "labels.export.unapproved", "labels.export.unauthenticated"),
)
LENIENT = [status(200, body={"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": False}})] * 30


@pytest.mark.parametrize("pattern", INFERRED)
def test_a_rule_without_a_sentence_is_inferred(pattern):
    """The specification states what is accepted, and hardly ever what is refused."""
    found = {id: rule.inferred for id, rule in RULES.items() if fnmatchcase(id, pattern)}

    assert found == dict.fromkeys(found, True)
    assert found


def test_a_rule_with_a_sentence_is_not_inferred():
    others = [id for id, rule in RULES.items() if rule.inferred and not any(fnmatchcase(id, one) for one in INFERRED)]

    assert others == []


@pytest.fixture
def run_lenient(prove_on, served, tmp_path):
    """Returns a function that proves `agents.list.integers` on a service that ignores invalid limits."""

    def run_lenient(**members):
        served.stub.world.faults.plan("agents_list", LENIENT)
        values = yaml.safe_load((tmp_path / "data.yaml").read_text("utf-8")) | members
        (tmp_path / "data.yaml").write_text(yaml.safe_dump(values), "utf-8")
        return prove_on("-k", "not_an_integer")

    return run_lenient


def test_an_inferred_rule_that_differs_is_reported_apart(run_lenient):
    """The deployment may be correct, so the run does not fail."""
    run = run_lenient()

    differing = [rule["id"] for rule in run.report["inferred"] if rule["verdict"] == "violated"]
    assert differing == ["agents.list.integers"]
    assert "agents.list.integers" not in {rule["id"] for rule in run.report["rules"]}
    assert run.report["counts"]["violated"] == 0
    assert run.report["counts"]["inferred"]["violated"] == 1
    assert "VIOLATED" not in run.out
    assert "differs   agents.list.integers (inferred, " in run.out
    assert "## Inferred rules that differ" in (run.folder / "report.md").read_text("utf-8")
    assert "Inferred rules that differ" in (run.folder / "report.html").read_text("utf-8")
    assert run.code not in {ExitCode.VIOLATED, ExitCode.WRONG_USE}


def test_an_inferred_rule_can_be_switched_off(run_lenient):
    run = run_lenient(inferred={"agents.list.integers": False})

    rule = next(rule for rule in run.report["inferred"] if rule["id"] == "agents.list.integers")
    assert (rule["verdict"], rule["why"]) == ("not run", "switched off in the data file, member 'inferred'")


def test_an_inferred_rule_can_count_like_the_others(run_lenient):
    """The last pattern that matches counts."""
    run = run_lenient(inferred={"agents.*": False, "agents.list.integers": True})

    assert run.code == ExitCode.VIOLATED
    assert [rule["id"] for rule in run.report["rules"] if rule["verdict"] == "violated"] == ["agents.list.integers"]
    assert "VIOLATED  agents.list.integers" in run.out


def test_a_rule_of_the_specification_cannot_be_switched_off(tmp_path):
    """Nor can a rule that does not exist; the message names the line."""
    path = tmp_path / "data.yaml"
    path.write_text("object_type: deal\ninferred:\n  records.update.merge: false\n", "utf-8")

    with pytest.raises(DataError, match=r"line 3: inferred: no inferred rule matches 'records\.update\.merge'"):
        load_data(path)
