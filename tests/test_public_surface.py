"""The public names of the SDK, and that both clients have the same."""

from __future__ import annotations

import builtins
import inspect
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

import project_platform
from codegen import public_names
from project_platform import AsyncClient, AsyncProject, Client, Project, errors
from project_platform_contract.operations import contract

MODULES = ["bulk", "errors", "frames", "models", "operations"]
PUBLIC = [*MODULES, "__version__", *itertools.chain.from_iterable(public_names.PUBLIC.values())]
PROJECT_ID = "0b9c4c6e-0000-4000-8000-000000000000"
# What a call is about, besides identifiers.
SUBJECTS = {"change", "data_type", "edits", "folder", "months", "permission", "record", "rows", "slug", "type_slug"}
METHODS = [operation["x-sdk"] for item in contract()["paths"].values() for operation in item.values()]
# Methods that are written by hand, beside those of the contract.
HAND_WRITTEN = {
    "calendar": ["bookings"],
    "labels": ["exports", "stream"],
    "records": ["apply", "change", "changes", "creates", "of"],
}
RESOURCES = {
    name: sorted([each["method"] for each in METHODS if each["resource"] == name] + HAND_WRITTEN.get(name, []))
    for name in sorted({each["resource"] for each in METHODS})
}


def public(thing: object) -> list[str]:
    """Return the public names of a thing."""
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def resource(client: type[Client | AsyncClient], name: str) -> object:
    """Return a resource of a client."""
    made = client("http://localhost", token="t")
    return getattr(made if name == "auth" else made.project(PROJECT_ID), name)


def methods(resource: object) -> Iterator[tuple[str, inspect.Signature]]:
    """Give the public methods of a resource with their signatures."""
    for name in public(resource):
        yield name, inspect.signature(getattr(resource, name))


def test_the_public_names_are_these():
    """What is public is listed, once, and there."""
    assert sorted(dir(project_platform)) == sorted(PUBLIC)
    assert set(PUBLIC) - set(project_platform.__all__) == {"TimeoutError"}
    assert all(getattr(project_platform, name) is not None for name in PUBLIC)


def test_a_star_import_shadows_no_built_in_name():
    """`except TimeoutError` after a star import still catches the timeouts of other code."""
    names: dict[str, object] = {}
    exec("from project_platform import *", names)  # the subject

    assert set(names) & set(dir(builtins)) == {"__builtins__"} & set(dir(builtins))
    assert issubclass(project_platform.TimeoutError, TimeoutError)


def test_an_unknown_name_is_an_attribute_error():
    """The package says which name it does not have."""
    with pytest.raises(AttributeError, match="Clinet"):
        project_platform.Clinet  # noqa: B018


def test_every_error_is_public_or_a_kind_of_one_that_is():
    """A user can catch everything by a public name."""
    raised = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)]
    public_errors = {getattr(project_platform, name) for name in PUBLIC if name.endswith("Error")}

    assert len(raised) > 20
    assert all(set(kind.__mro__[:3]) & public_errors for kind in raised)


def test_the_resources_and_their_methods_are_these():
    """Those of the contract, and what is written by hand beside them."""
    found = {name: public(resource(Client, name)) for name in RESOURCES}

    assert found == RESOURCES
    assert public(Client("http://localhost", token="t").project(PROJECT_ID)) == sorted(
        [*RESOURCES.keys() - {"auth"}, "bulk", "id"]
    )


@pytest.mark.parametrize(("plain", "awaited"), [(Client, AsyncClient), (Project, AsyncProject)])
def test_both_clients_have_the_same_names(plain, awaited):
    """What one client can do, the other can; closing is named after what it is."""
    renamed = {"close": "aclose"}
    assert sorted(renamed.get(name, name) for name in public(plain)) == public(awaited)


@pytest.mark.parametrize("name", RESOURCES)
def test_both_clients_take_the_same_arguments(name):
    """A method has the same arguments, in the same order, with the same defaults and annotations, in both clients."""
    for (method, ours), (twin, theirs) in zip(
        methods(resource(Client, name)), methods(resource(AsyncClient, name)), strict=True
    ):
        assert method == twin
        assert [str(p) for p in ours.parameters.values()] == [str(p) for p in theirs.parameters.values()]


@pytest.mark.parametrize("name", RESOURCES)
def test_only_identifiers_are_positional(name):
    """What a call is about may be given by position, everything else by keyword alone."""
    for _, signature in methods(resource(Client, name)):
        positional = [p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        assert len(positional) <= 2
        assert all(word.endswith("_id") or word in SUBJECTS for word in positional)


CLIENT = f"p.Client('https://platform.example', token='t').project('{PROJECT_ID}').agents"
UNUSED = ["anyio", "httpx", "project_platform.bulk", "project_platform.transports.httpx_client", "sqlite3", "tenacity"]


@pytest.mark.parametrize(
    ("code", "needless"),
    [
        ("p", [*UNUSED, "pydantic"]),
        (
            CLIENT,
            [
                *UNUSED,
                "asyncio",
                "http.cookiejar",
                "logging",
                "urllib.request",
                "jsonschema_rs",
                "project_platform_stub",
                "starlette",
                "uvicorn",
            ],
        ),
    ],
    ids=["the package", "a client"],
)
def test_only_what_is_used_is_imported(code, needless):
    """An import costs next to nothing, and a client what a call needs: 0.1 s are a tenth of a short program."""
    code = f"import sys, project_platform as p; {code}; print([m for m in {needless} if m in sys.modules])"
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)

    assert done.stdout.strip() == "[]"
