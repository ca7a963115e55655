"""Hide a part of each value: characters, digits, ends of a range, days; or the whole value."""
