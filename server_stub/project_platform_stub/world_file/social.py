"""The social accounts of a world file, with their posts and media."""

from __future__ import annotations

from project_platform_stub.world.domain import Json

from .scope import Scope, with_defaults

_SHOWN = ("username", "profilePictureUrl")  # of an account, with each of its posts


def add_social(scope: Scope, content: Json) -> None:
    """Connect accounts, and add their posts, likes and media."""
    names: dict[str, str] = {}
    for item in content.get("accounts", ()):
        account = {"id": scope.uuid(item), **{name: item.get(name) for name in ("platform", *_SHOWN)}}
        names |= {account["id"]: account["id"], item.get("key", account["id"]): account["id"]}
        scope.project.accounts[account["id"]] = account
        if item["platform"] == "photonet":
            scope.project.media[account["id"]] = [_medium(scope, medium) for medium in item.get("media", ())]
    for item in content.get("posts", ()):
        post = _post(scope, item, scope.project.accounts[names[item["account"]]])
        scope.project.posts[post["id"]] = post
        for liker in item.get("likedBy", ()):
            like = {"postId": post["id"], "accountId": names[liker]}
            scope.project.likes[f"{like['postId']} {like['accountId']}"] = like


def _post(scope: Scope, item: Json, account: Json) -> Json:
    post = scope.row(item, "post", scope.uuid(item))
    due = scope.time(item, "scheduledFor", item.get("timezone"))
    published_at, permalink = scope.time(item, "publishedAt"), item.get("permalink")
    if post["status"] == "published":
        published_at = published_at or due or post["createdAt"]
        permalink = item.get("permalink", f"https://{account['platform']}.example/posts/{post['id']}")
    return {
        **post,
        "socialAccountId": account["id"],
        "platform": account["platform"],
        "scheduledFor": due,
        "publishedAt": published_at,
        "permalink": permalink,
        "media": [_post_medium(scope, medium, index) for index, medium in enumerate(item.get("media", ()))],
        "account": {name: account[name] for name in _SHOWN},
    }


def _post_medium(scope: Scope, item: Json, index: int) -> Json:
    return {"id": scope.uuid(item), **with_defaults({"orderIndex": index, **item}, "postMedia")}


def _medium(scope: Scope, item: Json) -> Json:
    medium = with_defaults(item, "media")
    interactions = sum(medium[name] for name in ("likeCount", "commentsCount", "shares", "saved"))
    return {
        **medium,
        "mediaId": item.get("mediaId") or scope.world.ids.short("med"),
        "timestamp": scope.time(item, "timestamp") or scope.project.created_at,
        "engagement": item.get("engagement", interactions),
    }
