"""Engines: what holds a table, counts it, recodes it and writes the release."""
