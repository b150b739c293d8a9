"""Rules about data that operations share, and the label sheet."""
