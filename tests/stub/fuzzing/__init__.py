"""Fuzzing of the stub: requests that nobody wrote, and what has to hold whatever comes of them."""
