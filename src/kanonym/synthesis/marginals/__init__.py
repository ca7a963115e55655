"""Differentially private synthesis: noisy marginals, a graphical model, records drawn from it."""
