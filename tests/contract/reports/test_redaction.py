"""No credential appears in a report, whatever a server echoes and a test asserts."""

import json
from urllib.parse import quote

import pytest

from project_platform_contract.reports.redaction import HIDDEN, Redactor
from project_platform_stub.faults import status

from ..conftest import write_data

JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl"
OPAQUE = 'opaque/"token"+1'


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {JWT}",
        f"the token {JWT}, or so",
        json.dumps({"said": JWT}),
        f"assert 'Bearer {OPAQUE}' == ''",
        json.dumps({"echo": OPAQUE}),
        f"https://platform.example/?token={quote(OPAQUE, safe='')}",
        '{"token": "never-seen-before"}',
        json.dumps({"received": '{"accessToken": "never-seen-before"}'}),
        "{'refresh_token': 'never-seen-before', 'x': 1}",
        "Bearer never-seen-before",
    ],
)
def test_a_credential_is_hidden(text):
    """Known ones in every encoding, and everything that looks like one."""
    shown = Redactor([OPAQUE])(text)

    assert HIDDEN in shown
    for secret in (JWT, OPAQUE, json.dumps(OPAQUE)[1:-1], quote(OPAQUE, safe=""), "never-seen-before"):
        assert secret not in shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        'curl --header "Authorization: Bearer ${MY_TOKEN_1}"',
        "a bearer of good news",
        "A bearer token is required.",
        '{"name": "eyJ"}',
        '{"tokens": 5, "max_tokens": 6}',
    ],
)
def test_other_text_does_not_change(text):
    assert Redactor(["abc"])(text).replace(HIDDEN, "of") == text


def test_redacted_json_is_valid_json():
    value = {
        "token": "x" * 9,
        "in": json.dumps({"token": f"{JWT}", "n": [1]}),
        "cut": [r"Bearer a\ ", {"password": 'a"b\\'}, '{"secret": "a\\"b"}'],
        OPAQUE: {"token": 5, "jwt": ""},
        "next": "plain",
    }

    shown = json.loads(Redactor([OPAQUE]).json(value))

    assert shown["token"] == HIDDEN
    assert json.loads(shown["in"]) == {"token": HIDDEN, "n": [1]}
    assert shown["cut"][:2] == [f"Bearer {HIDDEN} ", {"password": HIDDEN}]
    assert HIDDEN in shown["cut"][2]
    assert shown[HIDDEN] == {"token": 5, "jwt": ""}
    assert shown["next"] == "plain"


LEAKING = """
import pytest

@pytest.mark.rule("agents.list.limit-range")
def test_that_shows_its_token(api, data, fact):
    token = data.token("owner")
    print("on standard output", token)
    response = api("agents_list")
    fact("leak", token, response)
    fact("echo", response.text, response)
    assert api.client.headers["Authorization"] == "", token
"""


def test_no_report_has_a_token(served, run_tests, tmp_path):
    """The test tries to leak one into the terminal, JUnit, JSON, Markdown, HTML, facts and ledger."""
    tokens = served.stub.describe(served.base_url)["tokens"]
    secret = "opaque-credential-4711"  # a secret that does not look like a token
    served.stub.world.faults.plan("agents_list", [status(200, body={"message": f"{tokens['owner']} {secret}"})] * 9)
    environment = write_data(
        tmp_path, {"project": served.stub.project.id}, {"owner": tokens["owner"], "session": secret}
    )

    run = run_tests(
        LEAKING,
        *("--contract-url", served.base_url, "--contract-data", "data.yaml", "--contract-token-env", "TRIAL_OWNER"),
        *("--junitxml", "report/junit.xml", "-vv", "-l", "-rA", "--tb=long"),
        **environment,
    )

    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "report").iterdir()}
    assert {"report.json", "report.md", "report.html", "facts.json", "junit.xml"} <= set(files)
    assert "VIOLATED  agents.list.limit-range" in run.stdout
    for name, text in {**files, "stdout": run.stdout, "stderr": run.stderr}.items():
        for credential in (tokens["owner"], tokens["owner"].split(".")[2], secret):
            assert credential not in text, name
    assert HIDDEN in files["report.json"]
