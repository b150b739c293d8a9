"""Answers for the clients of other services: pages of objects with about as many fields as an agent has."""

from __future__ import annotations

import json
from typing import Any

_JOB: dict[str, Any] = {
    "id": "job-0",
    "object": "fine_tuning.job",
    "created_at": 1_767_225_600,
    "finished_at": 1_767_229_200,
    "model": "m-1",
    "fine_tuned_model": "m-1:house",
    "organization_id": "org-1",
    "result_files": ["file-1"],
    "status": "succeeded",
    "validation_file": None,
    "training_file": "file-2",
    "hyperparameters": {"n_epochs": 4, "batch_size": 1, "learning_rate_multiplier": 1.0},
    "trained_tokens": 5768,
    "error": None,
    "seed": 7,
    "metadata": {"revision": "1"},
    "user_provided_suffix": "answers guests about menus, dates and rooms",
}
_CUSTOMER: dict[str, Any] = {
    "id": "cus_0",
    "object": "customer",
    "address": {"city": "Basel", "country": "CH", "line1": "Rheingasse 1", "postal_code": "4058", "state": None},
    "balance": 0,
    "created": 1_767_225_600,
    "currency": "chf",
    "default_source": None,
    "delinquent": False,
    "description": "Answers guests about menus, dates and rooms",
    "email": "ada@example.com",
    "invoice_prefix": "0759376C",
    "livemode": False,
    "metadata": {"revision": "1"},
    "name": "Ada",
    "next_invoice_sequence": 1,
    "phone": None,
    "preferred_locales": ["de"],
    "shipping": None,
    "tax_exempt": "none",
}
_USER: dict[str, Any] = {
    "login": "ada",
    "id": 1,
    "node_id": "MDQ6VXNlcjE=",
    "gravatar_id": "",
    "type": "User",
    "site_admin": False,
    **{
        name: f"https://github.example/users/ada/{name}"
        for name in (
            "avatar_url",
            "url",
            "html_url",
            "followers_url",
            "following_url",
            "gists_url",
            "starred_url",
            "subscriptions_url",
            "organizations_url",
            "repos_url",
            "events_url",
            "received_events_url",
        )
    },
}


def answer(peer: str, count: int) -> bytes:
    """Return the body of a page of objects."""
    match peer:
        case "openai":
            page: Any = {"object": "list", "data": [_JOB | {"id": f"job-{n}"} for n in range(count)], "has_more": False}
        case "stripe":
            customers = [_CUSTOMER | {"id": f"cus_{n}"} for n in range(count)]
            page = {"object": "list", "url": "/v1/customers", "has_more": False, "data": customers}
        case _:
            page = [_USER | {"id": n} for n in range(count)]
    return json.dumps(page).encode()
