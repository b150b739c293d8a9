"""The social accounts of a world file, with their posts and media."""

from __future__ import annotations

from project_platform_stub.world.domain import Json

from .scope import Scope, with_defaults


def add_social(scope: Scope, content: Json) -> None:
    """Connect accounts, and add their posts, likes and media."""
    names: dict[str, str] = {}
    for item in content.get("accounts", ()):
        account = {"id": scope.uuid(item), **with_defaults(item, platform=None, username=None, profilePictureUrl=None)}
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
    post_id, timestamps = scope.uuid(item), scope.timestamps(item)
    status = item.get("status", "scheduled")
    published = status == "published"
    due = scope.time(item, "scheduledFor", item.get("timezone"))
    return {
        "id": post_id,
        "projectId": scope.project.id,
        "socialAccountId": account["id"],
        "platform": account["platform"],
        **with_defaults(item, caption=None, mediaType="IMAGE", containerId=None),
        "scheduledFor": due,
        "timezone": item.get("timezone", "UTC"),
        "status": status,
        "publishedAt": scope.time(item, "publishedAt") or ((due or timestamps["createdAt"]) if published else None),
        "permalink": item.get(
            "permalink", f"https://{account['platform']}.example/posts/{post_id}" if published else None
        ),
        **with_defaults(item, errorMessage=None, linkUrl=None, coverStoreUrl=None),
        **timestamps,
        "media": [_post_medium(scope, medium, index) for index, medium in enumerate(item.get("media", ()))],
        "account": with_defaults(account, username=None, profilePictureUrl=None),
    }


def _post_medium(scope: Scope, item: Json, index: int) -> Json:
    texts = with_defaults(item, storeKey=None, storeUrl=None, mediaType="IMAGE", filename=None, mimeType=None)
    return {"id": scope.uuid(item), **texts, **with_defaults(item, sizeBytes=None, orderIndex=index)}


def _medium(scope: Scope, item: Json) -> Json:
    figures = with_defaults(item, likeCount=0, commentsCount=0, shares=0, impressions=0, reach=0, saved=0)
    interactions = sum(figures[name] for name in ("likeCount", "commentsCount", "shares", "saved"))
    return {
        "mediaId": item.get("mediaId") or scope.world.ids.short("med"),
        "mediaType": item.get("mediaType", "IMAGE"),
        "timestamp": scope.time(item, "timestamp") or scope.project.created_at,
        **with_defaults(item, caption=None, mediaUrl=None, thumbnailUrl=None, permalink=None),
        **figures,
        "engagement": item.get("engagement", interactions),
    }
