"""Runs the lines of `features.toml` for every SDK, and writes what they do to `features.json`.

    python -m benchmarks.features

`docs/compare.md` shows the results. A line that is missing, or whose SDK cannot be run,
is a cell that says "not run".
"""

from __future__ import annotations

import json
import platform
import sys
import tomllib
from datetime import UTC, datetime

from .compare import column
from .feature_trials import FILE, SDKS
from .peers import NotInstalledError, feature_interpreter

RESULTS = FILE.with_suffix(".json")
TIMEOUT = 300.0  # Seconds for all lines of one SDK


def main() -> None:
    """Run all SDKs, one after another."""
    try:
        peers = feature_interpreter()
    except NotInstalledError as error:
        sys.exit(str(error))
    columns = {name: column(name, peers, ["-m", "benchmarks.feature_trials", name], TIMEOUT) for name in SDKS}
    features = [
        {key: feature[key] for key in ("id", "title", "check")}
        for feature in tomllib.loads(FILE.read_text("utf-8"))["feature"]
    ]
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "features": features,
        "sdks": columns,
    }
    RESULTS.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
