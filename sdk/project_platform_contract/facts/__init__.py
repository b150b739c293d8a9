"""Observed facts: what a deployment does where the specification is silent."""
