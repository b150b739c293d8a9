"""The same examples in every run, so that a failure can be repeated, and no deadline, so that a slow machine fails no test."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")
