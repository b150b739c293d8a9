"""Judges what a line of `features.toml` did: `yes`, `part` or `no`, and what was observed."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs

from .feature_server import COUNT, SECRET, Server

Verdict: TypeAlias = Literal["yes", "part", "no"]
Finding: TypeAlias = tuple[Verdict, str]
WIDTH = 120  # characters of a terminal
TEXT = 160  # characters of an observation
_OF_THIS_RUN = re.compile(
    r" at 0x[0-9a-f]+|/\S*/(?=python\b)"
)  # addresses of objects, and the folder of the interpreter
_REPETITION = re.compile(r"\b(wait|retry(?!-after)|sleep)", re.IGNORECASE)
_SECONDS = re.compile(r"\d (s|sec|seconds)\b")


@dataclass
class Trial:
    """What a line did.

    Attributes:
        server: The server that it called.
        value: The value of its last expression.
        second: The value of the second run, in features with two modes.
        key: The credential of the client.
        package: The package of the SDK, whose loggers are its own.
        seen: What listeners received.
        spans: The spans that ended.
        records: The records of all loggers, at DEBUG.
    """

    server: Server
    key: str
    package: str
    value: Any = None
    second: Any = None
    seen: list[Any] = field(default_factory=list[Any])
    spans: list[Any] = field(default_factory=list[Any])
    records: list[logging.LogRecord] = field(default_factory=list[logging.LogRecord])


def _frame(trial: Trial) -> Finding:
    frame = trial.value
    types = {str(name): str(kind) for name, kind in frame.dtypes.items()}
    nested = [name for name in types if any(isinstance(cell, dict) for cell in frame[name])]
    times = [name for name, kind in types.items() if "timestamp" in kind or "datetime" in kind]
    observed = f"{len(frame)} rows, {len(types)} columns; times: {', '.join(times) or 'none'}; "
    return (
        "yes" if times and not any(types[name] == "object" for name in nested) else "part",
        observed + f"columns of dicts without a type: {sum(types[name] == 'object' for name in nested)}",
    )


def _empty(trial: Trial) -> Finding:
    count = len(trial.value.columns)
    return ("yes" if count else "no"), f"{count} columns"


def _html(trial: Trial) -> Finding:
    method = getattr(trial.value, "_repr_html_", None)
    if not callable(method):
        return "no", f"a {type(trial.value).__name__} without `_repr_html_`"
    return "yes", f"{str(method()).count('<tr')} rows of a table"


def _text(trial: Trial) -> Finding:
    lines = repr(trial.value).splitlines()
    longest = max(map(len, lines))
    verdict: Verdict = "no" if longest > WIDTH else "yes" if len(lines) <= 2 * COUNT else "part"
    return verdict, f"{COUNT} objects: {len(lines)} lines, the longest of {longest} characters"


def _secret(trial: Trial) -> Finding:
    shown = repr(trial.value)
    return (
        ("no", "the secret is shown") if SECRET in shown or trial.key in shown else ("yes", "the secret is not shown")
    )


def _own(trial: Trial) -> list[logging.LogRecord]:
    return [record for record in trial.records if record.name.partition(".")[0] == trial.package]


def _log(trial: Trial) -> Finding:
    own, shown = _own(trial), [record.name for record in trial.records if trial.key in record.getMessage()]
    observed = f"records of the library: {len(own)}, in all: {len(trial.records)}"
    if shown:
        return "no", f"{observed}; the credential is in a record of {shown[0]}"
    return ("yes" if own else "part"), observed


def _waits(trial: Trial) -> Finding:
    texts = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in trial.records]
    repeated = [text for text in texts if _REPETITION.search(text)]
    if timed := [text for text in repeated if _SECONDS.search(text)]:
        return "yes", timed[0]
    if repeated:
        return "part", repeated[0]
    return "no", f"{len(trial.records)} records, {len(trial.server.requests)} requests, nothing of a wait"


def _events(trial: Trial) -> Finding:
    names = [type(event).__name__ for event in trial.seen]
    verdict: Verdict = (
        "yes" if "Waiting" in names else "part" if len(trial.server.requests) == len(names) == 2 else "no"
    )
    if verdict == "no" and len(names) == 1 and len(trial.server.requests) > 1:
        return "no", f"{names[0]}: the last attempt only"
    return verdict, f"{', '.join(names) or 'nothing'}; {len(trial.server.requests)} requests"


def _spans(trial: Trial) -> Finding:
    names = [span.name for span in trial.spans]
    attempts = [span for span in trial.spans if span.parent is not None]
    verdict: Verdict = "yes" if len(attempts) > 1 else "part" if names else "no"
    return verdict, f"{', '.join(names) or 'none'}; {len(trial.server.requests)} requests"


def _shell(trial: Trial) -> Finding:
    done = trial.value
    if done.returncode:
        return "no", f"status {done.returncode}: {_last_line(done.stderr)}"
    objects = done.stdout.count('"id"')
    return ("yes" if objects == COUNT else "no"), f"status 0, {objects} objects"


def _status(trial: Trial) -> Finding:
    statuses = trial.value.returncode, trial.second.returncode
    verdict: Verdict = "yes" if 0 not in statuses and statuses[0] != statuses[1] else "no"
    return verdict, f"refused: {statuses[0]}, answer lost: {statuses[1]}"


def _completion(trial: Trial) -> Finding:
    done = trial.value
    found = "complete " in done.stdout
    return ("yes" if found else "no"), f"status {done.returncode}, {len(done.stdout.splitlines())} lines"


def _command(trial: Trial) -> Finding:
    fields = trial.server.requests[0][0]
    sent = next((value for name, value in fields.items() if name.lower() == "authorization"), "")
    if sent != "Bearer from-a-command":
        return "no", f"sent as Authorization: {sent}"
    return ("yes" if trial.package == "project_platform" else "part"), "the request has the token"


def _gaps(trial: Trial) -> Finding:
    text = trial.server.requests[-1][1].decode()
    if "NaN" in text:
        return "no", f"sent, which is not JSON: {text}"
    if "nan" in text:
        return "no", f"sent: {parse_qs(text)}"
    json.loads(text)
    return ("part" if "null" in text else "yes"), f"sent: {text}"


def _raw(trial: Trial) -> Finding:
    value = trial.value
    parts = {
        "status": ("status", "status_code", "code"),
        "header fields": ("headers",),
        "body": ("body", "content", "data"),
    }
    has = [part for part, names in parts.items() if any(hasattr(value, name) for name in names)]
    return ("yes" if len(has) == len(parts) else "part" if has else "no"), f"{type(value).__name__}: {', '.join(has)}"


def _classes(trial: Trial) -> Finding:
    name = type(trial.value[0]).__name__
    return ("yes" if name == "Deal" else "no"), f"{len(trial.value)} of {name}"


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


CHECKS: dict[str, Callable[[Trial], Finding]] = {
    "frame": _frame,
    "empty": _empty,
    "html": _html,
    "text": _text,
    "secret": _secret,
    "log": _log,
    "waits": _waits,
    "events": _events,
    "spans": _spans,
    "shell": _shell,
    "status": _status,
    "completion": _completion,
    "command": _command,
    "gaps": _gaps,
    "raw": _raw,
    "classes": _classes,
}


def judged(feature: str, trial: Trial, error: Exception | None) -> Finding:
    """Return the verdict on a line, and what it did in a few words, without the address of the server."""
    if error is not None:
        refused: Verdict = "part" if feature == "gaps" and not trial.server.requests else "no"
        finding: Finding = refused, f"{type(error).__name__}: {error}"
    else:
        finding = CHECKS[feature](trial)
    text = " ".join(finding[1].split()).replace(trial.server.url, "").replace(trial.key, "KEY")
    text = _OF_THIS_RUN.sub("", text)
    return finding[0], text if len(text) <= TEXT else f"{text[: TEXT - 3]}..."
