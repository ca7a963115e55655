"""What commands print on a terminal, from the JSON form of a result."""
