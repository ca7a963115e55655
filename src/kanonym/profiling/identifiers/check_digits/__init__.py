"""Numbers with check digits."""
