"""The JSON API under `/_stub/`."""
