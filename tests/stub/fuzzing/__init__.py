"""Fuzzing of the stub with generated requests."""
