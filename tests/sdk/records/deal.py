"""A deal, the change that wins it, and outcomes of attempts to apply that change."""

from __future__ import annotations

import json

from project_platform import (
    Change,
    ChangeOptions,
    ConnectionLostError,
    NotSentError,
    OperationTokens,
    Response,
)
from project_platform.models import ObjectRecord

LOST = ConnectionLostError("the connection broke")
NOT_SENT = NotSentError("no connection")
STALE = Response(409, body=b'{"message": "stale"}')
GONE = Response(404, body=b'{"message": "gone"}')
BASE = {"stage": "open", "note": "x"}
WON = {**BASE, "stage": "won"}
TOKENS = OperationTokens(key="token", ring_key="ring")
FIRST = TOKENS.first()


def record_response(data, status=200):
    body = {"record": {"id": "rec_1", "status": "open", "data": data}}
    return Response(status, body=json.dumps(body).encode())


def sent(command):
    return json.loads(command.request.body)


def win(data):
    data["stage"] = "won"


def after_another(data, **edits):
    """Return data after another writer has changed it with operation tokens."""
    record = ObjectRecord(id="rec_1", data=data)
    return Change.between(record, {**data, **edits}, change_options=ChangeOptions(tokens=TOKENS)).predicted
