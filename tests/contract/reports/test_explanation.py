"""What a report says about a violation besides its requests."""

import pytest

from project_platform_contract.reports.explanation import differences, explain, explanation, quotes
from project_platform_contract.rules import RULES


def said(error):
    """Return the output of a test, as pytest shows it."""
    return "    def test():\n>       assert x\n" + "\n".join(f"E   {line}" for line in error.splitlines())


def test_each_rule_that_the_specification_states_quotes_it():
    """With one to three sentences; the others have none."""
    numbers = {rule.kind: set() for rule in RULES.values()}
    for rule in RULES.values():
        numbers[rule.kind].add(len(quotes(rule)))

    assert numbers == {"stated": {1, 2, 3}, "expected": {0}, "inferred": {0}}


def test_the_quoted_row_of_a_table_is_that_of_the_field_that_differs():
    rule = RULES["fields.workflow.types"]

    assert quotes(rule, said("assert revision is 5; expected '5'")) == ["revision | string"]


STALE = "When either is stale, the response is 409 and the record is unchanged."


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        ("records.update.expected-data-stale", STALE),
        ("workflows.limits.tag-length", "Workflow `tags` | at most 12 items, each 1-40 characters"),
        ("calendar.busy.calendar-id", "`calendarId`: string; defaults to the connected primary calendar."),
    ],
)
def test_the_first_sentence_is_about_the_fields_of_the_rule(id, sentence):
    assert quotes(RULES[id])[0].endswith(sentence)


@pytest.mark.parametrize(
    ("id", "error", "expected", "allowed"),
    [
        ("agents.list.all", "assert 200 == 409\n +  where 200 = <Response [200 OK]>.status_code", "status 409", "No other"),
        ("agents.list.all", "assert False\n +  where False = <Response [403 Forbidden]>.is_success", "a success", "200 to 299"),
        ("labels.export.pdf", "assert False\n +  where False = <Response [403 Forbidden]>.is_success", "a success", "shows 200"),
        ("agents.list.all", "assert False\n +  where False = refused(<Response [200 OK]>)", "a refusal", "400 to 499"),
        ("labels.export.pdf", "assert False\n +  where False = refused(<Response [200 OK]>)", "a refusal", "400, 401 and 403"),
        ("templates.apply.report-stated", "assert x is 1; expected 2", "Each part|", "check template_report or failing_template_report in it"),
        ("agents.list.all", "assert agents[0].id is 'a'; expected 'b'", "Lists all|The list|All agents", "does not name"),
    ],
)  # fmt: skip
def test_what_was_expected_and_allowed_follows_from_the_assertion(id, error, expected, allowed):
    """And what the specification leaves open about the operation is allowed, too."""
    explained = explanation(id, said(error))

    if "|" in expected:
        assert explained["expected"] == RULES[id].statement
    else:
        assert explained["expected"].startswith(expected)
    assert allowed in explained["allowed"]
    assert "Left open: " in explained["allowed"]


def test_a_list_of_responses_that_should_have_been_refused():
    """The source line shows it: the values do not."""
    output = "x.py:1: in test\n    assert [v for v, response in found if not refused(response)] == []\nE   [0] is 'a'; expected nothing"

    assert explanation("agents.list.all", output)["expected"] == "a refusal with an error body"


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (
            "E   assert False\nE    +  where False = refused(<Response [200 OK]>)",
            ["assert False, where False = refused(<Response [200 OK]>)"],
        ),
        ("E   assert 5 == 6\nE    +  where 5 = len(x)", ["assert 5 == 6"]),
        ("E   AssertionError: assert a is 1; expected 2\nE   b is 1; expected 2", ["a is 1; expected 2", "b is 1; expected 2"]),
        ("agents: 5 is not a list", ["agents: 5 is not a list"]),
        ("", ["no message"]),
    ],
)  # fmt: skip
def test_each_difference_is_a_line(output, lines):
    assert differences(output) == lines


# A failed comparison names the members that differ.


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        ({"data": {"stage": "open"}}, {"data": {"stage": "won"}}, ["data.stage is 'open'; expected 'won'"]),
        ({"a": 1}, {"a": 1, "b": None}, ["b is missing; expected None"]),
        ({"a": 1, "b": [2]}, {"a": 1}, ["b is [2]; expected no such member"]),
        ({"2000 minutes": "refused: 400", "b": [2]}, {}, ["2000 minutes: refused: 400", "b: [2]"]),
        ({"l": [{"id": 1}, {"id": 2}]}, {"l": [{"id": 1}, {"id": 3}]}, ["l[1].id is 2; expected 3"]),
        ({"l": [1, 2, 3]}, {"l": [1, 2]}, ["l has 3 items; expected 2. At [2]; it has 3"]),
        ([1], [1, 2], ["the list has 1 items; expected 2. At [1]; expected 2"]),
        ({"a": {}}, {"a": []}, ["a is {}; expected []"]),
    ],
)
def test_each_member_that_differs_is_named(left, right, lines):
    assert explain("==", left, right) == lines


def test_long_strings_are_shown_around_their_first_difference():
    (line,) = explain("==", {"text": "a" * 500 + "b" + "c" * 500}, {"text": "a" * 500 + "d" + "c" * 500})

    assert len(line) < 250
    assert f"...{'a' * 40}b{'c' * 39}..." in line
    assert f"...{'a' * 40}d{'c' * 39}..." in line


def test_many_differences_are_cut():
    lines = explain("==", {str(n): 1 for n in range(100)}, {})

    assert len(lines) == 21
    assert lines[-1] == "and more"


@pytest.mark.parametrize(("op", "left", "right"), [("<=", [1], [2]), ("==", "a", "b"), ("==", {1}, {2}), ("==", 5, 6)])
def test_other_comparisons_are_explained_by_pytest(op, left, right):
    assert explain(op, left, right) is None
