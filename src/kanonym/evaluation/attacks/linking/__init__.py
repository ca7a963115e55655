"""Attacks that link persons to released records."""
