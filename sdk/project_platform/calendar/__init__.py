"""The calendar of a project."""
