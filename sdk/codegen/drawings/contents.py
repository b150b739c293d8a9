"""What the diagrams say. Boxes are nouns or questions, arrows have the answer, and no file is named, so that they do not age."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from .layouts import Message, Result, Step, ladder, stops
from .svg import Drawing


class Diagram(NamedTuple):
    """A diagram that is drawn in two widths."""

    draw: Callable[[float], Drawing]
    title: str
    description: str


_CALL = [
    ("Resource method", "Typed, sync and async. Generated from openapi.yaml."),
    ("Call value", "Checks the arguments. Holds what to send and how to read the answer. Nothing is sent yet."),
    ("Flow", "The only send loop: attempt, classify, repeat, settle. Yields commands, does no I/O."),
    ("Transport", "One request in; one response or one transport error out."),
    ("Flow, again", "Decodes the result, or maps the outcome to an error that says whether the write was applied."),
]
_STUB = [
    ("Carrier", "Socket server or in-process transport. Converts bytes into a request; the only part that waits."),
    ("Service", "Resolves path and token: which operation, world and identity. Picks a planned fault."),
    ("Dispatcher", "Checks project, permission, parameters and body. Opens a transaction for a write."),
    ("Operation", "The behaviour of the specification: a request in, an answer or an API error out."),
]
_RUN = [
    ("Settings", "Options are checked before anything is sent; one GET tests whether the target can be reached."),
    ("Session", "A pytest session. Each test gets the target, its clients, and identifiers from the data file."),
    ("Test of a rule", "Marked with the rules that it proves. Sends requests by operation, with plain HTTP."),
    ("Fuse and ledger", "Every request passes the fuse before the socket; a write is on disk before it is sent."),
    ("Verdicts", "Each rule is proven, violated or not run; observations become facts."),
    ("Report", "JSON, Markdown, HTML and terminal; the exit code; the comparison with the floor."),
]
_FATE = [
    Step(
        "Did any byte leave?",
        "Known from the connection.",
        (Result("no", "again", "not sent", "Sent again, whatever the operation."),),
        "yes",
    ),
    Step(
        "Did a response arrive?",
        "Broken connection, timeout, body cut off.",
        (Result("no", "unknown", "lost", "It may have been applied, or may be applied later."),),
        "yes",
    ),
    Step(
        "Which status?",
        "",
        (
            Result("2xx", "yes", "applied", "Also if the body cannot be read."),
            Result("429", "again", "not applied", "Sent again after Retry-After."),
            Result("4xx", "no", "not applied", "Refused: the error of its status."),
            Result("408, 5xx", "unknown", "lost", "The service does not say how far it got."),
        ),
    ),
]
_SETTLE = [
    Step("The response is lost", "A save, or another update of a record, was sent."),
    Step(
        "Does the guard fence?",
        "Is it false once the change is applied?",
        (Result("no", "unknown", "unknown", "Not sent again. Settle it: a look tells more."),),
        "yes",
    ),
    Step(
        "Send the same bytes again",
        "",
        (
            Result("2xx", "yes", "yes", "Applied, once."),
            Result("spent", "unknown", "unknown", "Attempts or time are used up."),
        ),
        "409",
    ),
    Step(
        "Is it being settled?",
        "client.settle(error), or operation tokens.",
        (Result("no", "unknown", "unknown", "The 409 may come from your own write."),),
        "yes",
    ),
    Step(
        "Look",
        "An update with empty data returns the record.",
        (
            Result("as changed", "yes", "in effect", "The record is as you want it."),
            Result("own token", "yes", "yes", "With operation tokens: it was you."),
            Result("other", "no", "no", "With tokens: somebody else was first."),
            Result("else", "unknown", "unknown", "With the record as last seen."),
        ),
    ),
]
_FUSE = [
    Step("A test of a rule", "Speaks plain HTTP through one client."),
    Step(
        "The fuse",
        "Inspects the request before the socket: operation, origin, effect, project, recipient, number, rate.",
        (Result("outside", "lost", "refused", "The request does not leave the machine; the rule is “not run”."),),
        "inside what was allowed",
    ),
    Step(
        "The ledger",
        "A write is on disk before it is sent.",
        (Result("on exit", "yes", "undone", "What can be restored is restored, also after a crash."),),
        "recorded",
    ),
    Step("The deployment", "Your service, or the stub."),
]
CONTENTS: Final = {
    "call": Diagram(partial(stops, _CALL), "Five stops of a call", "; ".join(title for title, _ in _CALL)),
    "stub": Diagram(
        lambda width: stops(_STUB, width, "the answer"),
        "The path of a request through the stub",
        "; ".join(title for title, _ in _STUB),
    ),
    "run": Diagram(
        partial(stops, _RUN), "The path of a run of the contract suite", "; ".join(title for title, _ in _RUN)
    ),
    "fate": Diagram(partial(ladder, _FATE), "Fate of an attempt", "not sent, lost, applied or not applied"),
    "settle": Diagram(
        partial(ladder, _SETTLE),
        "How a lost response is settled",
        "sent again if the guard fences, a look if it is being settled, otherwise unknown",
    ),
    "fuse": Diagram(
        partial(ladder, _FUSE),
        "The fuse of the contract suite",
        "requests outside what was allowed are refused before the socket",
    ),
}

_LOST = (
    Message(0, 1, "update if open"),
    Message(1, 2, "PATCH", mark="applied"),
    Message(2, 1, "200", lost=True),
    Message(1, 2, "PATCH again"),
    Message(2, 1, "409 stale"),
)
LOST_OTHERS: Final = (
    (*_LOST, Message(1, 0, "ConflictError")),
    Result("", "lost", "Your own write, reported as a conflict.", "The program repeats it or gives up: both wrong."),
)
LOST_OURS: Final = (
    (*_LOST, Message(1, 2, "look"), Message(2, 1, "stage: won"), Message(1, 0, "“in effect”")),
    Result("", "yes", "Applied once, and the program knows.", "What cannot be known is called “unknown”."),
)
SEQUENCES: Final = {
    "lost-others": (
        "Other SDKs",
        "the response is lost, the request is sent again, the own write is reported as a conflict",
    ),
    "lost-ours": (
        "project-platform",
        "the response is lost, the request is sent again, settle looks and finds it in effect",
    ),
}
