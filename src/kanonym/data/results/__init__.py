"""Results: how they print, without values of a table."""
