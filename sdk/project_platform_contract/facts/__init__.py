"""Facts: observed behaviour of a deployment that the specification leaves open."""
