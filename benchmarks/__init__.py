"""The SDK against raw httpx, measured side by side: `python -m benchmarks`. See README.md."""
