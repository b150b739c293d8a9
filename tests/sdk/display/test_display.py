"""The representations of values in a terminal and in a notebook: readable, escaped, capped, and without credentials."""

from __future__ import annotations

import sys

import pytest

from project_platform import Change, Client, Listing, NotFoundError, Page, UsageError
from project_platform.errors import OutcomeUnknownError
from project_platform.models import Agent, BusyInterval, MediaAnalytics, ObjectRecord, ScheduledPost

HIDDEN = "s3cret-value"
JWT = "eyJhbGciOi.eyJzdWIi.sig"
AGENT = Agent.model_validate(
    {
        "id": "a-1",
        "name": "<script>alert(1)</script>",
        "description": "Writes posts. " * 40,
        "systemPrompt": f"You write.\nUse Bearer {JWT}",
        "memoryFiles": ["a.md"] * 9,
        "mcpServers": [{"name": "x", "url": "https://x.example", "headers": {"Authorization": HIDDEN}}],
        "metadata": {"token": HIDDEN, "a": [1, 2, 3], **{f"key{n}": n for n in range(12)}},
        "createdAt": "2026-01-01T09:00:00Z",
        "newField": {"apiKey": HIDDEN},
    }
)
RECORD = ObjectRecord(id="rec_1", data={"stage": "open", "note": "<b>\x1b[2J\u202e", "password": HIDDEN})
CHANGE = Change.between(RECORD, {"stage": "won", "password": "n3w-s3cret-value", "added": 1})
SHOWN = {
    "model": AGENT,
    "server": AGENT.mcp_servers[0],
    "listing": Listing([AGENT] * 30, Agent),
    "page": Page(Listing([AGENT], Agent), 1, 0, True),
    "change": CHANGE,
    "record": RECORD,
}


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_shows_a_credential_a_tag_or_a_control_character(name):
    value = SHOWN[name]

    for shown in (str(value), repr(value), repr([value]), value._repr_html_()):
        assert HIDDEN not in shown or name == "change", shown
        assert JWT not in shown
        assert not {"\x1b", "\u202e"} & {*shown}
    assert HIDDEN not in value._repr_html_()
    assert "<script" not in value._repr_html_()


def test_a_listing_shows_ten_rows_as_a_table():
    agents = Listing([AGENT] * 250, Agent)

    assert repr(agents).splitlines()[0].startswith("Listing of Agent, 250 items")
    assert repr(agents).splitlines()[-1] == "  … 240 more"
    html = agents._repr_html_()
    assert html.count("<tr>") == 11
    assert "240 more rows" in html
    assert len(html) < 12_000
    assert repr(Listing([], Agent)) == "Listing of Agent, 0 items"
    assert "0 items" in Listing([], Agent)._repr_html_()


def busy(*spans):
    return Listing([BusyInterval(start=start, end=end) for start, end in spans], BusyInterval)


def test_busy_intervals_are_a_timeline():
    """A bar for each day that an interval is in, in the zone of the first."""
    html = busy(
        ("2026-03-27T08:00:00+01:00", "2026-03-27T09:30:00+01:00"),
        ("2026-03-28T22:00:00+00:00", "2026-03-29T02:00:00+01:00"),
    )._repr_html_()

    assert html.count("<title>") == 3, "the second is over midnight"
    assert "08:00 to 09:30" in html
    assert html.count('opacity=".08"') == 3, "three days"
    assert "currentColor" in html


@pytest.mark.parametrize(
    "span", [("soon", "later"), ("2026-03-27", "2026-03-28"), ("2026-03-27T08:00", "2026-03-27T09:00")]
)
def test_an_interval_without_times_is_counted(span):
    """Text that is not a timestamp with an offset has no place on the timeline."""
    assert "1 busy intervals" in busy(span)._repr_html_()
    both = busy(span, ("2026-03-27T08:00:00Z", "2026-03-27T09:00:00Z"))
    assert "1 intervals without times" in both._repr_html_()
    assert "Z&lt;" not in both._repr_html_()


def test_a_year_of_busy_intervals_is_capped():
    html = busy(("2026-01-01T08:00:00Z", "2026-12-31T09:00:00Z"))._repr_html_()

    assert html.count('opacity=".08"') == 31
    assert "334 more days" in html


def test_posts_and_media_have_plots(monkeypatch):
    """Posts by status, media by reach; other listings say what to do."""
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot

    posts = Listing([ScheduledPost(status=status) for status in ("failed", "published", "published")], ScheduledPost)
    media = Listing(
        [MediaAnalytics(media_id=f"m{n}", caption="$5, $6", reach=n or None) for n in range(3)], MediaAnalytics
    )

    axes = posts.plot()
    assert [(label.get_text(), bar.get_width()) for label, bar in zip(axes.get_yticklabels(), axes.patches, strict=True)] == [("published", 2), ("failed", 1)]  # fmt: skip
    axes = media.plot()
    assert [bar.get_width() for bar in axes.patches] == [2, 1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["$5, $6 (m2)", "$5, $6 (m1)"]
    assert not any(label.get_parse_math() for label in axes.get_yticklabels())
    pyplot.close("all")
    with pytest.raises(UsageError, match=r"a listing of Agent has no plot; convert it with to_pandas\(\)"):
        Listing([AGENT], Agent).plot()
    monkeypatch.setattr("project_platform.optional.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="plot needs matplotlib: pip install matplotlib"):
        posts.plot()


def test_altair_replaces_matplotlib(monkeypatch):
    pytest.importorskip("altair", reason="altair is not installed")
    monkeypatch.setattr("project_platform.optional.find_spec", lambda name: None if name == "matplotlib" else name)
    posts = Listing([ScheduledPost(status="failed")], ScheduledPost)

    drawn = posts.plot().to_dict()

    assert drawn["data"]["values"] == [{"status": "failed", "number": 1}]


def test_an_error_has_a_short_traceback_in_a_notebook():
    """The lines of the caller, the error with its request, and where the whole traceback is."""

    def caller():
        raise NotFoundError("There is no such record.", status=404, request_id="req-17")

    try:
        caller()
    except NotFoundError as error:
        error.add_note(f"a note with Bearer {JWT}")
        lines = error._render_traceback_()

    text = "\n".join(lines)
    assert lines[0].startswith("NotFoundError: ")
    assert "status 404, request req-17" in text
    assert "raise NotFoundError(" in text
    assert "traceback.print_last()" in lines[-1]
    assert JWT not in text


def test_a_short_traceback_names_the_cause_and_the_error_that_can_be_settled(monkeypatch):
    unknown = OutcomeUnknownError("it is not known whether it was applied", applied="unknown")
    unknown.__cause__ = ConnectionResetError("peer closed")
    unknown.advice = "call client.settle(error)"
    lines = unknown._render_traceback_()
    assert "  because of ConnectionResetError: peer closed" in lines

    monkeypatch.setattr(sys, "last_value", unknown, raising=False)  # as IPython does
    cell = {}
    exec(lines[1].partition(": ")[2], cell)  # the line after the advice
    assert cell["error"] is unknown


def test_a_short_traceback_leaves_the_lines_of_the_sdk_out():
    """An argument is refused some calls below the line of the caller."""
    client = Client("https://platform.example", token="t", project_id="0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11")

    with pytest.raises(UsageError) as raised:
        client.project().agents.list(limit=1000)

    lines = raised.value._render_traceback_()
    assert len([line for line in lines if ", line " in line]) == 1
    assert "agents.list(limit=1000)" in "".join(lines)
