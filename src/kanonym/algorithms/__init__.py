"""Algorithms decide classes or levels; they never write a value."""
