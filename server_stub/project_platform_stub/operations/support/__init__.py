"""What operations share: rules about data, and the label sheet."""
