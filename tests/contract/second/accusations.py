"""Prints which services that keep the specification are said to violate it: `python -m contract.second.accusations [NAME ...]`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from project_platform_contract.rules import RULES

from .kill_rate import by_name
from .mutant import VARIATIONS
from .runs import run_all

ACCUSED = Path(__file__).with_name("accused.yaml")


def main() -> int:
    """Run the variations that the command line names, or all of them.

    Returns:
        The number of variations of which a run failed, or that violate a rule of the specification, at most 1.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="variations to run (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the violated rules to a file, by variation")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="parallel runs (default: %(default)s)")
    arguments = parser.parse_args()
    names = arguments.names or list(VARIATIONS)
    if unknown := set(names) - VARIATIONS.keys():
        parser.error(f"there is no variation {unknown.pop()!r}")
    values = {}
    for name, result in run_all(names, workers=arguments.workers):
        stated = [id for id in result.violated if not RULES[id].inferred]
        values[name or ""] = {"violated": stated, "error": result.error}
        if stated or result.error:
            print(f"- `{name}`: {result.error or ', '.join(stated)}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(values, indent=1), "utf-8")
    return int(any(value["violated"] or value["error"] for value in values.values()))


def accused() -> dict[str, str]:
    """Return the reasons why variations are said to violate the specification, by variation."""
    return by_name(ACCUSED)


if __name__ == "__main__":
    sys.exit(main())
