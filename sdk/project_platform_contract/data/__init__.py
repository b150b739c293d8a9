"""The data file: resources of a deployment that the rules are proven with."""
