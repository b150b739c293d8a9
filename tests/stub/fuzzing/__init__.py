"""Fuzzing of the stub with generated requests, and the invariants that hold after each of them."""
