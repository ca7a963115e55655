"""What an intruder gets from a released table, tried on pairs of tables."""
