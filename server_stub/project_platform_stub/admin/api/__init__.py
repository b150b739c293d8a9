"""The JSON interface under `/_stub/`."""
