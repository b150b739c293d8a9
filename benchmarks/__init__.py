"""What the SDK and the stub server cost, measured beside others. See README.md."""
