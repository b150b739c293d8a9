"""Writes `docs/reference/operations`: a page for each operation, with a call that was made against the stub."""
