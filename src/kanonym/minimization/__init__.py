"""Minimize the data that a trained model needs: `Minimizer`, a scikit-learn transformer."""

from __future__ import annotations

from kanonym.minimization.estimator import Minimizer

__all__ = ["Minimizer"]
