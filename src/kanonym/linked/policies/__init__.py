"""What is asked of several tables: keys, references, whose the rows are, roles of columns."""
