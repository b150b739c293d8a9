"""Meal labels: the sheet, and how it is saved."""
