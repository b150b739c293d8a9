"""Calls of any method by its name, for tests that compare what is sent."""

from __future__ import annotations

import datetime
from operator import attrgetter

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
P = f"/projects/{PROJECT}"
NINE = datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))


def call_by_name(client, method, args, kwargs):
    """Call a method of the client or the project by its dotted name, and return its result; a pager is read to its end."""
    scope = client if method.startswith("auth.") else client.project(PROJECT)
    result = attrgetter(method)(scope)(*args, **kwargs)
    return list(result) if method == "agents.list" else result
