"""A project: a folder with a policy, its history and its releases, which can be kept in git."""
