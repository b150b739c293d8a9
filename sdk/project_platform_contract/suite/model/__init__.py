"""The specification as a program: what a resource is after a sequence of requests, and the sequences."""
