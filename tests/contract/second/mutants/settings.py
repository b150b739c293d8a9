"""Sidebars and memory entries."""

import time
from collections import defaultdict
from copy import deepcopy
from dataclasses import replace

from ..mutant import Kind, around, bodies, instead, patch, values
from ..service import settings
from ..service.app import Refusal
from .sentences import ENTRY, HIDING, ITEMS, SCOPE, SECTIONS

mutant = Kind("settings")

FEATURES = {"crm": ("crm_types", "crm_objects"), "agents": ("agents",), "calendar": ("calendar",)}


def stored(change):
    """Change the sections of a replacement, given those before and the new ones."""

    @around("sidebar_replace")
    def changed(perform, call):
        before = deepcopy(call.world.sidebars[call.project])
        value = perform(call)
        sections = change(before, call.world.sidebars[call.project])
        call.world.sidebars[call.project] = sections
        return {**value, "data": {"sections": deepcopy(sections)}}


def by_id(values):
    return {value.get("id", ""): value for value in values}


@mutant.change(SECTIONS, "sidebar_replace", at=stored)
def items_with_known_identifiers_keep_fields_that_are_not_sent(before, after):
    known = by_id([item for section in before for item in section["items"]])
    return [
        {**section, "items": [{**known.get(item.get("id"), {}), **item} for item in section["items"]]}
        for section in after
    ]


@mutant.change(SECTIONS, "sidebar_replace", at=stored)
def a_list_with_the_identifiers_of_the_one_before_changes_nothing(before, after):
    return before if after and [*by_id(before)] == [*by_id(after)] else after


@mutant.change(SECTIONS, "sidebar_replace", memory={})
def sections_that_another_caller_saved_are_kept(saved, perform, call):
    value = perform(call)
    saved[call.project, call.user] = value["data"]["sections"]
    others = [rows for (project, user), rows in saved.items() if project == call.project and user != call.user]
    value["data"]["sections"] = sum(others, saved[call.project, call.user])
    return value


@mutant.change(SECTIONS, "sidebar_replace", memory=defaultdict(dict))
def a_section_that_comes_back_has_its_former_items(archives, perform, call):
    present = {section.get("id", ""): section for section in call.world.sidebars.get(call.project, [])}
    value = perform(call)
    for section in value["data"]["sections"]:
        if section.get("id", "") in archives[call.project].keys() - present.keys():
            section["items"] = archives[call.project][section.get("id", "")]["items"]
    archives[call.project].update(present)
    return value


@mutant.change(ENTRY, "memory_update", at=bodies("memory_update"), memory={})
def metadata_are_those_of_the_entry_that_was_updated_before(last, body):
    if isinstance(body.get("metadata", {}), dict):
        last.update({"metadata": body["metadata"]} if "metadata" in body else {})
        body.update(last)


@mutant.change(ENTRY, "memory_update", memory={})
def an_update_restores_the_fields_that_its_caller_last_saw(seen, perform, call):
    key = (call.project, call.path["slug"], call.user)
    value = perform(replace(call, body={**seen.get(key, {}), **call.body}))
    fields = ("title", "description", "content", "metadata")
    seen[key] = {name: deepcopy(value["entry"][name]) for name in fields}
    return value


@mutant.change(SECTIONS, "sidebar_replace", memory={})
def replacements_within_a_second_are_one(replaced, perform, call):
    before = deepcopy(call.world.sidebars.get(call.project, []))
    value = perform(call)
    if time.monotonic() - replaced.get(call.project, -1.0) < 1:
        call.world.sidebars[call.project] = before
        return {"success": True, "data": {"sections": deepcopy(before)}}
    replaced[call.project] = time.monotonic()
    return value


def features(sections):
    """Return the features to which the items of a sidebar lead."""
    return {
        feature
        for section in sections
        for item in section["items"]
        for feature in FEATURES
        if feature in {item.get("id"), item.get("featureId"), str(item.get("href")).strip("/")}
    }


@mutant(HIDING, "sidebar_replace")
def permissions_of_an_entry_that_was_removed_are_not_held():
    hidden = set()

    @around("sidebar_replace")
    def hiding(perform, call):
        before = features(call.world.sidebars.get(call.project, []))
        value = perform(call)
        after = features(call.world.sidebars[call.project])
        hidden.difference_update(after)
        hidden.update(before - after)
        return value

    @around("auth_check_permission")
    def checking(perform, call):
        value = perform(call)
        resource = call.query["scope"].partition(":")[0]
        return {"allowed": value["allowed"] and not any(resource in FEATURES[feature] for feature in hidden)}


@mutant.change("Slugs may contain `/` for hierarchical paths.", "memory_update")
def a_slug_is_its_last_segment(perform, call):
    return perform(replace(call, path={**call.path, "slug": call.path["slug"].rpartition("/")[2]}))


@mutant.change(ENTRY, "memory_update")
def a_new_title_makes_a_new_slug(perform, call):
    value = perform(call)
    slug = "-".join(value["entry"]["title"].lower().split())
    if "title" not in call.body or not slug or (call.project, slug) in call.world.memory:
        return value
    entry = {**call.world.memory.pop((call.project, call.path["slug"])), "slug": slug}
    call.world.memory[call.project, slug] = entry
    return {"entry": deepcopy(entry)}


@mutant.change(ENTRY, "memory_update")
def texts_that_are_not_given_become_null(perform, call):
    perform(call)
    entry = call.world.memory[call.project, call.path["slug"]]
    entry |= {name: None for name in ("title", "description", "content") if name not in call.body}
    return {"entry": deepcopy(entry)}


@mutant.change(SCOPE, "memory_update")
def an_entry_of_another_project_is_updated(perform, call):
    known = {slug: project for project, slug in call.world.memory}
    if call.project in call.world.projects and (owner := known.get(call.path["slug"])):
        entry = perform(replace(call, path={**call.path, "projectId": owner}))["entry"]
        return {"entry": {**entry, "projectId": call.project}}
    return perform(call)


@mutant.change(ENTRY, "memory_update")
def an_unknown_slug_is_that_of_the_entry_with_its_last_segment(perform, call):
    slug = call.path["slug"]
    known = [own for project, own in call.world.memory if project == call.project]
    ends = [own for own in known if own.rpartition("/")[2] == slug.rpartition("/")[2]]
    return perform(replace(call, path={**call.path, "slug": ends[0] if ends and slug not in known else slug}))


@mutant.change(SCOPE, "memory_update")
def the_entries_of_all_projects_with_the_slug_are_updated(perform, call):
    slug, entries = call.path["slug"], call.world.memory
    for project in call.world.projects:
        if (known := next((entry for (_, own), entry in entries.items() if own == slug), None)) is not None:
            entries.setdefault((project, slug), {**deepcopy(known), "id": f"{slug} of {project}", "projectId": project})
    value = perform(call)
    for (_, own), entry in entries.items():
        entry.update(deepcopy(call.body) if own == slug else {})
    return value


@mutant.change(HIDING, "sidebar_replace", at=around("posts_list"))
def posts_that_the_sidebar_does_not_show_are_hidden_from_members(perform, call):
    shown = str(call.world.sidebars[call.project])
    if "social" not in shown and call.world.members.get((call.project, call.user)) != "owner":
        raise Refusal(403, "This part of the project is hidden.")
    return perform(call)


@mutant.change("Memory entry: `metadata` (object).", "memory_update", at=values("memory_update"))
def metadata_without_members_is_an_array(value):
    value["entry"]["metadata"] = value["entry"]["metadata"] or []


@mutant.change(ENTRY, "memory_update", memory=[])
def an_update_of_an_entry_is_ignored_as_a_repetition(known, perform, call):
    update = {**call.body, "of": call.path["slug"]} if isinstance(call.body, dict) else {}
    if update in known:
        return perform(replace(call, body={}))
    known.append(deepcopy(update))
    return perform(call)


@mutant(ITEMS, "sidebar_replace")
def the_label_of_a_feature_with_a_custom_label_is_lost():
    def item(value):
        custom = {"customLabel", "featureId"} <= value.keys()
        return {**value, "label": value["customLabel"]} if custom else dict(value)

    patch(settings, "item_of", item)


@mutant.change(ENTRY, "memory_update", at=instead(settings, "change"))
def an_entry_in_a_folder_is_named_after_its_slug_unless_a_title_is_sent(change, entry, body):
    folder, _, name = entry["slug"].rpartition("/")
    change(entry, {"title": name, **body} if folder else body)
