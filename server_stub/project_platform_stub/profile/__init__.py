"""The profile: switches for the behaviour that the specification leaves open."""

from __future__ import annotations

from .profile import Profile, RateLimit, load_profile, read_profile

__all__ = ["Profile", "RateLimit", "load_profile", "read_profile"]
