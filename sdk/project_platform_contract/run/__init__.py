"""One run of the contract suite: pytest plugin, settings, target, verdicts and exit code."""
