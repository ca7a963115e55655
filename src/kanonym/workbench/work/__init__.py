"""The process that holds the table and computes, apart from the one that serves pages."""
