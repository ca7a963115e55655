"""What is imported on first use, and what may be absent."""
