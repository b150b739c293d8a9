"""The web page of the stub, under `/_stub/`."""
