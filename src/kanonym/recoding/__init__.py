"""From a decision of an algorithm to released values."""
