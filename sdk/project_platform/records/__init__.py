"""CRM records: changes as values, and what becomes of them."""
