"""How do I check a permission? Checks some project permissions of the caller, one of them misspelt.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It only reads.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from project_platform import Client, UsageError
from project_platform_stub import Stub

if TYPE_CHECKING:
    from project_platform.models import Permission

PERMISSIONS: list[Permission] = ["crm_objects:read", "crm_objects:write", "sub_projects:write"]


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token("viewer"), transport=stub.transport())


def main() -> None:
    """Check each permission."""
    with connect() as client:
        for permission in PERMISSIONS:
            allowed = client.auth.check_permission(permission)
            print(f"{permission:20} {'yes' if allowed else 'no'}")
        try:
            client.auth.check_permission("crm_object:write")  # type: ignore[arg-type]  # misspelt on purpose
        except UsageError as error:
            print(f"not even sent: {error}")


if __name__ == "__main__":
    main()
