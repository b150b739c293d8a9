"""`python -m codegen` writes the generated code and two pages of the documentation; `--check` names what differs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from project_platform_contract.rules import RULES

from . import assumptions, contract_rules
from .generate import DOCUMENT, OUTPUT, PAGE, generate


def differences(fresh: Path, committed: Path) -> list[str]:
    """Return a line for each file that the two folders do not share byte by byte."""
    names = {path.relative_to(base) for base in (fresh, committed) for path in base.rglob("*.py")}
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


def _pages() -> dict[Path, str]:
    """Return the generated pages of the documentation."""
    return {PAGE: assumptions.page(DOCUMENT), contract_rules.PAGE: contract_rules.page(RULES)}


def main() -> int:
    """Generate or compare; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail if the committed code is not current"
    )
    if not parser.parse_args().check:
        generate(DOCUMENT, OUTPUT)
        for path, text in _pages().items():
            path.write_text(text, "utf-8")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch, "_generated")
        generate(DOCUMENT, fresh)
        lines = differences(fresh, OUTPUT)
    lines += [
        f"{path.name} is out of date"
        for path, text in _pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        print("openapi.yaml, the templates or the rules changed: run `python -m codegen`", file=sys.stderr)
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
