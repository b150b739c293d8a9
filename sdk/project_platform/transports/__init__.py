"""What sends requests: connections of the SDK's own, or a client of the user's."""
