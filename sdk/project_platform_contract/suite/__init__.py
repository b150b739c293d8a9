"""The tests that prove the rules."""
