"""Listings are tables of pyarrow, pandas and polars, whose columns come from the annotations of the models."""

from __future__ import annotations

import copy
import datetime
import importlib.util
import json
import pickle

import pytest
from pydantic import create_model

from project_platform import Client, Listing, UsageError
from project_platform.models import Agent, BusyInterval, MediaAnalytics, ScheduledPost
from project_platform_stub import Stub

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

ID = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
HIDDEN = "s3cret"
AGENT = {
    "id": "a",
    "name": "Writer",
    "builtIn": False,
    "memoryFiles": ["a.md"],
    "mcpServers": [{"name": "x", "url": "https://x.example", "headers": {"Authorization": HIDDEN}}],
    "maxSteps": 3,
    "metadata": {"rate": 1, "apiToken": HIDDEN, "maxTokens": 4000},
    "createdAt": "2026-01-01T09:00:00+02:00",
}
POST = {
    "id": ID,
    "scheduledFor": "2026-01-01T09:00:00+01:00",
    "publishedAt": "2026-01-02",
    "createdAt": "2026-01-01T09:00:00",
    "media": [{"id": ID, "sizeBytes": 17}],
    "account": {"username": "u"},
}


def listing(kind, *bodies):
    return Listing([kind.model_validate_json(json.dumps(body)) for body in bodies], kind)


@pytest.fixture
def agents():
    """One agent with most fields, and one that lacks them and has another."""
    return listing(Agent, AGENT, {"id": "b", "newField": [1], "password": HIDDEN})


def test_a_listing_is_a_sequence_that_is_equal_to_a_list(agents):
    """Results were lists before; a slice and a sum are listings again."""
    items = list(agents)

    assert agents == items
    assert agents == tuple(items)
    assert agents != items[:1]
    assert not isinstance(agents, list)
    assert (agents[0], agents[-1], len(agents), items[1] in agents) == (items[0], items[1], 2, True)
    assert isinstance(agents[:1], Listing)
    assert agents[:1] + agents[1:] == [items[0], *agents[1:]] == agents
    match agents:
        case [first, *_]:
            assert first is items[0]


@pytest.mark.parametrize("make", [lambda project: project.agents.list(limit=3), lambda project: project.posts.list()])
def test_libraries_read_a_pager_and_a_listing_by_their_columns(make):
    stub = Stub()
    with Client(
        "https://stub.example", token=stub.token(), transport=stub.transport(), project_id=stub.project.id
    ) as client:
        table = make(client.project())
        ids = [str(item.id) for item in table]
        assert table.to_arrow().column("id").to_pylist() == ids
        assert table.to_pandas()["id"].tolist() == ids
        assert table.to_polars()["id"].to_list() == ids
        assert polars.DataFrame(table)["id"].to_list() == ids
        assert ids[0] in table._repr_html_()
        with pytest.raises(UsageError, match="to_pandas"):
            pandas.DataFrame(table)


def test_a_listing_pickles_and_copies(agents):
    for other in (pickle.loads(pickle.dumps(agents)), copy.copy(agents), copy.deepcopy(agents)):
        assert other == agents
    assert pickle.loads(pickle.dumps(agents[:0])).to_arrow().column_names == Listing([], Agent).to_arrow().column_names


def test_the_columns_have_the_types_of_the_annotations(agents):
    """Text, integers with gaps, structs, times in UTC, and JSON as text."""
    kinds = {field.name: str(field.type) for field in agents.to_arrow().schema}

    assert kinds["id"] == kinds["model"] == kinds["metadata"] == kinds["extra"] == "string"
    assert (kinds["max_steps"], kinds["built_in"]) == ("int64", "bool")
    assert (kinds["memory_files"], kinds["created_at"]) == ("list<item: string>", "timestamp[us, tz=UTC]")
    assert kinds["mcp_servers"] == "list<item: struct<name: string, url: string>>"
    first, second = agents.to_arrow().to_pylist()
    assert first["created_at"] == datetime.datetime(2026, 1, 1, 7, tzinfo=datetime.UTC)
    assert (first["max_steps"], second["max_steps"], second["mcp_servers"]) == (3, None, None)


def test_identifiers_are_text_and_nested_models_structs():
    """A UUID as well, at any depth."""
    (row,) = listing(ScheduledPost, POST).to_arrow().to_pylist()

    assert (row["id"], row["media"][0]["id"], row["media"][0]["size_bytes"]) == (ID, ID, 17)
    assert row["account"] == {"username": "u", "profile_picture_url": None}


def test_what_is_text_in_json_is_text():
    """As a `TypeAdapter` writes it, without quotes."""
    kind = create_model("Visit", on=(datetime.date, ...), at=(datetime.time, ...), takes=(datetime.timedelta, ...))

    table = Listing([kind.model_validate({"on": "2026-01-01", "at": "09:00", "takes": "PT1H"})], kind)

    assert table.to_arrow().to_pylist() == [{"on": "2026-01-01", "at": "09:00:00", "takes": "PT1H"}]


def test_credentials_are_left_out(agents):
    """Fields that the contract marks, and members of free-form JSON by their names; numbers are shown."""
    rows = agents.to_arrow().to_pylist()

    assert HIDDEN not in repr(rows)
    assert json.loads(rows[0]["metadata"]) == {"rate": 1, "maxTokens": 4000}
    assert [row["extra"] for row in rows] == [None, '{"newField":[1]}']


@pytest.mark.parametrize("kind", [Agent, ScheduledPost, BusyInterval, MediaAnalytics])
def test_an_empty_list_has_its_columns(kind):
    empty, full = Listing([], kind), listing(kind, {})

    assert empty.to_arrow().schema == full.to_arrow().schema
    assert empty.to_polars().schema == full.to_polars().schema
    assert list(empty.to_pandas().dtypes) == list(full.to_pandas().dtypes)
    assert len(empty.to_pandas()) == 0


def test_times_are_text_unless_asked_for():
    """With `times=True`, text without an offset from UTC is null: its hour is ambiguous."""
    posts = listing(ScheduledPost, POST)

    assert posts.to_arrow()["scheduled_for"].to_pylist() == ["2026-01-01T09:00:00+01:00"]
    (row,) = posts.to_arrow(times=True).to_pylist()
    assert row["scheduled_for"] == datetime.datetime(2026, 1, 1, 8, tzinfo=datetime.UTC)
    assert (row["published_at"], row["created_at"], row["updated_at"]) == (None, None, None)
    assert str(posts.to_pandas(times=True).dtypes["scheduled_for"]) == "timestamp[us, tz=UTC][pyarrow]"
    assert posts.to_polars(times=True).schema["scheduled_for"] == polars.Datetime("us", "UTC")


@pytest.mark.parametrize(
    ("kind", "bodies"),
    [(Agent, [AGENT, {"id": "b"}]), (Agent, []), (Agent, [AGENT] * 3), (ScheduledPost, [POST, {}]), (Agent, [{}])],
)
def test_nanoarrow_builds_the_table_that_pyarrow_builds(kind, bodies):
    """`__arrow_c_stream__` needs nanoarrow alone."""
    pytest.importorskip("nanoarrow", reason="nanoarrow is not installed")
    items = listing(kind, *bodies)

    assert pyarrow.table(items) == items.to_arrow()
    assert pyarrow.schema(items) == items.to_arrow().schema
    assert items.to_polars(times=True).equals(polars.DataFrame(items.to_arrow(times=True)))


@pytest.mark.parametrize("method", ["to_arrow", "to_polars"])
def test_a_number_beyond_64_bits_is_refused_with_its_column(method):
    media = listing(MediaAnalytics, {"likeCount": 2**70})

    with pytest.raises(UsageError, match="column like_count has a value that does not fit"):
        getattr(media, method)()


@pytest.mark.parametrize(
    ("method", "absent", "message"),
    [
        ("to_arrow", {"pyarrow"}, "to_arrow needs pyarrow: pip install pyarrow"),
        ("to_pandas", {"pandas", "pyarrow"}, "to_pandas needs pandas and pyarrow: pip install pandas pyarrow"),
        ("to_polars", {"polars"}, "to_polars needs polars: pip install polars"),
        ("to_polars", {"nanoarrow", "pyarrow"}, r"needs nanoarrow: pip install 'project-platform\[frames\]'"),
        ("__arrow_c_stream__", {"nanoarrow", "pyarrow"}, r"pip install 'project-platform\[frames\]'"),
    ],
)
def test_a_package_that_is_missing_is_named(agents, monkeypatch, method, absent, message):
    find = importlib.util.find_spec
    monkeypatch.setattr("project_platform.optional.find_spec", lambda name: None if name in absent else find(name))

    with pytest.raises(UsageError, match=message):
        getattr(agents, method)()


def test_pyarrow_replaces_nanoarrow(agents, monkeypatch):
    monkeypatch.setattr("project_platform.optional.find_spec", lambda name: None if name == "nanoarrow" else name)

    assert pyarrow.table(agents) == agents.to_arrow()
    assert agents.to_polars().shape == (2, len(agents.to_arrow().column_names))


@pytest.mark.parametrize(
    "rows",
    [
        lambda listed: listed.to_arrow().to_pylist(),
        lambda listed: listed.to_pandas().to_dict("records"),
        lambda listed: listed.to_polars().to_dicts(),
    ],
    ids=["pyarrow", "pandas", "polars"],
)
def test_unknown_fields_of_nested_models_are_in_the_extra_column(rows):
    """They have their path as a name, and stay hidden where the field or their own name says that they are secret."""
    server = {"name": "x", "url": "https://x.example", "headers": {"more": HIDDEN}, "color": 1, "apiKey": HIDDEN}
    post = {**POST, "account": {"username": "u", "followers": {"total": 2}}, "language": "de"}

    agent_rows = rows(listing(Agent, AGENT, {"id": "b", "mcpServers": [AGENT["mcpServers"][0], server]}))
    (post_row,) = rows(listing(ScheduledPost, post))

    assert json.loads(agent_rows[1]["extra"]) == {"mcp_servers.1.color": 1}
    assert not agent_rows[0]["extra"] or pandas.isna(agent_rows[0]["extra"])
    assert json.loads(post_row["extra"]) == {"language": "de", "account.followers": {"total": 2}}
