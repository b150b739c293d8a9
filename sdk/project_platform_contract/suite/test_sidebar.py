"""Endpoints 8: replace the sidebar. Each test restores the sidebar of the data file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import sidebar as restored_sidebar
from project_platform_contract.run.restoration import sidebar_problem

from .support.free_form import TEXTS
from .support.preconditions import require_success
from .support.reading import discloses_nothing, refused
from .support.resources import SIDEBAR
from .support.sidebars import Section, section_differences
from .support.subsets import subsets
from .support.type_check import mismatch
from .support.valid_requests import ValidRequests
from .support.words import PASSAGES, SYNTAX, WORDS

Replace = Callable[[list[Section]], httpx.Response]

_ITEM_FIELDS = ("label", "icon", "id", "featureId", "pluginId", "href", "customLabel")
_ADDRESSES = ("/crm", "crm/", "/crm/a?view=b#c", "#deals", "?view=b", "../a", "//example.com/a", "mailto:a@example.com")
_MANY = 60  # Lists are often cut after 10, 20 or 50 items.


@pytest.fixture
def sidebar(api: Api, contract_run: Run) -> Callable[[], AbstractContextManager[Replace]]:
    """Returns a context manager that gives a function to replace the sidebar, and restores it at the end."""

    @contextmanager
    def replacing() -> Iterator[Replace]:
        with restored_sidebar(contract_run):
            yield lambda sections: api("sidebar_replace", json={"sections": sections})

    return replacing


Sidebar = Callable[[], AbstractContextManager[Replace]]


def _section(id: str, *items: str) -> Section:
    """Return a section with items that have all fields."""
    return {
        "id": id,
        "label": f"Section {id}",
        "items": [{**{name: f"{name} of {item}" for name in _ITEM_FIELDS}, "id": item} for item in items],
    }


def _sections(response: httpx.Response) -> list[Section]:
    assert response.is_success, f"the sidebar was not replaced: {response.status_code}"
    sections: list[Section] = response.json()["data"]["sections"]
    return sections


@pytest.mark.rule("fields.sidebar.types")
def test_sections_and_items_are_returned_as_sent(sidebar: Sidebar, tag: str) -> None:
    sent = [_section(tag, f"{tag}-a", f"{tag}-b")]
    with sidebar() as replace:
        response = replace(sent)

    sections = _sections(response)
    assert mismatch({"sections": sections}, SIDEBAR) is None
    assert [{name: section[name] for name in ("id", "label")} for section in sections] == [
        {"id": tag, "label": f"Section {tag}"}
    ]
    assert [{name: item.get(name) for name in _ITEM_FIELDS} for item in sections[0]["items"]] == sent[0]["items"]


@pytest.mark.rule("fields.sidebar.types")
def test_texts_are_returned_unchanged(sidebar: Sidebar, tag: str) -> None:
    """In every field; an empty text is not a missing one."""
    texts = [*TEXTS.values(), *_ADDRESSES, "", *WORDS, *SYNTAX, *PASSAGES, "A long text. " * 100]
    sent = [
        {
            "id": f"{tag}-{number}-Section_A.b",
            "label": text,
            "items": [{**dict.fromkeys(_ITEM_FIELDS, text), "id": f"{tag}-{number}-Item_A.b"}],
        }
        for number, text in enumerate(texts)
    ]
    with sidebar() as replace:
        response = replace(sent)

    assert section_differences(sent, _sections(response)) == []


@pytest.mark.rule("fields.sidebar.types")
def test_identifiers_are_returned_unchanged(sidebar: Sidebar, tag: str) -> None:
    """Those that a language takes for something else than a text; a service may refuse such identifiers."""
    words = [word for word in (*WORDS, "length", "then", "id", "hasOwnProperty") if word == word.strip()]
    items = [{**dict.fromkeys(_ITEM_FIELDS, tag), "id": word} for word in words]
    sent: list[Section] = [{"id": word, "label": tag, "items": items} for word in words]
    with sidebar() as replace:
        response = replace(sent)

    assert refused(response) or section_differences(sent, _sections(response)) == []


@pytest.mark.rule("fields.sidebar.types")
def test_sections_and_items_with_few_fields_are_returned_as_sent(sidebar: Sidebar, tag: str) -> None:
    """A field that was not sent is missing, null or empty. The service may require some; then this is not run."""
    sent: list[Section] = [
        {"id": f"{tag}-0", "label": "No items", "items": []},
        {"id": f"{tag}-1", "label": "", "items": [{"id": f"{tag}-item", "label": "Only these"}]},
        *(
            {"id": f"{tag}-{name}", "label": name, "items": [{"id": tag, name: f"{tag} {name}"}]}
            for name in _ITEM_FIELDS
        ),
        {
            "id": f"{tag}-subsets",
            "label": "Any of the fields each",
            "items": [
                {"id": f"{tag}-{number}", **{name: f"{tag} {name}" for name in names if name != "id"}}
                for number, names in enumerate(subsets(_ITEM_FIELDS))
            ],
        },
    ]
    with sidebar() as replace:
        response = replace(sent)

    assert section_differences(sent, _sections(require_success(response))) == []


@pytest.mark.rule("fields.sidebar.types")
def test_no_item_or_section_has_the_identifier_of_another_one(sidebar: Sidebar, tag: str) -> None:
    """Also if it was sent without one: the service may give it another identifier, or refuse it."""
    with_id, without = [{"id": f"{tag}-{name}", "label": name} for name in "ab"], {"label": "none"}
    sections = [
        {"id": f"{tag}-0", "label": "First", "items": [without, with_id[0], without, with_id[1], without]},
        {"id": f"{tag}-1", "label": "Second", "items": [without]},
    ]
    with sidebar() as replace:
        responses = [replace(sections), replace([*sections, {"label": "Third", "items": []}])]

    for response in responses:
        if not refused(response):
            received = _sections(response)
            given = [item.get("id") for section in received for item in section.get("items") or []]
            assert [id for id in given if id in {f"{tag}-a", f"{tag}-b"}] == [f"{tag}-a", f"{tag}-b"]
            for ids in (given, [section.get("id") for section in received]):
                named = [id for id in ids if id]
                assert len({*named}) == len(named), ids


@pytest.mark.rule("sidebar.replace.whole-list")
def test_a_long_list_is_not_cut(sidebar: Sidebar, tag: str) -> None:
    """Neither that of the sections nor that of the items, and equal labels are not merged."""
    items = [f"{tag}-item-{number}" for number in range(_MANY)]
    sent = [_section(f"{tag}-{number}", *(items if number == 0 else items[:1])) for number in range(_MANY)]
    sent = [{**section, "label": "The same"} for section in sent]
    with sidebar() as replace:
        response = replace(sent)

    assert section_differences(sent, _sections(response)) == []


@pytest.mark.rule("sidebar.replace.whole-list")
@pytest.mark.parametrize("field", ["id", "label", "items"])
def test_equal_sections_and_items_are_returned_or_refused(sidebar: Sidebar, tag: str, field: str) -> None:
    """The specification does not say that identifiers are unique."""
    one = _section(f"{tag}-1", f"{tag}-a", f"{tag}-b")
    two = {**_section(f"{tag}-2", f"{tag}-c"), field: one[field]}
    items = [*one["items"], {**two["items"][0], "id": f"{tag}-a"}]
    with sidebar() as replace:
        responses = [(sent, replace(sent)) for sent in ([one, two], [one, one], [{**one, "items": items}])]

    for sent, response in responses:
        assert refused(response) or section_differences(sent, _sections(response)) == []


@pytest.mark.rule("sidebar.replace.stored")
def test_the_sections_are_stored(sidebar: Sidebar, contract_run: Run, tag: str) -> None:
    """In this project only. No operation reads a sidebar, so only a stub can prove this."""
    project, stub = contract_run.target.stub_project("a sidebar"), contract_run.target.stub
    assert stub is not None
    others = {id: other.sidebar for id, other in stub.world.projects.items() if id != project.id}
    lists: tuple[list[Section], ...] = (
        [_section(f"{tag}-z", "b", "a"), {**_section(f"{tag}-a"), "label": ""}],
        [_section(f"{tag}-z", "c")],
        [],
    )
    with sidebar() as replace:
        for sent in lists:
            assert replace(sent).is_success

            assert section_differences(sent, project.sidebar) == []
            assert {id: stub.world.projects[id].sidebar for id in others} == others


@pytest.mark.rule("sidebar.replace.whole-list")
def test_what_is_left_out_is_removed(contract_run: Run) -> None:
    """An item and a section of the sidebar as it is. Only if they are removed, the other tests add sections to it."""
    assert sidebar_problem(contract_run) is None


@pytest.mark.rule("sidebar.replace.whole-list")
def test_the_whole_list_is_replaced(sidebar: Sidebar, tag: str) -> None:
    """Also if a section of the previous list has the same id."""
    with sidebar() as replace:
        first = replace([_section(f"{tag}-1", "a", "b"), _section(f"{tag}-2", "c"), _section(f"{tag}-3")])
        second = replace([_section(f"{tag}-2", "d")])
        none = replace([])

    assert len(_sections(first)) == 3
    assert [section["id"] for section in _sections(second)] == [f"{tag}-2"]
    assert [item["id"] for item in _sections(second)[0]["items"]] == ["d"]
    assert _sections(none) == []


@pytest.mark.rule("sidebar.replace.order")
def test_sections_and_items_keep_their_order(sidebar: Sidebar, tag: str) -> None:
    """The order is neither alphabetical nor that of the previous list."""
    orders = [["m", "z", "a"], ["z", "a", "m"]]
    with sidebar() as replace:
        answers = [replace([_section(f"{tag}-{id}", *order) for id in order]) for order in orders]

    for order, answer in zip(orders, answers, strict=True):
        sections = _sections(answer)
        assert [section["id"] for section in sections] == [f"{tag}-{id}" for id in order]
        assert [[item["id"] for item in section["items"]] for section in sections] == [order] * 3


@pytest.mark.rule("sidebar.replace.order")
def test_numbers_as_identifiers_do_not_change_the_order(sidebar: Sidebar) -> None:
    """Some languages put the members of an object first whose names are numbers, in ascending order."""
    order = ["b", "10", "9", "a", "1"]
    with sidebar() as replace:
        sections = _sections(replace([_section(id, *order) for id in order]))

    assert [section["id"] for section in sections] == order
    assert [[item["id"] for item in section["items"]] for section in sections] == [order] * len(order)


@pytest.mark.rule("sidebar.replace.success")
def test_the_response_has_the_new_sections(sidebar: Sidebar, tag: str) -> None:
    with sidebar() as replace:
        response = replace([_section(tag)])

    assert response.is_success
    assert response.json()["success"] is True
    assert [section["id"] for section in response.json()["data"]["sections"]] == [tag]


@pytest.mark.rule("sidebar.replace.body-types")
@pytest.mark.parametrize(
    "sections",
    [
        "contract",
        {"contract": True},
        ["contract"],
        [{"id": 7}],
        [{"label": ["contract"]}],
        [{"id": "contract", "items": "contract"}],
        [{"id": "contract", "items": ["contract"]}],
        *([{"id": "contract", "items": [{name: 7}]}] for name in _ITEM_FIELDS),
    ],
    ids=str,
)
def test_an_invalid_list_of_sections_is_refused(sidebar: Sidebar, sections: Any) -> None:
    """Each body has one defect."""
    with sidebar() as replace:
        response = replace(sections)

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("sidebar.hiding-keeps-authority")
def test_a_hidden_resource_can_still_be_read(sidebar: Sidebar, sign_in: SignIn, valid_requests: ValidRequests) -> None:
    """With an empty sidebar, a viewer can read what could be read before; the data may have changed."""
    viewer = sign_in("viewer")
    reads = (
        *("agents_list", "web_analytics_get_config", "posts_list", "auth_check_permission"),
        *("calendar_busy", "photo_analytics_list_media"),
    )
    before = {operation: viewer(operation, **valid_requests(operation)) for operation in reads}
    if not any(answer.is_success for answer in before.values()):
        raise MissingError("the viewer may not read any of the resources")
    with sidebar() as replace:
        hidden = replace([])
        after = {operation: viewer(operation, **valid_requests(operation)) for operation in reads}

    assert _sections(hidden) == []
    for operation in reads:
        assert after[operation].is_success or not before[operation].is_success
        assert _extent(after[operation]) >= _extent(before[operation])


def _extent(response: httpx.Response) -> set[str]:
    """Return the names of the members in a response that have content."""
    body = response.json()
    members = body.get("data", body)
    return {name for name in ("agents", "posts", "config", "allowed", "busy", "media") if members.get(name)}
