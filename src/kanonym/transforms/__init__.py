"""Write the values: decisions of algorithms become released columns."""
