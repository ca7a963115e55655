"""Does a released table satisfy its models, and protect people? Asked of released values alone."""
