"""`python -m codegen` writes everything that is generated from the contract; `--check` lists differences."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import invalidate_caches
from pathlib import Path
from typing import Final

import yaml

from . import notebooks, tables
from .complaints import GenerationError, all_or_complaints
from .generate import DOCUMENT, PACKAGE, ROOT, generate
from .operation_pages.page import files as operation_pages

_OPERATION_PAGES: Final = "docs/reference/operations"


def differences(fresh: Path, committed: Path) -> list[str]:
    """Return a line for each generated file that is not byte by byte the same in both packages."""
    names = {path.relative_to(fresh) for path in fresh.rglob("*.py")}
    names |= {path.relative_to(committed) for path in (committed / "_generated").rglob("*.py")}
    lines = []
    for name in sorted(names):
        new, old = fresh / name, committed / name
        if not old.exists():
            lines.append(f"{name} is missing")
        elif not new.exists():
            lines.append(f"{name} is left over")
        elif new.read_bytes() != old.read_bytes():
            lines.append(f"{name} is out of date")
    return lines


def pages() -> dict[Path, str]:
    """Return the contents of the files outside of the SDK that are generated as a whole or in part.

    Raises:
        GenerationError: An example fails, or a status has no advice.
    """
    document = yaml.safe_load(DOCUMENT.read_text("utf-8"))
    invalidate_caches()  # The pages of the operations call modules that may just have been written.
    steps: list[Callable[[], dict[Path, str]]] = [
        lambda: tables.files(ROOT, document),
        notebooks.pages,
        lambda: operation_pages(ROOT / _OPERATION_PAGES, document),
    ]
    return {path: text for files in all_or_complaints(steps) for path, text in files.items()}


def main() -> int:
    """Generate or compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a generated file is out of date")
    check = parser.parse_args().check
    try:
        return _check() if check else _write()
    except (GenerationError, yaml.YAMLError) as error:
        print(error, file=sys.stderr)
        return 1


def _write() -> int:
    """Write all files, or none: the pages show calls of the new code, so the old code is kept until they are complete."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh, before = Path(scratch, "fresh"), Path(scratch, "before")
        generate(DOCUMENT, fresh)
        names = [path.name for path in fresh.iterdir()]
        for name in names:
            _copy(PACKAGE / name, before / name)
            _copy(fresh / name, PACKAGE / name)
        try:
            found = pages()
        except BaseException:
            for name in names:
                _copy(before / name, PACKAGE / name)
            raise
    for path, text in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for path in _left_over(found):
        path.unlink()
    return 0


def _left_over(found: Mapping[Path, str]) -> list[Path]:
    """Return the pages of operations that the contract does not have."""
    return sorted({*(ROOT / _OPERATION_PAGES).glob("*.md")} - found.keys())


def _copy(source: Path, target: Path) -> None:
    """Replace a file or a folder by another one."""
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _check() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        generate(DOCUMENT, Path(scratch))
        lines = differences(Path(scratch), PACKAGE)
    found = pages()
    lines += [
        f"{path.relative_to(ROOT)} is out of date"
        for path, text in found.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    lines += [f"{path.relative_to(ROOT)} is left over" for path in _left_over(found)]
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        print("openapi.yaml or the templates have changed: run `python -m codegen`", file=sys.stderr)
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
