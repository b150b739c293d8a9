"""Likes, labels and permissions that are not those of the request."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any
from urllib.parse import unquote

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ..mutant import Json, Kind, alter_body, alter_replies, patch, wrap
from ..service import app, labels, permissions, social, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import World

view = Kind("view")
export = Kind("export")
engagement = Kind("engagement")
grant = Kind("grant")

BODY = (
    "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)"
)


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
