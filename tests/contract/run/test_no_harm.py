"""What a run changes can be restored, however the service merges: it first tries that with what is already there."""

from copy import deepcopy

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.fuse import BlockedError, Fuse, Limits
from project_platform_contract.fuse.ledger import Ledger, unrestored
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import memory_entry, sidebar, sidebar_problem
from project_platform_contract.run.target import Target

from ..second.service import OPERATIONS, Service, new_world, settings, tokens
from ..second.service.app import Refusal
from ..second.service.data_file import data_members
from ..second.service.rims import InProcess
from ..second.service.world import HOME, tokens_of

URL = "http://second.localhost"
TAG = "contract-20261124-000000-0000"


def merged(old, new, *, deep, null, join):
    result = dict(old)
    for key, value in new.items():
        if value is None and null != "store":
            if null == "delete":
                result.pop(key, None)
        elif deep and isinstance(value, dict) and isinstance(old.get(key), dict):
            result[key] = merged(old[key], value, deep=deep, null=null, join=join)
        elif join and isinstance(value, list) and isinstance(old.get(key), list):
            result[key] = old[key] + value
        else:
            result[key] = deepcopy(value)
    return result


def merging(**how):
    return lambda old, new: merged(old, new, **how)


WAYS = {
    "replaced": lambda old, new: deepcopy(new),
    "replaced, unless by nothing": lambda old, new: deepcopy(new or old),
    **{
        f"merged {'at each depth' if deep else 'at the top'}, lists {'joined' if join else 'replaced'}, null: {null}": merging(
            deep=deep, null=null, join=join
        )
        for deep in (False, True)
        for null in ("delete", "store", "ignore")
        for join in (False, True)
    },
}
METADATA = {
    "scalars": {"order": 1, "source": "handbook"},
    "one key": {"order": 1},
    "an object": {"of": {"a": 1, "b": [1, 2]}, "order": 1},
    "lists": {"tags": ["a", "b"], "order": 1},
    "only lists": {"tags": ["a", "b"]},
    "a null": {"order": None, "source": "handbook"},
    "nothing": {},
    "no object": None,
}
CHANGES = (
    {"metadata": {"contract": TAG}},
    {"metadata": {"of": {"a": 2, "c": {"d": [TAG]}}, "tags": [TAG], "order": {"of": TAG}}},
    {"metadata": {"nested": {"list": [1, {"of": None}]}}},
    {"title": f"{TAG} title", "description": f"{TAG} description"},
    {"content": ""},
)


@pytest.fixture
def world():
    return new_world()


@pytest.fixture
def run(world, tmp_path, monkeypatch):
    """A run on the second implementation, in this process."""
    crashes = []
    monkeypatch.setattr(Target, "transport", lambda self: InProcess(Service(world), crashes))
    data = Data(data_members(), tokens_of(world))
    limits = Limits(
        URL,
        frozenset({"read", "write"}),
        projects=[HOME],
        resources={"slug": [data["memory_slug"]]},
        unchanged={f"/projects/{HOME}/sidebar": {"sections": data["sidebar"]}},
        tag=TAG,
    )
    ledger = Ledger(tmp_path / "ledger-main.jsonl", TAG, URL)
    yield Run(Target(URL, data), Fuse(limits, on_pass=ledger.before, on_response=ledger.after), ledger, TAG)
    assert crashes == []
    assert unrestored(tmp_path) == []


def change(run, entry, fields):
    """Send an update, and return whether it was sent."""
    with run.client(run.data.token("owner")) as client:
        try:
            client.patch(f"/projects/{HOME}/memory-entries/{entry['slug']}", json=fields)
        except BlockedError:
            return False
    return True


@pytest.mark.parametrize("metadata", METADATA)
@pytest.mark.parametrize("way", WAYS)
def test_an_entry_is_restored_however_its_metadata_are_merged(run, world, monkeypatch, way, metadata):
    """Each change is restored, or was not sent because it could not be."""

    def changed(entry, body):
        body = dict(body)
        if "metadata" in body:
            body["metadata"] = WAYS[way](entry["metadata"] or {}, body["metadata"] or {})
        entry.update(deepcopy(body))

    monkeypatch.setattr(settings, "change", changed)
    entry = world.memory[HOME, run.data["memory_slug"]]
    entry["metadata"] = deepcopy(METADATA[metadata])
    before = deepcopy(entry)

    for fields in CHANGES:
        with memory_entry(run, entry["slug"]) as known:
            assert known == before
            assert change(run, entry, fields) or "metadata" in fields
        assert entry == before, fields
    assert run.unrestored == {}


def test_what_is_changed_is_restored_after_the_token_expired(run, world, monkeypatch):
    """By the session."""
    first, user_of, expired = run.data.token("owner"), tokens.user_of, []

    def user_of_a_valid_token(world, authorization):
        if expired and authorization == f"Bearer {first}":
            raise Refusal(401, "The token has expired.")
        return user_of(world, authorization)

    monkeypatch.setattr(tokens, "user_of", user_of_a_valid_token)
    entry = world.memory[HOME, run.data["memory_slug"]]
    before = entry["content"]

    with memory_entry(run, entry["slug"]):
        assert change(run, entry, {"content": TAG})
        expired.append(True)

    assert entry["content"] == before
    assert run.unrestored == {}


@pytest.mark.parametrize("way", ["replaced", *(way for way in WAYS if way.endswith("null: delete"))])
def test_metadata_that_can_be_restored_are_changed(run, world, monkeypatch, way):
    """A rule that could be proven is not given up."""

    def changed(entry, body):
        entry.update({**body, "metadata": WAYS[way](entry["metadata"], body.get("metadata", entry["metadata"]))})

    monkeypatch.setattr(settings, "change", changed)
    with memory_entry(run, run.data["memory_slug"]) as entry:
        assert change(run, entry, CHANGES[0])


@pytest.mark.parametrize("null", ["removes", "is ignored", "is refused", "is an empty text"])
def test_a_text_that_an_entry_does_not_have_is_changed_only_if_it_can_be_removed(run, world, monkeypatch, null):
    def changed(entry, body):
        for name, value in body.items():
            if value is not None or null == "removes" or name == "metadata":
                entry[name] = deepcopy(value)
            elif null == "is refused":
                raise Refusal(422, "It is null.", "invalid")
            elif null == "is an empty text":
                entry[name] = ""

    monkeypatch.setattr(settings, "change", changed)
    monkeypatch.setattr(settings, "text", lambda *_: lambda value: value is None or isinstance(value, str))
    entry = world.memory[HOME, run.data["memory_slug"]]
    entry["description"] = None
    before = deepcopy(entry)

    with memory_entry(run, entry["slug"]):
        assert change(run, entry, {"content": TAG})
        assert change(run, entry, {"description": TAG}) is (null == "removes")
    assert entry == before


def kept_sections(old, new):
    return [*new, *(section for section in old if section["id"] not in {each["id"] for each in new})]


def kept_items(old, new):
    known = {section["id"]: section["items"] for section in old}
    return [{**section, "items": kept_sections(known.get(section["id"], []), section["items"])} for section in new]


def joined(old, new):
    return kept_items(old, kept_sections(old, new))


@pytest.mark.parametrize("merge", [kept_sections, kept_items, joined])
def test_a_sidebar_that_is_merged_gets_no_sections_of_the_run(run, world, monkeypatch, merge):
    """What it has is left out instead, and stays; the rule about the whole list is violated."""

    def replace(call):
        old = world.sidebars[call.project]
        world.sidebars[call.project] = merge(old, [settings.section_of(value) for value in call.body["sections"]])
        return {"success": True, "data": {"sections": deepcopy(world.sidebars[call.project])}}

    monkeypatch.setattr(OPERATIONS["sidebar_replace"], "perform", replace)
    before = deepcopy(world.sidebars[HOME])

    assert "the sidebar is not replaced: " in sidebar_problem(run)
    with pytest.raises(MissingError, match="could not be removed"), sidebar(run):
        pass
    assert names(world.sidebars[HOME]) == names(before)


def test_a_sidebar_that_is_replaced_is_restored(run, world):
    before = names(world.sidebars[HOME])
    with sidebar(run), run.client(run.data.token("owner")) as client:
        assert client.put(f"/projects/{HOME}/sidebar", json={"sections": []}).is_success
        assert world.sidebars[HOME] == []
    assert names(world.sidebars[HOME]) == before


def names(sections):
    return [(section["id"], [item["id"] for item in section["items"]]) for section in sections]
