"""What a run is told to do, checked before anything is sent."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import Data, data_of, load_data
from project_platform_contract.fuse.request_inspection import addresses, pairs
from project_platform_contract.operations import EFFECTS, Effect

from .floor import Floor, read_floor
from .target import Kind

FOLDER: Final = Path("contract-report")
"""Where reports and the ledger go if nothing else is said."""


class SettingsError(ValueError):
    """Options that cannot be used; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is told to do.

    Attributes:
        kind: Kind of the target.
        url: Its base URL; None for a stub, which has none yet.
        data: What a deployment has to prove rules with; None for a stub, which knows it itself.
        effects: What may be done to the world.
        requests: Requests in all.
        pace: Seconds from one request to the next, at least.
        folder: Where reports and the ledger go; None if none are wanted.
        floor: Rules that must be proven.
        write_floor: Where a new floor is written.
        examples: Requests for each operation that are made from the contract's schemas.
    """

    kind: Kind
    url: str | None
    data: Data | None
    effects: frozenset[Effect]
    requests: int
    pace: float
    folder: Path | None
    floor: Floor | None
    write_floor: Path | None
    examples: int


def settings_of(option: Any) -> Settings:
    """Return what pytest's options say.

    Raises:
        ValueError: They cannot be used; a `SettingsError`, a `DataError` or a `FloorError`.
    """
    url: str | None = option.contract_url and _base_url(option.contract_url)
    kind: Kind = "deployment" if url else option.contract_stub
    effects = _effects(option.contract_allow, "read" if url else "irreversible")
    if url and effects != {"read"} and (option.contract_i_own or "").lower() != httpx.URL(url).host:
        raise SettingsError(f"--allow {option.contract_allow} on {url} needs --i-own {httpx.URL(url).host}")
    for name, least in (("requests", 1), ("pace", 0), ("fuzz", 0)):
        if getattr(option, f"contract_{name}") < least:
            raise SettingsError(f"--{name}: must be at least {least}")
    data = None
    if url:
        values = load_data(option.contract_data) if option.contract_data else {}
        data = data_of(values, project=option.contract_project, token_variable=option.contract_token_env)
    elif option.contract_data or option.contract_project:
        raise SettingsError("a stub knows its project and its data: --project and --data need an URL")
    floor = None if option.contract_floor is None else read_floor(option.contract_floor)
    if floor is not None and floor.target != kind:
        raise SettingsError(f"{option.contract_floor}: is the floor of the target {floor.target!r}, not of {kind!r}")
    folder: Path | None = option.contract_report
    if url and effects != {"read"}:
        folder = folder or FOLDER  # What is written must be in a ledger.
    return Settings(
        kind=kind,
        url=url,
        data=data,
        effects=effects,
        requests=option.contract_requests,
        pace=option.contract_pace,
        folder=folder,
        floor=floor,
        write_floor=option.contract_write_floor,
        examples=option.contract_fuzz,
    )


def recipients(data: Data) -> frozenset[str]:
    """Return the addresses that the data gives to be written to."""
    given = [data.values.get(name) for name in ("recipient", "template_variables", "failing_template_variables")]
    return frozenset(addresses(pairs(given)))


def _effects(allow: str | None, default: Effect) -> frozenset[Effect]:
    highest = allow or default
    if highest not in EFFECTS:
        raise SettingsError(f"--allow: {highest!r} is no effect; there are: {', '.join(EFFECTS)}")
    return frozenset(EFFECTS[: EFFECTS.index(highest) + 1])


def _base_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise SettingsError(f"{text!r}: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise SettingsError(f"{text!r} is no URL: it begins with https:// and has a host")
    if url.userinfo or url.query or url.fragment:
        raise SettingsError("an URL with credentials, a query or a fragment is no base URL")
    if url.scheme == "http" and not _is_this_machine(url.host):
        raise SettingsError(f"{text}: with http: everybody on the way could read the token; use https:")
    return text.rstrip("/")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
