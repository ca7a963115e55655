"""Perturbation: values are moved, swapped or drawn anew, so that none can be believed.

None of these actions gives k-anonymity, and none is differentially private but
`randomized-response`, for its own attribute. What each of them is good for and what
it leaves open stands in its `protects` and `exposes`. Nulls stay null throughout: who
has no value is released as it is.
"""
