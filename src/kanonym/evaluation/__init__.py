"""What a table gives away, what intruders get, and what a release is still good for."""
