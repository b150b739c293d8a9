"""CRM records: changes as values, and their outcomes."""
