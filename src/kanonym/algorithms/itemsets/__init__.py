"""How items of sets are recoded so that known itemsets have enough candidates."""
