"""Clients of the SDKs that `peer_trials.py` and `list_trials.py` call, each for a server on this machine.

The packages are imported when a client is created: an interpreter has only some of them.
"""

from __future__ import annotations

import importlib
from typing import Any

UUID = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


def project_platform(url: str, **options: Any) -> Any:
    """Return a project of a client of project-platform."""
    platform: Any = importlib.import_module("project_platform")
    return platform.Client(url, token="t", project_id=UUID, **options).project()


def openai(url: str, **options: Any) -> Any:
    """Return a client of openai."""
    return importlib.import_module("openai").OpenAI(api_key="k", base_url=url, **options)


def anthropic(url: str, **options: Any) -> Any:
    """Return a client of anthropic."""
    return importlib.import_module("anthropic").Anthropic(api_key="k", base_url=url, **options)


def stripe(url: str, **options: Any) -> Any:
    """Return a client of stripe."""
    return importlib.import_module("stripe").StripeClient("sk_test_k", base_addresses={"api": url}, **options)


def githubkit(url: str, **options: Any) -> Any:
    """Return a client of githubkit."""
    return importlib.import_module("githubkit").GitHub("t", base_url=url, **options)


def azure_core(url: str) -> Any:
    """Return a pipeline of azure-core that sends requests again."""
    core: Any = importlib.import_module("azure.core")
    policies: Any = importlib.import_module("azure.core.pipeline.policies")
    return core.PipelineClient(url, policies=[policies.RetryPolicy()])


def azure_request(method: str, url: str, **options: Any) -> Any:
    """Return a request for a pipeline of azure-core."""
    return importlib.import_module("azure.core.rest").HttpRequest(method, url, **options)


def google_cloud_storage(url: str) -> Any:
    """Return a client of google-cloud-storage."""
    storage: Any = importlib.import_module("google.cloud.storage")
    credentials: Any = importlib.import_module("google.auth.credentials")
    return storage.Client(
        project="p", credentials=credentials.AnonymousCredentials(), client_options={"api_endpoint": url}
    )


def boto3(url: str, **options: Any) -> Any:
    """Return a client of boto3 for DynamoDB."""
    return importlib.import_module("boto3").client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="k",
        aws_secret_access_key="s",
        **options,
    )
