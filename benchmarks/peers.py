"""The peers of the SDK, installed into a separate folder, in the versions given here."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .measure import ROOT

INSTALL_TIMEOUT = 900.0  # Seconds
# hishel is pinned for githubkit, which its newest release breaks.
VERSIONS = {
    "openai": "3.54.0",
    "stripe": "16.1.0",
    "githubkit": "0.16.1",
    "hishel": "1.3.0",
    "httpx": "0.28.1",
    "httpx2": "2.16.2",
    "aiohttp": "3.14.5",
    "attrs": "26.1.0",
    "python-dateutil": "2.9.0.post0",
}
# The SDKs that `compare.py` runs against a faulty server.
TRIAL_VERSIONS = {
    "openai": VERSIONS["openai"],
    "anthropic": "2.12.0",
    "stripe": VERSIONS["stripe"],
    "githubkit": VERSIONS["githubkit"],
    "hishel": VERSIONS["hishel"],
    "azure-core": "1.41.0",
    "google-cloud-storage": "3.17.1",
    "boto3": "1.44.5",
}
# The SDKs that `features.py` compares, and what their lines use.
FEATURE_VERSIONS = {
    "pyairtable[cli]": "3.5.0.post1",
    "stripe": VERSIONS["stripe"],
    "openai": VERSIONS["openai"],
    "azure-core": TRIAL_VERSIONS["azure-core"],
    "simple-salesforce": "1.12.10",
    "httpx": VERSIONS["httpx"],
    "pandas": "3.1.1",
    "opentelemetry-sdk": "1.45.2",
    "opentelemetry-instrumentation-requests": "0.66b2",
    "opentelemetry-instrumentation-openai-v2": "2.4b0",
    "opentelemetry-util-genai": "0.4b0",  # which the instrumentation of openai needs, and newer ones break
}
SYNC = ("openai", "stripe", "githubkit", "stock generated client", "raw httpx2")
ASYNC = ("openai", "githubkit", "stock generated client", "raw httpx2", "raw aiohttp")


class NotInstalledError(Exception):
    """The peers cannot be installed; the message gives the reason."""


def interpreter() -> str:
    """Return the interpreter of the peers' environment, which is created if it does not exist.

    The stock client is generated from `openapi.yaml` by openapi-python-client, and is part of the environment.

    Raises:
        NotInstalledError: A command failed, or took too long.
    """
    folder = _environment("clients", VERSIONS, (ROOT / "openapi.yaml").read_bytes())
    ready = folder / ".generated"
    if not ready.exists():
        _generate(folder)
        ready.touch()
    return str(folder / "bin" / "python")


def trial_interpreter() -> str:
    """Return the interpreter of the SDKs of `compare.py`, whose environment is created if it does not exist.

    Raises:
        NotInstalledError: A command failed, or took too long.
    """
    return str(_environment("trials", TRIAL_VERSIONS) / "bin" / "python")


def feature_interpreter() -> str:
    """Return the interpreter of the SDKs of `features.py`, whose environment is created if it does not exist.

    Raises:
        NotInstalledError: A command failed, or took too long.
    """
    return str(_environment("features", FEATURE_VERSIONS) / "bin" / "python")


def _environment(kind: str, versions: Mapping[str, str], contents: bytes = b"") -> Path:
    """Return the folder of an environment with packages; what it depends on is a part of its name."""
    wanted = [f"{name}=={version}" for name, version in versions.items()]
    digest = hashlib.sha256("\n".join(wanted).encode() + contents).hexdigest()[:8]
    folder = ROOT / ".venv" / "peers" / f"{kind}-{sys.version_info.major}.{sys.version_info.minor}-{digest}"
    ready = folder / ".ready"
    if not ready.exists():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        python = str(folder / "bin" / "python")
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
        ready.touch()
    return folder


def _generate(folder: Path) -> None:
    packages = next((folder / "lib").glob("python*/site-packages"))
    config = folder / "generator.yaml"
    config.write_text("post_hooks: []\nproject_name_override: project-platform-api-client\n", encoding="utf-8")
    arguments = ["--path", str(ROOT / "openapi.yaml"), "--config", str(config), "--meta", "none", "--overwrite"]
    output = str(packages / "project_platform_api_client")
    _run(sys.executable, "-m", "openapi_python_client", "generate", *arguments, "--output-path", output)


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT)
    except FileNotFoundError as error:
        raise NotInstalledError(f"{command[0]} does not exist") from error
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout).strip().splitlines()
        raise NotInstalledError(
            f"{Path(command[0]).name} ended with status {error.returncode}: {lines[-1] if lines else 'no output'}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise NotInstalledError(f"{Path(command[0]).name} took more than {INSTALL_TIMEOUT:.0f} seconds") from error
