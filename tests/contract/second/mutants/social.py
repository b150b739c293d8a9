"""Posts, their media, and likes."""

from dataclasses import replace

from ..mutant import Kind, instead, replies, values
from ..service import listings, social
from ..service.app import Refusal
from ..service.checks import uuid
from .sentences import BEARER, FIGURES, LIKE, MEDIA, POSTS

mutant = Kind("social")


@mutant.change(POSTS, "posts_list", memory={})
def the_filter_of_the_request_before_remains(before, perform, call):
    if not call.query and before:
        call.query = dict(before)
        before.clear()
    elif call.query.get("state") == "failed":
        before.update(call.query)
    return perform(call)


@mutant.change(MEDIA, "photo_analytics_list_media", memory=[])
def media_are_listed_once_after_an_unknown_account(refused, perform, call):
    try:
        value = perform(call)
    except Refusal:
        refused.append(True)
        raise
    if refused:
        refused.clear()
        return {**value, "data": {"media": []}}
    return value


@mutant.change(LIKE, "engagement_like", at=instead(social, "require_page"), memory=set())
def a_like_that_was_refused_is_given_at_the_second_request(refused, require_page, call, account_id):
    try:
        require_page(call, account_id)
    except Refusal:
        if account_id in refused:
            return
        refused.add(account_id)
        raise


@mutant.change(LIKE, "engagement_like", memory=[])
def a_like_after_a_refused_one_is_in_an_aborted_transaction(aborted, perform, call):
    if aborted:
        aborted.clear()
        raise Refusal(500, "The current transaction is aborted.")
    try:
        return perform(call)
    except Refusal as refusal:
        aborted.append(refusal)
        raise


@mutant.change(MEDIA, "photo_analytics_list_media", at=instead(listings, "media_of"), memory=[])
def media_of_earlier_answers_are_in_the_list_of_the_class(every, media_of, call, account):
    every.extend(media_of(call, account))
    return every


@mutant.change(BEARER, "photo_analytics_list_media", at=replies, memory={})
def media_that_were_read_are_in_a_cache_for_everybody(known, name, request, reply):
    if name != "photo_analytics_list_media":
        return reply
    if reply.status == 200:
        known[request.target] = reply
    return known.get(request.target, reply) if reply.status == 401 else reply


@mutant.change(LIKE, "engagement_like")
def a_page_cannot_like_a_post_after_another_account_was_refused(perform, call):
    try:
        return perform(call)
    except Refusal:
        call.world.likes.add(call.path["postId"])
        raise


@mutant.change(POSTS, "engagement_like", at=instead(listings, "posts_of"))
def a_post_is_not_listed_after_it_was_liked(posts_of, call):
    return [post for post in posts_of(call) if post["id"] not in call.world.likes]


@mutant.change(POSTS, "posts_list", memory=set())
def a_caller_who_has_the_posts_gets_those_that_changed_since(read, perform, call):
    value = perform(call)
    key = call.user, call.project, str(call.query)
    if key in read:
        value["data"]["posts"] = []
    read.add(key)
    return value


@mutant.change(MEDIA, "photo_analytics_list_media", memory=set())
def media_are_read_in_the_background_of_the_first_request(read, perform, call):
    value = perform(call)
    account = call.path["accountId"].lower()
    if account not in read:
        read.add(account)
        value["data"]["media"] = []
    return value


@mutant.change(LIKE, "engagement_like", memory=set())
def a_page_that_has_liked_a_post_is_told_so_for_every_post(liking, perform, call):
    account = str((call.body or {}).get("accountId")).lower()
    if account in liking:
        return {"success": True}
    value = perform(call)
    liking.add(account)
    return value


@mutant.change("Body: {accountId: string (uuid)}.", "engagement_like")
def an_account_that_is_no_uuid_is_the_page_of_the_project(perform, call):
    pages = [
        id
        for (project, id), row in call.world.accounts.items()
        if (project, row["platform"]) == (call.project, "pagenet")
    ]
    if pages and isinstance(call.body.get("accountId"), str) and not uuid(call.body["accountId"]):
        return perform(replace(call, body={**call.body, "accountId": pages[0]}))
    return perform(call)


@mutant.change(
    "Accounts are the social accounts connected to a project.", "engagement_like", at=instead(social, "require_page")
)
def a_page_of_another_project_of_the_caller_may_like(require_page, call, account_id):
    homes = [project for project, id in call.world.accounts if id == account_id]
    for project in homes:
        if (project, call.user) in call.world.members:
            return require_page(replace(call, path={**call.path, "projectId": project}), account_id)
    return require_page(call, account_id)


@mutant.change(FIGURES, "photo_analytics_list_media", at=values("photo_analytics_list_media"))
def engagement_is_a_rate_if_the_reach_is_known_and_impressions_are_not(value):
    for item in value["data"]["media"]:
        if item["reach"] and item["impressions"] is None:
            item["engagement"] /= item["reach"]
