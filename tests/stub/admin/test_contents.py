"""The pages that show the contents of a world: lists, single rows, and the labels as a PDF."""

from __future__ import annotations

import io
from datetime import timedelta
from urllib.parse import quote

import pypdf
import pytest

from project_platform_stub.faults import status

# What the overview links to, and what people look for.
LINKED = ["records", "events", "posts", "agents", "labels"]


@pytest.fixture
def project(stub):
    """The path of the pages of the first project."""
    return f"/_stub/page/demo/projects/{stub.project.id}"


def links(page, start):
    hrefs = [attributes.get("href") or "" for tag, attributes in page.found if tag == "a"]
    return list(dict.fromkeys(href for href in hrefs if href.startswith(start)))


def test_every_kind_has_a_page_and_every_row_one(get, stub, project):
    """The newest row first, each as JSON; the overview links to the lists of what it counts."""
    assert {f"{project}/{kind}" for kind in LINKED} <= set(links(get("/_stub/page/demo"), project))

    kinds = [
        link for link in links(get(f"{project}/memory"), f"{project}/") if not link.startswith(f"{project}/memory/")
    ]
    for path in kinds:
        kind = path.rpartition("/")[2]
        stored = list(stub.project.menu_items if kind == "labels" else getattr(stub.project, kind))
        for id, row in zip(stored[::-1], links(get(path), f"{path}/"), strict=True):
            assert row == f"{path}/{quote(id, safe='')}"
            assert id in get(row).text
    assert len(kinds) == 9


def test_a_row_is_shown_as_it_is_stored(api, get, project):
    """With every digit, and with the relations of a record."""
    record = api.create(data={"title": "Roof", "n": 12345678901234567890}, relations={"company": "rec_1"})
    api.update(record, data={"price": 1}, externalId="A-1")

    text = get(f"{project}/records/{record['id']}").text

    assert '"n": 12345678901234567890' in text
    assert '"externalId": "A-1"' in text
    assert '"company": "rec_1"' in text
    assert "Roof" in get(f"{project}/records").text


def test_a_post_is_shown_as_the_service_returns_it(clock, get, stub, project):
    """A scheduled post is published once it is due."""
    (due,) = [post["id"] for post in stub.project.posts.values() if post["status"] == "scheduled"]
    assert '"status": "scheduled"' in get(f"{project}/posts/{due}").text

    clock.now += timedelta(days=30)

    assert '"status": "published"' in get(f"{project}/posts/{due}").text


def test_the_newest_200_rows_are_shown(get, stub, project):
    record = next(iter(stub.project.records.values()))
    for number in range(201):
        stub.project.records[f"rec_{number}"] = {**record, "id": f"rec_{number}"}

    page = get(f"{project}/records")

    rows = links(page, f"{project}/records/")
    assert (len(rows), rows[0]) == (200, f"{project}/records/rec_200")
    assert f"{len(stub.project.records)} rows, the newest 200 of them shown" in page.text


def test_the_labels_are_a_pdf(admin, stub, project):
    """Of all menu items, also of those that are not approved."""
    response = admin.get(f"{project}/labels.pdf")

    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/pdf")
    text = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(response.content)).pages)
    items = list(stub.project.menu_items.values())
    assert not all(item["approved"] for item in items)
    assert sum(item["name"].split()[0] in text for item in items if item["name"].isascii()) > 3


def test_looking_changes_nothing(admin, get, stub, project):
    """No request is recorded, no planned fault is used, and the world stays as it is."""
    stub.world.faults.plan("*", status(503))
    before = stub.world.state

    get(f"{project}/posts")
    get(f"{project}/records")
    admin.get(f"{project}/labels.pdf")

    assert stub.world.state is before
    assert (len(stub.world.journal), len(stub.world.faults.left)) == (0, 1)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/records", "This world has no project 'nowhere'"),
        ("{project}/recods", "There is no page 'recods'; there are records, events, posts, agents, labels"),
        ("{project}/records/rec_0", "nothing with the identifier 'rec_0'"),
        ("nowhere/labels.pdf", "This world has no project 'nowhere'"),
    ],
)
def test_what_does_not_exist_is_not_found(admin, stub, path, message):
    response = admin.get(f"/_stub/page/demo/projects/{path.format(project=stub.project.id)}")

    assert response.status_code == 404
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert message in response.text.replace("&#39;", "'")
