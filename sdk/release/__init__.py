"""Builds and checks what is released; not shipped. Run `python -m release COMMAND`."""
