"""The registry of rules: every rule has tests, cites the specification, and has the right effect."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from project_platform_contract.operations import operations, worst
from project_platform_contract.rules import RULES, STATED, by_id, rules_of
from project_platform_contract.rules.kinds import dashed
from project_platform_contract.rules.rule import Rule
from project_platform_contract.rules.sections import place_of

from .recorder import FILE

HERE = Path(__file__).parent
SPECIFICATION = HERE.joinpath("specification.md").read_text("utf-8")
SEQUENCES = "suite/test_model.py::"
NUMBERED = {4: 3, 5: 4, 9: 4}  # Number of rules of the endpoints whose rules the specification numbers.
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
    *(f"Authentication {number}" for number in range(1, 6)),  # 6 and 7 only say what is not documented
)
LIMITS = {
    "workflows_create": 6,
    "calendar_book": 1,
    "agents_list": 2,
}  # Numbers of lines in the table of limits, which has one line for both slugs.


@pytest.fixture(scope="module")
def tests(tmp_path_factory):
    """Every test of the suite after a run on the stub: its rules, its outcomes and the effects of its requests."""
    folder = tmp_path_factory.mktemp("suite")
    file = folder / "record.json"
    # Without those of a worker of these tests, which would have a part of the requests only.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "recorder"),
            *("--pyargs", "project_platform_contract", "--contract-fuzz", "1"),
        ],
        cwd=folder,
        env={**environment, FILE: str(file), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
    return json.loads(file.read_text("utf-8"))


def test_every_rule_has_a_test(tests):
    tested = {id for test in tests.values() for id in test["rules"]}

    assert [id for id in RULES if id not in tested] == []


def test_every_test_names_existing_rules(tests):
    wrong = {
        name: test["rules"] for name, test in tests.items() if not test["rules"] or set(test["rules"]) - set(RULES)
    }

    assert wrong == {}


def test_the_stub_proves_every_rule(tests):
    """No test is skipped in the demo world."""
    assert {name: test["outcomes"] for name, test in tests.items() if test["outcomes"] != ["passed"] * 3} == {}


def test_each_quoted_sentence_occurs_literally_in_the_specification():
    quoted = [(rule.id, sentence) for rule in RULES.values() for sentence in rule.sentences]
    quoted += [(operation, stated.response) for operation, stated in STATED.items()]

    assert [(id, sentence) for id, sentence in quoted if sentence not in SPECIFICATION] == []


def test_a_rule_has_a_sentence_if_the_specification_states_it():
    """And none if it is expected or inferred."""
    assert {rule.kind for rule in RULES.values()} == {"stated", "expected", "inferred"}
    assert [id for id, rule in RULES.items() if (rule.kind == "stated") != bool(rule.sentences)] == []


def test_a_rule_of_each_operation_cites_the_section_of_that_operation(monkeypatch):
    """The section is the contract's `x-sdk.section`; the order of the paths has no meaning."""
    first, *others = operations()
    monkeypatch.setattr("project_platform_contract.rules.operations", lambda: (*others, first))
    table = "| Rule |\n|---|\n| any | Of {operation}. | {response} | {section}, response | all |  |\n"

    cited = {rule.operation: (rule.section, rule.sentences) for rule in rules_of(table)}

    expected = {each.id: (f"{each.section}, response", (STATED[each.id].response,)) for each in operations()}
    assert cited == expected


def test_the_effect_of_a_rule_is_that_of_its_requests(tests):
    """The worst effect of the requests of its tests, and of its operation."""
    of = {operation.id: operation.effect for operation in operations()}
    # The effect of the operation counts, too: some tests only check what another test has created.
    found = {id: [of[rule.operation]] if rule.operation else [] for id, rule in RULES.items()}
    for name, test in tests.items():
        for id in test["rules"]:
            # The first test of a sequence sends the requests of all its rules.
            found[id] += [RULES[id].effect] if name.startswith(SEQUENCES) else test["effects"]

    wrong = {id: rule.effect for id, rule in RULES.items() if worst(*found[id]) != rule.effect}
    assert wrong == {}


def test_the_effect_of_a_sequence_is_that_of_its_worst_rule(tests):
    """A sequence sends less if its run allows less."""
    rules, sent = defaultdict(list), defaultdict(list)
    for name, test in tests.items():
        if name.startswith(SEQUENCES):
            sequence = name.partition("[")[2].partition("-")[0]
            rules[sequence] += [RULES[id].effect for id in test["rules"]]
            sent[sequence] += test["effects"]

    assert {name: worst(*effects) for name, effects in sent.items()} == {
        name: worst(*effects) for name, effects in rules.items()
    }
    assert "records" in sent


def test_no_test_exceeds_the_effect_of_its_rules(tests):
    """A test that may run must be able to send all its requests."""
    rules = {name: worst(*(RULES[id].effect for id in test["rules"])) for name, test in tests.items()}
    too_far = {
        name: test["effects"]
        for name, test in tests.items()
        if not name.startswith(SEQUENCES) and worst(rules[name], *test["effects"]) != rules[name]
    }

    assert too_far == {}


def test_rules_are_in_the_order_of_the_specification():
    places = [place_of(rule.section) for rule in RULES.values()]

    assert places == sorted(places)


def test_a_duplicate_rule_is_an_error():
    rule = Rule("agents.list.x", "Something.", (), "Endpoints 12", "agents_list", "read")

    with pytest.raises(ValueError, match=r"duplicate rule agents\.list\.x"):
        by_id([rule, rule])


def test_an_unknown_section_is_an_error():
    rule = Rule("agents.list.x", "Something.", (), "Endpoints 12; Elsewhere 3", "agents_list", "read")

    with pytest.raises(ValueError, match="'Elsewhere 3' is not a section"):
        by_id([rule])


@pytest.mark.parametrize("section", COVERED)
def test_every_section_is_covered(section):
    cited = [part for rule in RULES.values() for part in rule.section.split("; ")]

    assert any(part == section or part.startswith(f"{section}, ") for part in cited)


@pytest.mark.parametrize(("operation", "limits"), LIMITS.items())
def test_every_limit_is_covered(operation, limits):
    """At least as many rules cite "Limits" as its table has lines for the operation."""
    citing = [rule.id for rule in RULES.values() if rule.operation == operation and "Limits" in rule.section]

    assert len(citing) >= limits


@pytest.mark.parametrize("prefix", ["answers", "auth.bearer-required", "errors.body"])
def test_every_operation_has_its_own_rule(prefix):
    """With the effect of the operation."""
    found = {id: rule.effect for id, rule in RULES.items() if id.startswith(f"{prefix}.")}

    assert found == {f"{prefix}.{dashed(operation.id)}": operation.effect for operation in operations()}
