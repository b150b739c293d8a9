"""The page under `/_stub/`."""
