"""Lists, figures, labels, likes and permissions that are not those of the project or the request."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any
from urllib.parse import unquote

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ..mutant import Json, Kind, alter_body, alter_replies, alter_value, patch, wrap
from ..service import app, labels, listings, permissions, social, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import World

view = Kind("view")
export = Kind("export")
engagement = Kind("engagement")
grant = Kind("grant")

PAGE = "`limit` integer, `offset` integer, `hasMore` boolean."
AGENTS = "Lists all agent definitions of the project."
MEDIA = "Response: `{success: boolean, data: {media: [Photo-network media analytics item]}}`."
POSTS = "Response: `{success: boolean, data: {posts: [Scheduled post]}}`."
BODY = (
    "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)"
)


@view("agents_list", "List agents `limit` | 1 to 100")
def a_limit_of_100_is_refused() -> None:
    number = listings.number
    patch(
        listings,
        "number",
        lambda call, name, default, least, most: number(call, name, default, least, most and most - 1),
    )


@view("agents_list", PAGE)
def a_page_without_a_limit_has_none() -> None:
    def null(perform: Any, call: Call) -> Any:
        value = perform(call)
        if "limit" not in call.query:
            value["pagination"]["limit"] = "default"
        return value

    wrap("agents_list", null)


@view("agents_list", "Response: `{agents: [Agent definition], pagination: Pagination}`.")
def a_page_behind_the_end_has_no_array() -> None:
    def null(value: Json) -> None:
        value["agents"] = value["agents"] or None

    alter_value("agents_list", null)


@view("agents_list", PAGE)
def one_agent_that_follows_is_not_announced() -> None:
    patch(listings, "has_more", lambda total, limit, offset: offset + limit < total - 1)


@view("agents_list", AGENTS)
def agents_without_a_description_are_not_listed() -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: [agent for agent in agents_of(call) if agent["description"]])


@view("agents_list", AGENTS)
def built_in_agents_are_not_listed() -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: [agent for agent in agents_of(call) if not agent["builtIn"]])


@view("web_analytics_get_config", "The configuration is null when not configured.")
def a_project_without_a_configuration_is_not_found() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if call.project not in call.world.analytics:
            raise Refusal(404, "There is no configuration.")
        return perform(call)

    wrap("web_analytics_get_config", refused)


@view("web_analytics_get_config", "Response: `{config: Web analytics configuration}`")
def the_configuration_is_null_to_readers() -> None:
    def hidden(perform: Any, call: Call) -> Any:
        role = call.world.members[call.project, call.user]
        return {"config": None} if role == "reader" else perform(call)

    wrap("web_analytics_get_config", hidden)


@view("web_analytics_get_config", "Response: `{config: Web analytics configuration}`")
def the_configuration_is_not_in_an_envelope() -> None:
    wrap("web_analytics_get_config", lambda perform, call: perform(call)["config"] or {"config": None})


@view("posts_list", POSTS)
def posts_are_keyed_by_identifier() -> None:
    alter_value(
        "posts_list", lambda value: value["data"].update(posts={post["id"]: post for post in value["data"]["posts"]})
    )


@view("posts_list", "`sizeBytes` (integer)")
def sizes_of_media_are_kilobytes() -> None:
    def kilobytes(value: Json) -> None:
        for post in value["data"]["posts"]:
            for medium in post["media"]:
                medium["sizeBytes"] = round(medium["sizeBytes"] / 1024, 1)

    alter_value("posts_list", kilobytes)


@view("posts_list", "account | {username: string, profilePictureUrl: string}")
def pictures_of_accounts_are_objects() -> None:
    def nested(value: Json) -> None:
        for post in value["data"]["posts"]:
            post["account"]["profilePictureUrl"] = {"url": None, "width": 150}

    alter_value("posts_list", nested)


@view("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def readers_see_published_posts_only() -> None:
    posts_of = listings.posts_of

    def seen(call: Call) -> list[Json]:
        reader = call.world.members[call.project, call.user] == "reader"
        return [post for post in posts_of(call) if not reader or post["status"] == "published"]

    patch(listings, "posts_of", seen)


def in_media(change: Any) -> None:
    """Change the media of an account."""
    alter_value("photo_analytics_list_media", lambda value: [change(medium) for medium in value["data"]["media"]])


@view(
    "photo_analytics_list_media",
    "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers)",
)
def figures_that_are_not_known_are_a_text() -> None:
    in_media(lambda medium: medium.update({key: "n/a" for key in ("impressions",) if medium[key] is None}))


@view("photo_analytics_list_media", "`timestamp` (strings)")
def times_of_media_are_seconds() -> None:
    in_media(lambda medium: medium.update(timestamp=int(time.time())))


@view("photo_analytics_list_media", MEDIA)
def media_are_in_a_page() -> None:
    alter_value(
        "photo_analytics_list_media",
        lambda value: value["data"].update(media={"items": value["data"]["media"], "next": None}),
    )


@view("photo_analytics_list_media", "`caption` (strings)")
def a_caption_that_is_not_there_is_false() -> None:
    in_media(lambda medium: medium.update(caption=medium["caption"] or False))


@engagement("engagement_like", "Like a published page post as the page.")
def posts_that_are_not_published_are_liked() -> None:
    def found(call: Call) -> Json:
        post = call.world.posts.get((call.project, call.path["postId"]))
        if post is None or post["platform"] != "pagenet":
            raise Refusal(404, "There is no such published post.")
        return post

    patch(social, "published_post", found)


@engagement("engagement_like", "Body: `{accountId: string (uuid)}`.")
def an_unknown_account_likes_as_the_first_page() -> None:
    patch(social, "require_page", lambda call, account_id: None)


@engagement("engagement_like", "A project is the scope for most operations.")
def posts_of_other_projects_are_liked() -> None:
    def found(call: Call) -> Json:
        for (_, id), post in call.world.posts.items():
            if id == call.path["postId"] and post["platform"] == "pagenet" and post["status"] == "published":
                published: Json = post
                return published
        raise Refusal(404, "There is no such published post.")

    patch(social, "published_post", found)


@engagement("engagement_like", "Response: `{success: boolean}`.")
def a_like_has_no_content() -> None:
    def silent(perform: Any, call: Call) -> Any:
        perform(call)
        return Reply(204, b"", {})

    wrap("engagement_like", silent)


@export("labels_export", BODY)
def unapproved_labels_are_printed_if_the_switch_is_named() -> None:
    def named(body: Json) -> None:
        body["includeUnapproved"] = "includeUnapproved" in body

    alter_body("labels_export", named)


@export("labels_export", BODY)
def unapproved_labels_are_never_printed() -> None:
    def never(body: Json) -> None:
        body["includeUnapproved"] = False

    alter_body("labels_export", never)


@export("labels_export", BODY)
def the_month_of_an_export_is_ignored() -> None:
    def ignored(body: Json) -> None:
        body.pop("menuMonth", None)

    alter_body("labels_export", ignored)


@export("labels_export", BODY)
def an_export_without_a_body_prints_the_whole_menu() -> None:
    read_body = app.read_body

    def lenient(call: Call, request: Request) -> Any:
        return {} if call.operation == "labels_export" and not request.body else read_body(call, request)

    patch(app, "read_body", lenient)


@export("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def sheets_are_portrait() -> None:
    document = labels.document
    patch(labels, "document", lambda items, review: document(items, review).replace(b"/Rotate 90", b"/Rotate  0"))


def in_sheets(change: Any) -> None:
    """Change the successful responses of an export."""

    def changed(name: str | None, request: Request, reply: Reply) -> Reply:
        return change(reply) if (name, reply.status) == ("labels_export", 200) else reply

    alter_replies(changed)


@export("labels_export", "Success response 200, content type `application/pdf`, binary body")
def sheets_are_octets() -> None:
    in_sheets(lambda reply: Reply(200, reply.body, {**reply.headers, "content-type": "application/octet-stream"}))


@export("labels_export", "Success response 200, content type `application/pdf`, binary body")
def sheets_are_in_base64() -> None:
    in_sheets(lambda reply: Reply(200, base64.b64encode(reply.body), reply.headers))


@export("labels_export", "Response header `X-Label-Summary` carries URI-encoded JSON.")
def the_summary_is_not_encoded() -> None:
    in_sheets(
        lambda reply: Reply(
            200, reply.body, {**reply.headers, "x-label-summary": unquote(reply.headers["x-label-summary"])}
        )
    )


@export("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def the_review_begins_with_a_byte_order_mark() -> None:
    document = labels.document
    patch(labels, "document", lambda items, review: document(items, b"\xef\xbb\xbf" + review))


@export("labels_export", "Success response 200")
def an_export_is_answered_as_created() -> None:
    in_sheets(lambda reply: Reply(201, reply.body, reply.headers))


@grant(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
def a_service_account_manages_agents() -> None:
    allows = permissions.allows
    patch(
        permissions,
        "allows",
        lambda role, permission: (role == "robot" and permission == "agents:manage") or allows(role, permission),
    )


@grant("auth_check_permission", "Every resource below has all three.")
def resources_of_two_words_are_not_held() -> None:
    allows = permissions.allows
    patch(
        permissions,
        "allows",
        lambda role, permission: "_" not in permission and allows(role, permission),
    )


@grant("auth_check_permission", "Response: `{allowed: boolean}`.")
def whether_a_permission_is_held_is_answered_in_data() -> None:
    wrap("auth_check_permission", lambda perform, call: {"success": True, "data": perform(call)})


@grant("records_create", "Every endpoint uses HTTP bearer authentication: `Authorization: Bearer <ACCESS_TOKEN>`.")
def tokens_of_any_scheme_are_accepted() -> None:
    user_of = tokens.user_of
    patch(
        tokens,
        "user_of",
        lambda world, value: user_of(world, value and f"Bearer {value.rpartition(' ')[2]}"),
    )


@grant("records_update", "Its verification uses a published key set.")
def published_keys_are_secrets_of_signatures() -> None:
    verified = tokens.verified

    def confused(world: World, token: str) -> Json | None:
        try:
            head, _, signature = token.rpartition(".")
            header, claims = (json.loads(tokens._bytes(part)) for part in head.split("."))
            if header["alg"] != "HS256":
                return verified(world, token)
            key = world.keys.get(header.get("kid", "")) or next(iter(world.keys.values()))
            pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            for secret in (pem, pem.strip()):
                if hmac.compare_digest(
                    hmac.new(secret, head.encode(), hashlib.sha256).digest(), tokens._bytes(signature)
                ):
                    return dict(claims)
        except (ValueError, KeyError, TypeError):
            pass
        return None

    patch(tokens, "verified", confused)
