"""The registry of rules: each has tests, cites the specification, and reaches no further than it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from project_platform_contract.operations import operations, worst
from project_platform_contract.rules import RULES, by_id
from project_platform_contract.rules.per_operation import dashed, rule_per_operation
from project_platform_contract.rules.rule import Rule
from project_platform_contract.rules.sections import place_of

from .recorder import FILE

HERE = Path(__file__).parent
NUMBERED = {4: 3, 5: 4, 9: 4}  # Endpoints whose rules are numbered in the specification, and how many there are.
RESOURCES = (
    *("Workflow", "Object record", "Memory entry", "Agent definition", "Pagination object", "Sidebar configuration"),
    *("Template apply result", "Calendar booking result", "Busy interval", "Web analytics configuration"),
    *("Scheduled post", "Photo-network media analytics item", "Permission values"),
)
COVERED = (
    *("What the service does", "States", "Errors", "Limits", "Versioning"),
    *(f"Resources, {resource}" for resource in RESOURCES),
    *(operation.section for operation in operations()),
    *(f"Endpoints {number}, rule {rule}" for number, rules in NUMBERED.items() for rule in range(1, rules + 1)),
    *(f"Authentication {number}" for number in range(1, 6)),  # 6 and 7 say what is not shown
)
LIMITS = {
    "workflows_create": 6,
    "calendar_book": 1,
    "agents_list": 2,
}  # Lines of the table of limits; two slugs are one.


@pytest.fixture(scope="module")
def tests(tmp_path_factory):
    """Every test of the suite after a run on the stub: its rules, how it ended, and the effects of what it called."""
    folder = tmp_path_factory.mktemp("suite")
    file = folder / "record.json"
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "recorder"),
            *("--pyargs", "project_platform_contract", "--contract-fuzz", "1"),
        ],
        cwd=folder,
        env={**os.environ, FILE: str(file), "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
    return json.loads(file.read_text("utf-8"))


def test_every_rule_has_a_test(tests):
    """A rule that nothing proves is no rule of the suite."""
    tested = {id for test in tests.values() for id in test["rules"]}

    assert [id for id in RULES if id not in tested] == []


def test_every_test_is_of_rules_that_there_are(tests):
    """A test without a rule proves nothing that anybody asked for."""
    strays = {
        name: test["rules"] for name, test in tests.items() if not test["rules"] or set(test["rules"]) - set(RULES)
    }

    assert strays == {}


def test_the_stub_proves_every_rule(tests):
    """In the demo world nothing is missing, so that no test is left out."""
    assert {name: test["outcomes"] for name, test in tests.items() if test["outcomes"] != ["passed"] * 3} == {}


def test_a_rule_of_each_operation_cites_the_section_of_that_operation(monkeypatch):
    """The section is the contract's `x-sdk.section`; the order of the paths in the document means nothing."""
    first, *others = operations()
    monkeypatch.setattr("project_platform_contract.rules.per_operation.operations", lambda: (*others, first))

    cited = {rule.operation: rule.section for rule in rule_per_operation("any", "{operation}", "{section}, response")}

    assert cited == {operation.id: f"{operation.section}, response" for operation in operations()}


def test_a_rule_reaches_as_far_as_it_says(tests):
    """The effect of a rule is the worst of what its tests call, and of its operation: no less, and no more."""
    of = {operation.id: operation.effect for operation in operations()}
    # The operation's own counts as well: some tests look at what one of them has created for all.
    found = {id: [of[rule.operation]] if rule.operation else [] for id, rule in RULES.items()}
    for test in tests.values():
        for id in test["rules"]:
            found[id] += test["effects"]

    wrong = {id: rule.effect for id, rule in RULES.items() if worst(*found[id]) != rule.effect}
    assert wrong == {}


def test_no_test_reaches_further_than_its_rules(tests):
    """A test that may be run, by the worst of its rules, is one whose calls may all be made."""
    rules = {name: worst(*(RULES[id].effect for id in test["rules"])) for name, test in tests.items()}
    too_far = {
        name: test["effects"] for name, test in tests.items() if worst(rules[name], *test["effects"]) != rules[name]
    }

    assert too_far == {}


def test_identifiers_are_words_with_dots():
    """So that they can be read, sorted and matched by pattern."""
    assert [id for id in RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+", id)] == []


def test_rules_stand_in_the_order_of_the_specification():
    """By the section that they cite first."""
    places = [place_of(rule.section) for rule in RULES.values()]

    assert places == sorted(places)


def test_two_rules_of_one_name_are_an_error():
    """One of them would be lost."""
    rule = Rule("agents.list.x", "Something.", "Endpoints 12", "agents_list", "read")

    with pytest.raises(ValueError, match=r"two rules agents\.list\.x"):
        by_id([rule, rule])


def test_a_section_that_there_is_not_is_an_error():
    """A rule that cites nothing could be anybody's."""
    rule = Rule("agents.list.x", "Something.", "Endpoints 12; Elsewhere 3", "agents_list", "read")

    with pytest.raises(ValueError, match="'Elsewhere 3' is no section"):
        by_id([rule])


@pytest.mark.parametrize("section", COVERED)
def test_every_section_is_covered(section):
    """Each section, and each of its numbered rules, is cited by a rule."""
    cited = [part for rule in RULES.values() for part in rule.section.split("; ")]

    assert any(part == section or part.startswith(f"{section}, ") for part in cited)


@pytest.mark.parametrize(("operation", "limits"), LIMITS.items())
def test_every_limit_is_covered(operation, limits):
    """As many rules as the table of limits has lines for the operation, or more, cite it."""
    citing = [rule.id for rule in RULES.values() if rule.operation == operation and "Limits" in rule.section]

    assert len(citing) >= limits


@pytest.mark.parametrize("prefix", ["answers", "auth.bearer-required", "errors.body"])
def test_every_operation_has_a_rule_of_its_own(prefix):
    """What holds for all operations is shown for each of them, with the operation's own effect."""
    found = {id: rule.effect for id, rule in RULES.items() if id.startswith(f"{prefix}.")}

    assert found == {f"{prefix}.{dashed(operation.id)}": operation.effect for operation in operations()}
