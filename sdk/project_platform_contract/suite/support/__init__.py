"""Helpers of the tests: requests, assertions and expected types."""
