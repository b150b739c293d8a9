"""The contract as plain YAML, and a check of requests and responses that does not use the generated code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote

import yaml
from openapi_schema_validator import OAS31Validator, oas31_format_checker

CONTRACT = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))


class Contract:
    """Requests and responses against `openapi.yaml`."""

    def operation(self, method, path):
        """Return the operation that a path without its query belongs to, and its path arguments."""
        for template, item in CONTRACT["paths"].items():
            found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template), path)
            if found and method.lower() in item:
                return item[method.lower()], {name: unquote(value) for name, value in found.groupdict().items()}
        raise AssertionError(f"the contract has no {method} {path}")

    def check(self, method, target, body, answer):
        """Fail unless request and response fit; return the identifier of the operation."""
        path, _, query = target.partition("?")
        operation, in_path = self.operation(method, path)
        in_query = dict(parse_qsl(query, strict_parsing=bool(query)))
        for parameter in map(self.resolved, operation.get("parameters", [])):
            given = in_path if parameter["in"] == "path" else in_query
            if parameter.get("explode"):
                self.fits(parameter["schema"], dict(given))
                given.clear()
            elif parameter.get("required") or parameter["name"] in given:
                self.fits(parameter["schema"], self.parsed(given.pop(parameter["name"]), parameter["schema"]))
        assert (in_path, in_query) == ({}, {}), "arguments that the contract does not know"
        if "requestBody" in operation:
            self.fits(operation["requestBody"]["content"]["application/json"]["schema"], json.loads(body))
        else:
            assert not body
        success = next(answer for status, answer in operation["responses"].items() if status in {"2XX", "200"})
        if "application/json" in success["content"]:
            self.fits(success["content"]["application/json"]["schema"], answer)
        return operation["operationId"]

    @staticmethod
    def resolved(node):
        while "$ref" in node:
            _, *path = node["$ref"].split("/")
            node = CONTRACT
            for part in path:
                node = node[part]
        return node

    @staticmethod
    def parsed(text, schema):
        """Return the value that a string of the query or the path represents."""
        return int(text) if schema.get("type") == "integer" else text

    @staticmethod
    def fits(schema, value):
        """Fail unless a value fits a schema."""
        whole = {**schema, "components": CONTRACT["components"]}
        OAS31Validator(whole, format_checker=oas31_format_checker).validate(value)
