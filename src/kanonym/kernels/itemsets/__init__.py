"""Sets of items: recoding, counts of itemsets, and candidates of known items."""
