"""Tools of other languages that do not know the marks can read the contract: linters and generators from npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from codegen.generate import DOCUMENT

# The versions that the test ran with; newer ones may have other rules.
PACKAGES = {
    "@stoplight/spectral-cli": "6.16.3",
    "@redocly/cli": "2.77.0",
    "@hey-api/openapi-ts": "0.95.0",
    "openapi-typescript": "7.13.0",
    "typescript": "5.9.3",
}
STRICT = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "esnext"]


INSTALL = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--loglevel=error"]
INSTALL_TIMEOUT = 300  # Seconds; some, if npm has a cache.


def environment() -> dict[str, str]:
    """Return the environment of npm and its programs."""
    return {**os.environ, "NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "npm_config_update_notifier": "false"}


def install(folder: Path) -> None:
    """Install the packages. Where that fails, the test is skipped; in CI it fails, because reasons of skips are easily overlooked there."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, so the linters and generators that run on Node.js are not tried")
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}))
    try:
        done = subprocess.run(
            INSTALL,
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_TIMEOUT,
        )
        problem = f": {done.stderr.strip()[-300:]}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        problem = f" within {INSTALL_TIMEOUT} seconds"
    if problem:
        give_up = pytest.fail if os.environ.get("CI", "").lower() in {"1", "true"} else pytest.skip
        give_up(f"npm could not install the linters and generators{problem}")


@pytest.fixture
def tool(tmp_path):
    """Install the packages into a temporary folder, and return a function that runs one of their programs there."""
    install(tmp_path)

    def run(program: str, *arguments: str) -> str:
        path = tmp_path / "node_modules/.bin" / program
        ended = subprocess.run(
            [path, *arguments],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ended.returncode == 0, f"{program}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    return run


def test_linters_and_generators_of_other_languages_read_the_contract(tool, tmp_path: Path):
    """Spectral and Redocly have nothing to say; the TypeScript of two generators compiles, and leaves open values open.

    One test, so that the packages are installed once.
    """
    (tmp_path / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    tool("spectral", "lint", "--fail-severity=hint", str(DOCUMENT))

    assert json.loads(tool("redocly", "lint", "--format=json", str(DOCUMENT)))["totals"] == {
        "errors": 0,
        "warnings": 0,
        "ignored": 0,
    }

    tool("openapi-typescript", str(DOCUMENT), "--output", "schema.ts")
    tool("openapi-ts", "--input", str(DOCUMENT), "--output", "client", "--no-log-file")
    program = tmp_path / "program.ts"
    program.write_text(
        'import type { components } from "./schema";\n'
        'import type { Agent, BookingResult } from "./client";\n'
        'import { agentsList } from "./client";\n'
        'const seen: components["schemas"]["Agent"] = { access: "everyone", toolCategories: ["browser"] };\n'
        'const also: Agent = { access: "everyone", toolCategories: ["browser"] };\n'
        "const booked: BookingResult = {};\n"
        "export default [seen, also, booked, agentsList];\n"
    )
    tool("tsc", *STRICT, "--moduleResolution", "bundler", "program.ts")
