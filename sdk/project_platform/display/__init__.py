"""Representations of values in a terminal and in a notebook. Credentials are masked, and HTML is escaped and capped."""
