"""Parses `openapi.yaml` with openapi-python-client and renders the templates of this package with the result.

Its parser resolves references, chooses names and builds the properties; its templates are not used. What it drops
(extensions, limits of parameters, descriptions of responses) is read from the document directly.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from openapi_python_client import Project
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser import GeneratorData
from openapi_python_client.parser.errors import GeneratorError

from . import annotations as types
from . import commands
from .complaints import GenerationError
from .marks import problems
from .operations import GeneratedOperation, Limits, by_module, by_resource, raw_operations, sent_only
from .public_names import PUBLIC

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = ROOT / "openapi.yaml"
PACKAGE: Final = ROOT / "sdk/project_platform"
TEMPLATES: Final = Path(__file__).parent / "templates"
# The parser treats a PDF as bytes.
CONTENT_TYPES: Final = {"application/pdf": "application/octet-stream"}
# The formatter's defaults depend on its version, so all options are given here, and configuration files are ignored.
TIDY: Final = (
    (
        "check",
        "--isolated",
        "--no-cache",
        "--fix-only",
        "--select=F401,I,RUF022,UP006,W",
        "--target-version=py311",
    ),
    ("format", "--isolated", "--no-cache", "--line-length=120", "--target-version=py311"),
)


def generate(document: Path, package: Path) -> None:
    """Write the generated files of the SDK: the folder `_generated`, and the lists of names at the package's root.

    Args:
        document: The OpenAPI document.
        package: Folder to write to, whose folder `_generated` is replaced.

    Raises:
        GenerationError: A mark of an operation is missing or wrong, the templates do not support a part of the document,
            or the parser reported a warning. Nothing was written.
    """
    raw: dict[str, Any] = yaml.safe_load(document.read_text("utf-8"))
    found = [*problems(raw), *commands.problems(raw)]
    config = Config.from_sources(
        ConfigFile(content_type_overrides=CONTENT_TYPES),
        MetaType.NONE,
        document,
        "utf-8",
        overwrite=True,
        output_path=package,
    )
    data = GeneratorData.from_dict(_without_extensions(raw), config=config)
    found += _parser_problems(data)
    if found or isinstance(data, GeneratorError):
        raise GenerationError(found)
    operations = raw_operations(raw)
    endpoints = [endpoint for tag in data.endpoint_collections_by_tag.values() for endpoint in tag.endpoints]
    known = {str(model.class_info.name): model for model in data.models}
    for model in data.models:
        types.complete(types.fields(model), known)
    for endpoint in endpoints:
        types.complete([pattern.prop for pattern in endpoint.responses.patterns], known)
        types.complete([body.prop for body in endpoint.bodies], known)
    generated = [GeneratedOperation(endpoint, operations[endpoint.name], raw) for endpoint in endpoints]
    modules = by_module(generated)
    homes = {name: module for module, classes in modules.items() for name in classes}
    limits = Limits(raw)
    schemas = raw["components"]["schemas"]
    values_of_enums = {tuple(schemas[name]["enum"]): name for name in homes if "enum" in schemas[name]}

    environment = Project(openapi=data, config=config, custom_template_path=TEMPLATES).env
    environment.filters.update(
        annotation=types.annotation,
        field_type=types.field_type,
        fields=types.fields,
        text=types.text,
        imports=lambda props: sorted((homes[name], name) for name in types.class_names(props)),
        source=lambda value: commands.source(value, values_of_enums),
    )
    resources = by_resource(generated)
    environment.globals.update(
        resources=resources,
        hand_written=hand_written() & set(resources),
        limits=limits,
        sent_only=sent_only(generated),
        expected={name: frozenset(schema.get("x-expected", ())) for name, schema in schemas.items()},
        secret=types.marked_fields(schemas, lambda node: bool(node.get("x-secret"))),
        timestamps=types.marked_fields(schemas, types.is_timestamp),
    )

    def render(template: str, **values: Any) -> str:
        return environment.get_template(f"{template}.py.jinja").render(**values)

    contents = {
        "": "Models, operations and resources",
        "models/": "The models of each resource",
        "operations/": "A module for each operation",
        "resources/": "A module for each resource",
    }
    files = {f"_generated/{folder}__init__.py": render("package", contents=text) for folder, text in contents.items()}
    for module, classes in modules.items():
        files[f"_generated/models/{module}.py"] = render("models", module=module, classes=classes, schemas=schemas)
    for operation in generated:
        files[f"_generated/operations/{operation.id}.py"] = render("operation", op=operation)
    for resource, members in resources.items():
        files[f"_generated/resources/{resource}.py"] = render("resource", resource=resource, ops=members)
    files["_generated/scopes.py"] = render("scopes")
    enums = [(homes[name], name) for name in values_of_enums.values()]
    files["_generated/commands.py"] = render("commands", commands=commands.commands(raw), enums=enums)
    files["__init__.py"] = render("root", modules=PUBLIC)
    files["models.py"] = render("public_models", modules={name: sorted(modules[name]) for name in sorted(modules)})
    files["operations.py"] = render("public_operations", operations=sorted(operations))
    _write(package, files)


def _parser_problems(data: GeneratorData | GeneratorError) -> Iterator[str]:
    """Yield complaints of the parser, and names that would be sent as others."""
    if isinstance(data, GeneratorError):
        yield f"{data.header}: {data.detail}"
        return
    tags = data.endpoint_collections_by_tag.values()
    for error in [*data.errors, *(error for tag in tags for error in tag.parse_errors)]:
        yield f"{error.header}: {error.detail}"
    for model in data.models:
        yield from types.name_problems(model)


def _write(package: Path, files: dict[str, str]) -> None:
    shutil.rmtree(package / "_generated", ignore_errors=True)
    paths = {package / name: text for name, text in files.items()}
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for arguments in TIDY:
        command = [sys.executable, "-m", "ruff", *arguments, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # constant arguments
        if done.returncode:
            raise GenerationError(
                f"the generated code cannot be read, which a text of the document may cause: {line}"
                for line in done.stderr.splitlines()
            )


def hand_written() -> set[str]:
    """Return the names of the packages of the SDK that extend a generated resource."""
    return {path.parent.name for path in PACKAGE.glob("*/resource.py")}


def _without_extensions(node: Any) -> Any:
    """Return the document without `x-` members, because the parser misinterprets some of them."""
    if isinstance(node, dict):
        return {key: _without_extensions(value) for key, value in node.items() if not str(key).startswith("x-")}
    if isinstance(node, list):
        return [_without_extensions(value) for value in node]
    return node
