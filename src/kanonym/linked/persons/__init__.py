"""Persons with all their rows: who is like whom, and how many there are."""
