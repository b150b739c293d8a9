"""YAML and JSON files with line numbers, and their schemas."""
