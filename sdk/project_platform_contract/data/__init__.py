"""The data file: what a run needs to know of a deployment."""
