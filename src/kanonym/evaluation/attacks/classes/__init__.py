"""Attacks on what the records of one class share."""
