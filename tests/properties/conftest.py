"""The same examples in every run: a run that fails can be repeated, and a slow machine fails none."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")
