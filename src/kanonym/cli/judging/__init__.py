"""Commands that judge tables: check, measure, verify, assess, attack, compare, profile."""
