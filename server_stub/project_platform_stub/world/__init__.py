"""A world: what is in it, and its clock, journal, tokens and keys."""
