"""Transports: they send requests over the SDK's own connections, or through the user's client."""
