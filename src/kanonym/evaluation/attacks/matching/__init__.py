"""Which released records, and which of their values, fit what is known of a person."""
