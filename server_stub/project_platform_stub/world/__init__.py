"""A world: its content, clock, journal, tokens and keys."""
