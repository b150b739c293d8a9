"""HTTP: messages, routing, JSON, and the connections that carry them."""
