"""The way of a request: who sends it, what it may do, and the operation that answers it."""
