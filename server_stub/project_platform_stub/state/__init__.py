"""The state file, which stores worlds across restarts."""
