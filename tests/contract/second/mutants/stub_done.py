"""Broken stub servers that answer and do not do, or do a part; no operation shows what was written."""

from __future__ import annotations

from copy import deepcopy

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations.call import Answer, Call, Handler

from ...suite.mutations.idle import idle
from ...suite.mutations.mutation import without, wrap
from ...suite.mutations.record_updates import keep_what_failed
from ..mutant import Kind

done = Kind("answered and not done", "stub")


CREATED = "A new sub-project is created under the parent project `{projectId}` and the template is applied to it."


for operation, sentence in (
    ("engagement_like", "Like a published page post as the page."),
    ("sidebar_replace", "The entire section list of the project is replaced."),
    ("workflows_create", "Create workflows."),
    ("templates_apply", CREATED),
    ("calendar_book", "The event is written to the connected external calendar."),
):
    done.add(f"{operation} does nothing", operation, sentence, idle(operation))


@done("engagement_like", "Like a published page post as the page.")
def a_like_is_given_to_the_first_post() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        (_, like) = call.project.likes.popitem()
        post = next(id for id in call.project.posts if id != like["postId"])
        call.project.likes[f"{post} {like['accountId']}"] = {**like, "postId": post}
        return answer

    wrap("engagement_like", first)


@done("sidebar_replace", "The entire section list of the project is replaced.")
def only_the_first_section_is_stored() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        answer = deepcopy(rule(call))
        call.project.sidebar = call.project.sidebar[:1]
        return answer

    wrap("sidebar_replace", first)


@done("records_create", "`relations` (object)")
def relations_of_a_new_record_are_lost() -> None:
    wrap("records_create", lambda rule, call: rule(without(call, "relations")))


@done("records_update", "`relations` (object)")
def relations_of_an_updated_record_are_lost() -> None:
    wrap("records_update", lambda rule, call: rule(without(call, "relations")))


@done("records_update", "the response is 409 and the record is unchanged")
def a_stale_update_changes_the_relations() -> None:
    keep_what_failed()

    def related(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                call.project.relations[call.path["recordId"]] = call.body.get("relations", {"changed": ["yes"]})
            raise

    wrap("records_update", related)
