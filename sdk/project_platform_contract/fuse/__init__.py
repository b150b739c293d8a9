"""The fuse before the socket, and the ledger of what a run creates."""
