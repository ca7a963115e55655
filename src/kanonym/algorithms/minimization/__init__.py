"""Data minimization: which cells of a decision tree a model's predictions need.

`search.minimize` grows a tree on the model's predictions (`nodes`, `boxes`), takes an actual
record to stand for every node (`representatives`), asks the model once about all of them
(`losses`), and prunes (`knapsack`, `links`) or exempts features (`exemption`).
"""
