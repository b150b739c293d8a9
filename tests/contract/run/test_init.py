"""`project-platform contract init`: what it finds by reading, the file that it writes, and the run that follows."""

import re
import shlex
import uuid

import pytest
import yaml

from project_platform_contract.data.data_file import load_data
from project_platform_contract.run.exit_code import ExitCode
from project_platform_contract.schema import members_of
from project_platform_stub.faults import status

from ..second.service import Service, data_members, new_world
from ..second.service.rims import on_a_socket
from ..second.service.world import tokens_of

FOUND = (
    *("agents", "analytics_configured", "failed_post", "menu_items", "menu_month", "page_account", "photo_account"),
    *("project", "published_page_post", "unpublished_page_post", "unapproved_menu_item"),
)


@pytest.fixture
def init(prove, served):
    """Returns a function that runs the command on the stub, as its owner."""

    def init(*options):
        environment = {"PROJECT_PLATFORM_TOKEN": served.stub.tokens.valid("owner")}
        return prove("init", served.base_url, "--project", served.stub.project.id, *options, environment=environment)

    return init


def test_what_reads_show_is_found(init, served, tmp_path):
    """It is what the description of the stub says, and nothing is changed."""
    run = init()

    found, expected = load_data(tmp_path / "contract.yaml"), served.data()
    assert run.code == 0, run.err
    assert {name: found[name] for name in FOUND} == {name: expected[name] for name in FOUND}
    assert (found["permission_parameter"], found["free_slot"][4:]) == ("permission", "-01-01T00:00:00Z")
    assert set(found) == {*FOUND, "permission_parameter", "free_slot"}
    assert served.non_read_requests == []
    assert len(served.journal) <= 150


def test_a_month_with_an_item_that_is_not_approved_is_preferred(init, served, tmp_path):
    """The nearest month has approved ones only, and the one that has none is refused."""
    served.stub.world.faults.plan("labels_export", status(400))
    rows = served.stub.project.menu_items
    month = served.data()["menu_month"]
    following = f"{int(month[:4]) + (month[5:] == '12')}-{int(month[5:]) % 12 + 1:02}"
    for item in list(rows.values()):
        if item["menuMonth"] == month and not item["approved"]:
            rows[item["id"]] = {**item, "menuMonth": following}
        elif item["menuMonth"] == month:
            copy = str(uuid.uuid4())
            rows[copy] = {**item, "id": copy, "menuMonth": following}

    init()

    found = load_data(tmp_path / "contract.yaml")
    assert found["menu_month"] == following
    assert not rows[found["unapproved_menu_item"]]["approved"]


def test_what_is_missing_is_marked_and_explained(init, tmp_path):
    """Every member is in the file, with its description; without the marks, the examples are a valid data file."""
    init()
    text = (tmp_path / "contract.yaml").read_text("utf-8")
    (tmp_path / "all.yaml").write_text(re.sub(r"(?m)^# ", "", text), "utf-8")

    assert set(load_data(tmp_path / "all.yaml")) == set(members_of("data"))
    comments = " ".join(line.removeprefix("## ") for line in text.splitlines() if line.startswith("##"))
    assert all(each["description"] in comments for name, each in members_of("data").items() if name != "project")
    assert "The token holds 81 of 81 permissions." in comments


def test_a_month_without_menu_items_near_today_is_entered_where_the_output_says(prove, tmp_path):
    """The labels of the second implementation are those of 2032; with its month and items in the file, their rules are proven."""
    world = new_world()
    environment = {"PROJECT_PLATFORM_TOKEN": tokens_of(world)["owner"]}
    members = {name: data_members()[name] for name in ("menu_month", "menu_items", "unapproved_menu_item")}
    with on_a_socket(Service(world)) as url:
        printed = prove("init", url, "--project", data_members()["project"], environment=environment).out
        advice = re.search(
            r"contract\.yaml, line (\d+): label-review\.json does not show 5 printed items in any month from .* Enter (.*)",
            printed,
        )
        lines = (tmp_path / "contract.yaml").read_text("utf-8").splitlines()
        assert lines[int(advice[1]) - 1].startswith("# menu_month: ")
        assert all(name in advice[2] for name in members)
        lines[int(advice[1]) - 1] = yaml.safe_dump(members)
        (tmp_path / "contract.yaml").write_text("\n".join(lines), "utf-8")

        command = shlex.split(printed.splitlines()[-1])
        run = prove(*command[2:], "-k", "labels and (month or approved)", "--min-proven", "0", environment=environment)

    labels = {id: run.verdicts[id] for id in ("labels.export.month", "labels.export.unapproved")}
    assert labels == dict.fromkeys(labels, "proven"), run.out


def test_another_variable_and_file_are_in_the_printed_command(prove, served, tmp_path):
    options = ("--token-env", "MINE", "--data", "a b.yaml")
    environment = {"MINE": served.stub.tokens.valid("owner")}

    run = prove("init", served.base_url, "--project", served.stub.project.id, *options, environment=environment)

    assert (run.code, (tmp_path / "a b.yaml").is_file()) == (0, True)
    assert run.out.splitlines()[-1].endswith("--data 'a b.yaml' --token-env MINE")


def test_permissions_that_the_token_lacks_are_listed(init, prove, served, tmp_path):
    """A viewer holds some of them. What it may not read is missing, with the status. The token of an owner then replaces it."""
    run = prove(
        *("init", served.base_url, "--project", served.stub.project.id),
        environment={"PROJECT_PLATFORM_TOKEN": served.stub.tokens.valid("viewer")},
    )

    comments = " ".join(re.findall(r"(?m)^## (.*)", (tmp_path / "contract.yaml").read_text("utf-8")))
    held = len(served.data()["permissions"]["viewer"])
    assert f"The token holds {held} of 81 permissions, and lacks " in comments
    assert "crm_objects:write" in comments
    assert f"The token lacks {81 - held} of 81 permissions" in run.out
    assert "delete contract.yaml, and run this command again with the token of an owner" in run.out
    (tmp_path / "contract.yaml").unlink()
    assert "The token lacks" not in init().out


def test_an_operation_that_fails_leaves_its_members_missing(init, served, tmp_path):
    """With the reason; the others are found."""
    served.stub.world.faults.plan("posts_list", [status(403)])
    served.stub.world.faults.plan("labels_export", [status(200, body={})])

    run = init()

    found = load_data(tmp_path / "contract.yaml")
    comments = " ".join(re.findall(r"(?m)^## (.*)", (tmp_path / "contract.yaml").read_text("utf-8")))
    assert run.code == 0
    assert found.keys().isdisjoint({"page_account", "failed_post", "menu_month", "menu_items"})
    assert {"agents", "analytics_configured"} <= found.keys()
    assert "posts_list was answered with 403" in comments


def test_a_list_that_does_not_end_is_read_until_it_repeats(init, served, tmp_path):
    """`hasMore` is always true, whatever the offset."""
    page = {"agents": [], "pagination": {"limit": 100, "offset": 0, "hasMore": True}}
    page["agents"] = [{"id": id} for id in served.stub.project.agents]
    served.stub.world.faults.plan("agents_list", [status(200, body=page)] * 200)

    run = init()

    assert run.code == 0
    assert load_data(tmp_path / "contract.yaml")["agents"] == list(served.stub.project.agents)
    assert len(served.journal) <= 150


def test_a_file_that_exists_is_not_overwritten(init, served, tmp_path):
    (tmp_path / "contract.yaml").write_text("project: mine\n", "utf-8")

    run = init()

    assert run.code == ExitCode.WRONG_USE
    assert "contract.yaml exists; name another file with --data" in run.err
    assert (tmp_path / "contract.yaml").read_text("utf-8") == "project: mine\n"
    assert served.journal == []


def test_a_page_that_is_not_the_api_gets_no_file(init, served, tmp_path):
    for operation in (
        "agents_list",
        "posts_list",
        "web_analytics_get_config",
        "auth_check_permission",
        "calendar_busy",
    ):
        served.stub.world.faults.plan(operation, [status(200, body={})])

    run = init()

    assert run.code == ExitCode.NOTHING_PROVEN
    assert "does not respond as the Project Platform API" in run.err
    assert not (tmp_path / "contract.yaml").exists()
    assert len(served.journal) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the URL of a deployment or --profile, or set PROJECT_PLATFORM_BASE_URL"),
        (["http://platform.example"], "http would send the token unencrypted"),
        (["https://platform.example"], "no project is given: use --project"),
        (["https://platform.example", "--project", "5"], "is not a 'uuid'"),
        (["https://platform.example", "--profile", "x"], "give a URL or --profile, not both"),
    ],
)
def test_wrong_use_gives_an_error_message(prove, arguments, message):
    run = prove("init", *arguments, environment={"PROJECT_PLATFORM_TOKEN": "opaque-token"})

    assert run.code == ExitCode.WRONG_USE
    assert message in run.err
    assert "Traceback" not in run.err
