"""Single columns: types kept, values rebuilt, orders."""
