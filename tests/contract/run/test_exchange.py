"""The requests that a report shows, and the commands that repeat them."""

import json
import os
import shutil
import subprocess
from itertools import count

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.exchange import Exchange, checked_responses, relevant, shown

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
DATA = Data(
    {"project": PROJECT}, {"owner": "owner-token", "viewer": "viewer-token"}, {"owner": "MINE", "viewer": "THEIRS"}
)
NUMBERS = count()


def exchange(operation, path, *, status=200, received="{}", method="GET", sent=None, identity="owner", headers=()):
    request = httpx.Request(
        method,
        f"https://platform.example/base/projects/{PROJECT}/{path}",
        content=sent,
        headers={"Authorization": "Bearer owner-token", **dict(headers)},
    )
    return Exchange(httpx.Response(status, text=received, request=request), operation, identity, DATA)


def create(id):
    sent = f'{{"number": {next(NUMBERS)}}}'
    return exchange("records_create", "object-records", status=201, received=f'{{"record": {{"id": "{id}"}}}}', method="POST", sent=sent)  # fmt: skip


def update(id, status=200):
    return exchange(
        "records_update", f"object-records/{id}", status=status, method="PATCH", sent=f'{{"number": {next(NUMBERS)}}}'
    )


def page(offset, identity="owner"):
    return exchange("agents_list", f"agents?offset={offset}", identity=identity)


def test_what_created_and_changed_the_object_of_the_last_request_matters():
    """In its order; other objects, refused updates and another status of the same operation but one do not."""
    mine, others, changed, refused = (
        create("rec_mine"),
        create("rec_other"),
        update("rec_mine"),
        update("rec_mine", 409),
    )
    earlier, last = update("rec_mine", 409), update("rec_mine")

    elsewhere = [update("rec_other"), update("rec_other", 403)]
    shown = relevant([others, mine, changed, *elsewhere, earlier, refused, last])

    assert shown == [mine, changed, refused, last]


def test_the_first_request_of_a_long_history_remains():
    """Ten requests in all: the creation of the object, and the last ones."""
    mine, updates = create("rec_mine"), [update("rec_mine") for _ in range(30)]

    assert relevant([mine, *updates]) == [mine, *updates[-9:]]


def test_the_creation_in_another_test_matters():
    """As that of a record which several tests change."""
    mine, last = create("rec_mine"), update("rec_mine")

    assert relevant([last], [create("rec_other"), mine]) == [mine, last]
    assert relevant([mine, last], [mine]) == [mine, last]


def test_the_pages_of_a_list_matter():
    """A repeated request is contained once; those of other operations are not."""
    pages = [page(0), page(2), page(4)]

    assert relevant([create("rec_other"), page(0), page(4), *pages]) == pages


def test_bookings_matter_for_the_busy_intervals_that_do_not_name_them():
    booking = exchange(
        "calendar_book", "calendar/provider/events", method="POST", sent="{}", received='{"bookingUid": "e"}'
    )
    busy = exchange("calendar_busy", "calendar/provider/busy?timeMin=2031")

    assert relevant([create("rec_other"), booking, busy]) == [booking, busy]


def test_without_requests_there_is_none():
    assert relevant([]) == []


def test_each_response_counts_for_the_rule_about_it():
    """Only for an export does the specification list the error statuses."""
    unknown = exchange(None, "unknown", status=404)
    exports = [exchange("labels_export", "labels/export", method="POST", status=status) for status in (403, 404, 422)]

    counted = checked_responses([page(0), page(1), update("rec_1", 409), unknown, *exports])

    assert counted == {
        "answers.agents-list": 2,
        "errors.body.records-update": 1,
        "errors.body.labels-export": 1,
        "labels.export.error-body": 2,
    }


@pytest.mark.parametrize(
    ("authorization", "shown"),
    [
        ("Bearer owner-token", "Bearer ${MINE}"),
        ("Bearer viewer-token", "Bearer ${THEIRS}"),
        ("Basic owner-token", "Basic ${MINE}"),
        ("Bearer owner-tokenx", "Bearer ${MINE}x"),
        ("owner-token", "${MINE}"),
        ("Bearer another", "Bearer ${OTHER_CREDENTIAL}"),
        ("Bearer $(rm -r /)", "Bearer ${OTHER_CREDENTIAL}"),
        ("anotherwithoutascheme", "${OTHER_CREDENTIAL}"),
        ("Bearer", "Bearer"),
    ],
)
def test_a_command_has_variables_in_the_place_of_credentials(authorization, shown):
    command = exchange("agents_list", "agents", headers={"Authorization": authorization}).as_json()["curl"]

    assert command.endswith(f'--header "Authorization: {shown}"')


BODIES = {
    "text": '{"data": {"title": "It\'s `here` $HOME \\"Köln\\" 100 %"}}'.encode(),
    "lines": b'{\n\t"data": {"title": "two lines"}\n}',
    "characters that are not printed": '{"data": {"title": "\u00a0 \U0001f469\u200d\U0001f4bb"}}'.encode(),
    "control characters": '{"data": {"title": "a\u200db\u0007 %41 %s"}}'.encode(),
    "another encoding": '{"data": {"title": "Köln"}}'.encode("utf-16"),
    "no text": b"\x00\xff\xfe%\\101'\"",
}


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="curl or bash is not installed")
@pytest.mark.parametrize("name", BODIES)
def test_a_command_repeats_the_request(served, name):
    """Byte for byte, as a person would run it. A text is in it as it is."""
    body = BODIES[name]
    token, project = served.stub.tokens.valid("owner"), served.stub.project.id
    data = Data({"project": project}, {"owner": token}, {"owner": "MINE"})
    request = httpx.Request(
        "POST",
        f"{served.base_url}/projects/{project}/object-records?x=[1]&y={{a,b}}",
        content=body,
        headers={
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json; charset=utf-8",
            "X-Note": "it's",
        },
    )
    with httpx.Client() as client:
        response = client.send(request)
    shown = Exchange(response, "records_create", "owner", data).as_json()

    run = subprocess.run(
        ["bash", "-c", shown["curl"]], capture_output=True, check=False, env={"PATH": os.environ["PATH"], "MINE": token}
    )

    sent, repeated = served.journal[-2:]
    assert token not in json.dumps(shown)
    assert ("printf" in shown["curl"]) is (name in {"control characters", "another encoding", "no text"})
    assert repeated.body == sent.body
    assert (repeated.method, repeated.path, repeated.status) == (sent.method, sent.path, sent.status)
    assert run.stdout.split(b"\r\n")[0].split()[1] == str(response.status_code).encode()


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="curl or bash is not installed")
def test_the_commands_repeat_a_sequence_on_a_new_object(served):
    """The identifier of the object is a variable, whose value is in the response to the first command."""
    token, project = served.stub.tokens.valid("owner"), served.stub.project.id
    data = Data({"project": project}, {"owner": token}, {"owner": "MINE"})
    url = f"{served.base_url}/projects/{project}/object-records"
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}) as client:
        created = client.post(url, json={"typeSlug": "deal", "data": {"title": "It's new"}})
        id = created.json()["record"]["id"]
        updated = client.patch(f"{url}/{id}", json={"data": {"title": "won", "was": f"not {id}"}})
    exchanges = [Exchange(created, "records_create", "owner", data), Exchange(updated, "records_update", "owner", data)]
    create, update = (entry["curl"] for entry in shown(exchanges))

    def run(command, **variables):
        environment = {"PATH": os.environ["PATH"], "MINE": token, **variables}
        output = subprocess.run(["bash", "-c", command], capture_output=True, check=True, env=environment).stdout
        return json.loads(output.partition(b"\r\n\r\n")[2])["record"]

    assert create.endswith(f"  # ID_1 is {id} in its response")
    again = run(create)["id"]
    assert again != id
    record = run(update, ID_1=again)
    assert (record["id"], record["data"]) == (again, {"title": "won", "was": f"not {again}"})


def test_a_body_that_is_no_argument_of_a_command_comes_from_a_pipe():
    command = exchange("records_create", "object-records", method="POST", sent="x" * 70_000).as_json()["curl"]
    body, _, curl = command.partition(" | curl ")

    assert len(command) < 1000
    assert curl.endswith("--data-binary @-")
    assert subprocess.run(["bash", "-c", body], capture_output=True, check=True).stdout == b"x" * 70_000


def test_a_pdf_is_not_shown():
    request = httpx.Request("POST", "https://platform.example/", content="{}")
    response = httpx.Response(200, content=b"%PDF-1.7", headers={"Content-Type": "application/pdf"}, request=request)

    assert Exchange(response, "labels_export").as_json()["received"] == "a PDF of 8 bytes"
