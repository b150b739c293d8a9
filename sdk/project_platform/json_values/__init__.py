"""JSON values: numbers that keep their digits, containment, and merge."""
