"""The subcommands of `project-platform` that belong to the SDK."""
