"""Differential privacy: samples, noise and draws that proofs rest on, and what they have spent."""
