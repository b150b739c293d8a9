"""YAML and JSON files, with line numbers in errors, and their validation."""
