"""The settings of a run, read from pytest's options and checked before any request is sent, and the limits that follow from them."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from project_platform.calls.configuration import TOKEN_VARIABLE
from project_platform_contract.data.data_file import Data, load_data, resolve_data
from project_platform_contract.data.switches import is_apart
from project_platform_contract.fuse import Limits
from project_platform_contract.fuse.request_inspection import addresses, pairs
from project_platform_contract.operations import EFFECTS, Effect
from project_platform_contract.schema import read_json

from .exit_code import MIN_PROVEN
from .target import TIMEOUT, Kind, Target


class Floor(NamedTuple):
    """Rules that must be proven, and the file that lists them."""

    path: Path
    proven: frozenset[str]


def read_floor(path: Path, target: Kind) -> Floor:
    """Read a floor file.

    Raises:
        ValueError: The file cannot be read, violates `floor.schema.json`, or is for another kind of target.
    """
    value = read_json(path, "floor")
    if value["target"] != target:
        raise ValueError(f"{path}: this floor is for the target {value['target']!r}, not for {target!r}")
    return Floor(path, frozenset(value["proven"]))


def write_floor(path: Path, target: Kind, proven: Iterable[str]) -> None:
    """Write a floor file with one rule per line, so that diffs are readable."""
    path.write_text(json.dumps({"target": target, "proven": sorted(proven)}, indent=2) + "\n", "utf-8")


# Members of the data file whose values a write may address, by path parameter or member of the body.
_WRITABLE_RESOURCES: Final = {
    "accountId": ("page_account", "photo_account", "other_page_account"),
    "calendarId": ("calendar", "read_only_calendar"),
    "postId": ("published_page_post", "unpublished_page_post", "failed_post", "published_photo_post"),
    "slug": ("memory_slug", "memory_slug_with_slash"),
    "templateId": ("template", "failing_template"),
    "typeSlug": ("object_type", "linked_object_type"),
}
_WRITABLE_PROJECTS: Final = ("project", "other_project")


def limits_of(settings: Settings, target: Target, *, tag: str, spent: int = 0, workers: int = 1) -> Limits:
    """Return the limits of one of the processes that share the budget, of which some requests are spent, and the pace."""
    data = target.data
    return Limits(
        base_url=target.base_url,
        effects=settings.effects,
        projects=_values(data, _WRITABLE_PROJECTS),
        recipients=recipients(data),
        resources={name: _values(data, members) for name, members in _WRITABLE_RESOURCES.items()},
        unchanged={sidebar_path(data): {"sections": data.values["sidebar"]}} if "sidebar" in data.values else {},
        tag=tag,
        requests=(settings.requests - spent) // workers,
        pace=settings.pace * workers,
    )


def sidebar_path(data: Data) -> str:
    """Return the path of the project's sidebar."""
    return f"/projects/{data['project']}/sidebar"


def _values(data: Data, members: tuple[str, ...]) -> list[str]:
    return [data.values[member] for member in members if data.values.get(member)]


FOLDER: Final = Path("contract-report")
"""Default folder for the reports and the ledger."""


class Option(NamedTuple):
    """An option of the command and, with the prefix `contract-`, of pytest."""

    name: str
    metavar: str
    help: str
    type: type[Any] = str
    default: Any = None


OPTIONS: Final = (
    Option("token-env", "NAME", "environment variable that holds the owner's token", default=TOKEN_VARIABLE),
    Option("project", "ID", "project in which the rules are proven"),
    Option("data", "FILE", "data file: resources of the project that the rules need", Path),
    Option(
        "allow",
        "EFFECT",
        "worst effect that is allowed: read (default on a deployment), write, notify, irreversible (default on the stub)",
    ),
    Option("i-own", "HOST", "host name of the deployment, to confirm any --allow above read"),
    Option("requests", "N", "maximum number of requests, retries included", int, 10_000),
    Option("pace", "SECONDS", "minimum time between two requests", float, 0.0),
    Option("timeout", "SECONDS", "maximum time for a whole request", float, TIMEOUT),
    Option(
        "min-proven",
        "PERCENT",
        "share of the selected and allowed rules that must be proven, unless there is a floor",
        float,
        MIN_PROVEN,
    ),
    Option("fuzz", "N", "generated requests per operation", int, 2),
    Option("report", "FOLDER", "folder for the reports and the ledger", Path),
    Option("floor", "FILE", "rules that must be proven; the run fails if one is not", Path),
    Option("write-floor", "FILE", "write the proven rules to a floor file", Path),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Attributes:
        deployment: The target if it is a deployment; None for a stub, which a run starts.
        min_proven: Percentage of the selected rules that must be proven if there is no floor.
        folder: Folder for the reports and the ledger; None writes no reports.
        examples: Number of generated requests for each operation.
    """

    kind: Kind
    deployment: Target | None
    effects: frozenset[Effect]
    requests: int
    pace: float
    timeout: float
    min_proven: float
    folder: Path | None
    floor: Floor | None
    write_floor: Path | None
    examples: int

    @property
    def inferred(self) -> Mapping[str, bool]:
        """Switches of inferred rules, by pattern."""
        return {} if self.deployment is None else self.deployment.data.values.get("inferred", {})

    @property
    def waived(self) -> Mapping[str, str]:
        """Reasons why expected rules do not count, by rule."""
        return {} if self.deployment is None else self.deployment.data.values.get("waive", {})

    def counts(self, id: str) -> bool:
        """Return whether a violation of a rule fails the run."""
        return id not in self.waived and not is_apart(id, self.inferred)


def settings_of(option: Any) -> Settings:
    """Return the settings that pytest's options define.

    Raises:
        ValueError: An option, the data file or the floor is invalid; the message names it and gives the reason.
    """
    url: str | None = option.contract_url and base_url_of(option.contract_url)
    kind: Kind = "deployment" if url else option.contract_stub
    effects = _effects(option.contract_allow, "read" if url else "irreversible")
    if url and effects != {"read"} and (option.contract_i_own or "").lower() != httpx.URL(url).host:
        raise ValueError(f"--allow {option.contract_allow} on {url} needs --i-own {httpx.URL(url).host}")
    for name, least in (("requests", 1), ("pace", 0), ("timeout", 0.1), ("min-proven", 0), ("fuzz", 0)):
        if not getattr(option, f"contract_{name.replace('-', '_')}") >= least:  # nor NaN
            raise ValueError(f"--{name}: must be at least {least}")
    deployment = None
    if url:
        values = load_data(option.contract_data) if option.contract_data else {}
        data = resolve_data(values, project=option.contract_project, token_variable=option.contract_token_env)
        deployment = Target(url, data)
    elif option.contract_data or option.contract_project:
        raise ValueError("--project and --data need a URL: the stub provides its own project and data")
    folder: Path | None = option.contract_report
    if url and effects != {"read"}:
        folder = folder or FOLDER  # Every write must be in a ledger that remains after the run.
    return Settings(
        kind=kind,
        deployment=deployment,
        effects=effects,
        requests=option.contract_requests,
        pace=option.contract_pace,
        timeout=option.contract_timeout,
        min_proven=option.contract_min_proven,
        folder=folder,
        floor=None if option.contract_floor is None else read_floor(option.contract_floor, kind),
        write_floor=option.contract_write_floor,
        examples=option.contract_fuzz,
    )


def recipients(data: Data) -> frozenset[str]:
    """Return the email addresses in the data to which messages may be sent."""
    values = [data.values.get(name) for name in ("recipient", "template_variables", "failing_template_variables")]
    return frozenset(addresses(pairs(values)))


def _effects(allow: str | None, default: Effect) -> frozenset[Effect]:
    highest = allow or default
    if highest not in EFFECTS:
        raise ValueError(f"--allow: {highest!r} is not an effect; use one of: {', '.join(EFFECTS)}")
    return frozenset(EFFECTS[: EFFECTS.index(highest) + 1])


def base_url_of(text: str) -> str:
    """Return the base URL of a deployment without a slash at its end.

    Raises:
        ValueError: It is no base URL, has credentials, or would send the token unencrypted.
    """
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ValueError(f"{text!r}: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(f"{text!r} is not a base URL: it must begin with https:// and have a host")
    if url.userinfo or url.query or url.fragment:
        raise ValueError("the base URL must not have credentials, a query or a fragment")
    if url.scheme == "http" and not _is_loopback(url.host):
        raise ValueError(f"{text}: http would send the token unencrypted; use https")
    return text.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
