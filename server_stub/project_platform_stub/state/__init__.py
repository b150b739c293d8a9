"""Worlds in a file that survives a restart."""
