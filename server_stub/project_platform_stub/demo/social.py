"""Connected accounts, scheduled posts and media figures of the demo world."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.domain import Json
from project_platform_stub.world.store import Contents, Project

_STORE = "https://store.example.com"


def add_social(world: Contents, project: Project, created_at: str, day: datetime) -> None:
    """Connect a page account and a photo account, with posts in several states and media with figures.

    Args:
        world: The generator of identifiers.
        project: The project.
        created_at: Time of creation.
        day: Midnight, in UTC, of the day on which the scheduled post is due.
    """
    page, photo = (
        {
            "id": world.ids.uuid(),
            "platform": platform,
            "username": username,
            "profilePictureUrl": f"{_STORE}/{username}.png",
        }
        for platform, username in (("pagenet", "demo.page"), ("photonet", "demo.photos"))
    )
    project.accounts.update({account["id"]: account for account in (page, photo)})
    for account, status, caption in (
        (page, "published", "We are open again!"),
        (page, "scheduled", "Tomorrow: tasting of the new menu"),
        (photo, "failed", "Crème brûlée, freshly torched"),
        (photo, "draft", "Behind the scenes"),
        (photo, "published", "Harvest 🌾"),
    ):
        project_and_times = {
            "projectId": project.id,
            "scheduledFor": wire_time(day + timedelta(hours=17)) if status == "scheduled" else created_at,
            "publishedAt": created_at if status == "published" else None,
            "createdAt": created_at,
            "updatedAt": created_at,
        }
        post = {**_post(world, account, status, caption), **project_and_times}
        project.posts[post["id"]] = post
    project.media[photo["id"]] = [_media(index, day) for index in range(4)]


def _post(world: Contents, account: Json, status: str, caption: str) -> Json:
    published = status == "published"
    post_id = world.ids.uuid()
    return {
        "id": post_id,
        "socialAccountId": account["id"],
        "platform": account["platform"],
        "caption": caption,
        "mediaType": "IMAGE",
        "containerId": world.ids.short("cnt") if status in {"published", "failed"} else None,
        "timezone": "Europe/Berlin",
        "status": status,
        "permalink": f"https://{account['platform']}.example/posts/{post_id}" if published else None,
        "errorMessage": "The network did not accept the picture." if status == "failed" else None,
        "linkUrl": "https://www.example.com/menu",
        "coverStoreUrl": f"{_STORE}/covers/{post_id}.jpg",
        "media": [
            {
                "id": world.ids.uuid(),
                "storeKey": f"posts/{post_id}/{index}.jpg",
                "storeUrl": f"{_STORE}/posts/{post_id}/{index}.jpg",
                "mediaType": "IMAGE",
                "filename": f"{index}.jpg",
                "mimeType": "image/jpeg",
                "sizeBytes": 240_000 + index,
                "orderIndex": index,
            }
            for index in range(2)
        ],
        "account": {"username": account["username"], "profilePictureUrl": account["profilePictureUrl"]},
    }


def _media(index: int, day: datetime) -> Json:
    likes, comments, shares, saved = 120 + 31 * index, 8 + index, 3 * index, 11 + 2 * index
    return {
        "mediaId": f"1789500000000000{index}",
        "mediaType": "VIDEO" if index == 1 else "IMAGE",
        "timestamp": wire_time(day - timedelta(days=7 * (index + 1))),
        "caption": f"Plate of the week, no. {index + 1}",
        "mediaUrl": f"https://photonet.example/media/{index}",
        "thumbnailUrl": f"https://photonet.example/media/{index}/thumbnail",
        "permalink": f"https://photonet.example/p/{index}",
        "likeCount": likes,
        "commentsCount": comments,
        "shares": shares,
        "impressions": 10 * likes,
        "reach": 8 * likes,
        "saved": saved,
        "engagement": likes + comments + shares + saved,
    }
