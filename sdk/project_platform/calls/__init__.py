"""One call: from its description to its result or its error."""
