"""Benchmarks of the SDK and of the stub server against comparable software. See README.md."""
