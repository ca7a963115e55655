"""One value for each cell of a release, for programs that cannot read labels."""
