"""The requests of a test with their responses, and those of them that a report shows, as curl commands.

An operation whose plain requests are all refused is down: the rules that need it are not run.
"""

from __future__ import annotations

import gzip
import re
import shlex
import unicodedata
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import unquote

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.media_types import media_type_of
from project_platform_contract.operations import operation_by_id
from project_platform_contract.reports.redaction import Redactor
from project_platform_contract.schema import LISTED

_SHOWN: Final = 2000  # Maximum number of bytes of a body in a report.
_MOST: Final = 10  # Maximum number of requests about one violation.
_LONGEST_BODY: Final = 64 * 1024  # Bytes; a longer argument of a command may be refused by the system.
_SHORTEST_ID: Final = 4  # Characters; a shorter text may be in a response by chance.
_OF_THE_CLIENT: Final = frozenset(
    {"accept", "accept-encoding", "authorization", "connection", "content-length", "host", "user-agent"}
)
"""Header fields that every request has, or that curl sets."""
_WITH_VARIABLE: Final = re.compile(r"[A-Za-z]* ?\$\{\w+\}\w{0,8}")
_LONGEST_SCHEME: Final = 12  # Characters; what is longer may be a credential without a scheme.
_OTHER: Final = "OTHER_CREDENTIAL"
"""Variable in the place of a credential that is of no identity of the data file."""


@dataclass(eq=False, slots=True)
class Exchange:
    """A request and its response.

    Attributes:
        operation: The operationId, if the request addresses an operation.
        identity: The identity that sent the request, if it is one of the data file.
        data: Data of the run, with the tokens and their variables.
        at: When the response was complete.
    """

    response: httpx.Response
    operation: str | None = None
    identity: str | None = None
    data: Data | None = None
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def request(self) -> httpx.Request:
        """The request."""
        return self.response.request

    @property
    def resource(self) -> str:
        """The first word of the operationId, such as `records`."""
        return (self.operation or "").partition("_")[0]

    @property
    def reads(self) -> bool:
        """Whether the request only reads."""
        return self.operation is not None and operation_by_id(self.operation).effect == "read"

    @property
    def addressed(self) -> set[str]:
        """The object that the path of the request names besides the project, such as the identifier of a record."""
        if self.operation is None:
            return set()
        path = self.request.url.raw_path.decode("ascii").partition("?")[0]
        values = operation_by_id(self.operation).at_end(path) or {}
        return {unquote(value) for name, value in values.items() if name != "projectId"}

    @property
    def members(self) -> list[str]:
        """Members of the data file besides the project whose value the request has."""
        sent = f"{unquote(str(self.request.url))} {self.request.content.decode('utf-8', 'replace')}"
        texts = {
            name: value for name, value in (self.data.values if self.data else {}).items() if isinstance(value, str)
        }
        return [
            name
            for name, text in texts.items()
            if name != "project" and re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", sent)
        ]

    def as_json(self, variables: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
        """Return the exchange as an entry of a report, with variables in the place of identifiers in its command."""
        return {
            "at": self.at.isoformat(timespec="milliseconds"),
            "request": f"{self.request.method} {self.request.url}",
            "caller": self.identity,
            "curl": self._curl(variables),
            "sent": self.request.content[:_SHOWN].decode("utf-8", "replace"),
            "status": self.response.status_code,
            "headers": {
                name: self.response.headers[name]
                for name in ("Content-Type", "Location", "X-Label-Summary")
                if name in self.response.headers
            },
            "received": f"a PDF of {len(self.response.content)} bytes"
            if media_type_of(self.response) == "application/pdf"
            else self.response.content[:_SHOWN].decode("utf-8", "replace"),
            "request_id": self.response.headers.get("X-Request-Id"),
            "data": self.members if self.response.status_code == httpx.codes.NOT_FOUND else [],
        }

    def _curl(self, variables: Mapping[str, str]) -> str:
        """Return a command that repeats the request, with variables of the environment in the place of tokens and identifiers."""
        url, method, content = str(self.request.url), self.request.method, self.request.content
        words = ["curl", "--include"]
        if "/." in self.request.url.path:
            words.append("--path-as-is")
        words += ["--globoff", *([] if method == "GET" else ["--request", method]), _quoted(url, variables)]
        for name, value in self.request.headers.items():
            if name.lower() not in _OF_THE_CLIENT or (name.lower() == "accept" and value != "*/*"):
                words += ["--header", shlex.quote(f"{name.title()}: {value}")]
        if "Authorization" in self.request.headers:
            words += ["--header", f'"Authorization: {self._credential()}"']
        if not content:
            return " ".join(words)
        if len(content) > _LONGEST_BODY:
            body = b64encode(gzip.compress(content, mtime=0)).decode()
            return f"echo {body} | base64 --decode | gunzip | {' '.join([*words, '--data-binary', '@-'])}"
        text = content.decode("utf-8", "surrogateescape")
        if not any(map(_is_control, text)):
            return " ".join([*words, "--data-raw", _quoted(text, variables)])
        return f"printf '{''.join(map(_escaped, text))}' | {' '.join([*words, '--data-binary', '@-'])}"

    def _credential(self) -> str:
        """Return the value of the header Authorization, with a variable in the place of each credential."""
        value: str = self.request.headers["Authorization"]
        tokens = {} if self.data is None else self.data.tokens
        variables = {} if self.data is None else self.data.variables
        for identity, token in sorted(tokens.items(), key=lambda item: -len(item[1])):
            value = value.replace(token, f"${{{variables.get(identity, f'{identity.upper()}_TOKEN')}}}")
        scheme, _, credential = value.partition(" ")
        is_scheme = scheme.isalpha() and len(scheme) <= _LONGEST_SCHEME
        if _WITH_VARIABLE.fullmatch(value) or (is_scheme and not credential):
            return value
        return f"{scheme} ${{{_OTHER}}}" if is_scheme else f"${{{_OTHER}}}"


def _is_control(character: str) -> bool:
    """Return whether a character is no part of a plain text, or a byte that is not UTF-8."""
    return unicodedata.category(character) in {"Cc", "Cs"} and character not in "\n\t"


def _escaped(character: str) -> str:
    """Return a character for a format of printf in single quotes."""
    if character in "\\%'" or _is_control(character):
        return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
    return character


def _quoted(text: str, variables: Mapping[str, str]) -> str:
    """Return a text as an argument of a command, with variables in the place of some identifiers."""
    pattern = "|".join(map(re.escape, sorted(variables, key=len, reverse=True))) or r"(?!)"
    last, quoted = 0, ""
    for found in re.finditer(pattern, text):
        before = text[last : found.start()]
        quoted += (shlex.quote(before) if before else "") + f'"${{{variables[found[0]]}}}"'
        last = found.end()
    return quoted + shlex.quote(text[last:]) if last < len(text) else quoted


class Nonconformity(NamedTuple):
    """A response that violates the contract."""

    operation: str
    problem: str
    exchange: Exchange


def rule_of_response(operation: str, status: int) -> str:
    """Return the rule that a response of an operation is checked against, whatever it is a response to."""
    if (
        operation in LISTED
        and httpx.codes.is_client_error(status)
        and str(status) not in operation_by_id(operation).responses
    ):
        return LISTED[operation]
    return f"{'answers' if status < httpx.codes.BAD_REQUEST else 'errors.body'}.{operation.replace('_', '-')}"


def checked_responses(exchanges: Sequence[Exchange]) -> Counter[str]:
    """Return how many responses were checked against each of these rules."""
    return Counter(
        rule_of_response(exchange.operation, exchange.response.status_code)
        for exchange in exchanges
        if exchange.operation is not None
    )


def relevant(exchanges: Sequence[Exchange], created: Sequence[Exchange] = ()) -> list[Exchange]:
    """Return the requests that a person needs to understand the last one, in their order.

    These are the last one, what changed the objects that it addresses, the other pages of a list, of each other status that
    the same operation gave for them an example, and what created the objects of all these. A request that was repeated is contained once.

    Args:
        exchanges: The requests.
        created: Earlier ones, which may have created the objects.
    """
    if not exchanges:
        return []
    *earlier, last = exchanges
    names = _names([last])
    kept, seen, statuses = [last], {_key(last)}, {last.response.status_code}
    rest = _MOST - 1 - len(_creators(names, [*created, *earlier]))
    for exchange in reversed(earlier):
        is_same = exchange.operation == last.operation
        is_of_object = not names.isdisjoint(exchange.addressed)
        is_listed = last.reads and not names and exchange.resource == last.resource
        is_change = not exchange.reads and exchange.response.is_success and (is_of_object or is_listed)
        is_page = last.reads and is_same and exchange.request.url.path == last.request.url.path
        is_example = is_same and (is_of_object or not names) and exchange.response.status_code not in statuses
        if _key(exchange) in seen or rest == 0 or not (is_change or is_page or is_example):
            continue
        rest -= 1
        seen.add(_key(exchange))
        if is_same:
            statuses.add(exchange.response.status_code)
        kept.append(exchange)
    creators = _creators(_names(kept), [*created, *earlier])
    return [*(each for each in creators if _key(each) not in seen), *kept[::-1]]


def _names(exchanges: Sequence[Exchange]) -> set[str]:
    """Return the identifiers of the objects that requests address."""
    return {name for each in exchanges for name in each.addressed if len(name) >= _SHORTEST_ID}


def _creators(names: set[str], exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the first write whose response has an identifier, for each of some, in the order of time."""
    found = {
        name: next((each for each in exchanges if not each.reads and name in each.response.text), None)
        for name in names
    }
    return [each for each in dict.fromkeys(exchanges) if each in found.values()]


def _key(exchange: Exchange) -> tuple[str, str, str | None, bytes, int]:
    request = exchange.request
    return request.method, str(request.url), exchange.identity, request.content, exchange.response.status_code


def shown(exchanges: Sequence[Exchange], created: Sequence[Exchange] = ()) -> list[dict[str, Any]]:
    """Return the requests that matter, as `relevant` does, as entries of a report, so that their commands can be run one after the other.

    The commands after one that created an object have a variable in the place of its identifier.
    """
    kept = relevant(exchanges, created)
    variables: dict[str, str] = {}
    entries: list[dict[str, Any]] = []
    for number, exchange in enumerate(kept, 1):
        entries.append(exchange.as_json(variables))
        later = {name for other in kept[number:] for name in other.addressed if len(name) >= _SHORTEST_ID}
        for name in sorted(later - exchange.addressed - variables.keys()):
            if not exchange.reads and name in exchange.response.text:
                variables[name] = f"ID_{len(variables) + 1}"
                entries[-1]["curl"] += f"  # ID_{len(variables)} is {name} in its response"
    return entries


class Plain(NamedTuple):
    """The plain request of an operation, which the service accepted, and how its response violates the contract."""

    exchange: Exchange
    nonconformities: list[Nonconformity]


class DownError(MissingError):
    """An operation is down: the service accepts no plain request of it, of which `exchange` is the last."""

    def __init__(self, operation: str, problem: str, exchange: Exchange) -> None:
        super().__init__(f"{operation_by_id(operation).name} is down")
        self.operation = operation
        self.problem = problem
        self.exchange = exchange


EXCHANGES = pytest.StashKey[list[Exchange]]()
"""Of a test: its requests with their responses."""

NONCONFORMITIES = pytest.StashKey[list[Nonconformity]]()
"""Of a test: responses that violate the contract."""

CHECKED = pytest.StashKey[Counter[str]]()
"""Of a test: how often it checked each rule, if it does more than once."""

ATTACHED = pytest.StashKey[dict[str, Any]]()
"""Of a test: what its reports have besides its rules and requests."""

REDACT = pytest.StashKey[Redactor]()
"""Of the configuration: removes credentials from texts."""


def skip_flaky(item: pytest.Item, why: str) -> NoReturn:
    """Skip a test that failed and did not fail again, so that its failure proves nothing, and attach its requests to its reports."""
    exchanges: list[Exchange] = item.stash.get(EXCHANGES, [])
    item.stash.setdefault(ATTACHED, {})["flaky"] = [why, shown(exchanges)]
    pytest.skip(why)
