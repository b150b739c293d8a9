"""Imports every module of the SDK, the stub server and their plugins as on a system that is named on the command line.

What the packages import from elsewhere is imported before, on the real system. Then the names that the other system does not have
are removed, so that an import or an attribute without a guard fails. `test_other_systems.py` runs it.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import select
import signal
import sys
import types

PACKAGES = ("project_platform", "project_platform_contract", "project_platform_pytest", "project_platform_stub")
# The documentation of `os`, `select` and `signal` states for each whether Windows has it.
ABSENT = {
    "win32": [
        *(
            (os, name)
            for name in dir(os)
            if name in {"fork", "forkpty", "geteuid", "getgid", "getuid", "killpg", "mkfifo"}
        ),
        *(
            (os, name)
            for name in ("register_at_fork", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "pread", "pwrite", "uname")
        ),
        *((select, name) for name in ("poll", "epoll") if hasattr(select, name)),
        *((signal, name) for name in ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "pthread_kill")),
    ],
    "darwin": [(os, "posix_fallocate"), (os, "O_DIRECT"), (os, "sched_getaffinity"), (select, "epoll")],
}
MISSING_MODULES = {"win32": ("fcntl", "pwd", "grp", "resource", "termios", "uvloop"), "darwin": ()}


def names() -> list[str]:
    """Return the names of all modules, except programs and tests."""
    found = []
    for package in map(importlib.import_module, PACKAGES):
        found += [package.__name__]
        found += [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return [name for name in found if ".suite" not in name and not name.endswith((".__main__", ".conftest"))]


def main(system: str) -> None:
    """Import everything twice, the second time as on the other system."""
    modules = names()
    for name in modules:
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    for module, name in ABSENT[system]:
        if hasattr(module, name):
            delattr(module, name)
    for name in MISSING_MODULES[system]:
        sys.modules[name] = None  # type: ignore[assignment]  # makes its import fail
    sys.modules["msvcrt"] = types.ModuleType("msvcrt")
    sys.platform = system
    for name in modules:
        importlib.import_module(name)
    print(len(modules))


if __name__ == "__main__":
    main(sys.argv[1])
