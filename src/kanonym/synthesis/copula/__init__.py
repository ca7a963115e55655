"""A model of a table's columns from which further records are drawn: a Gaussian copula.

Columns in, columns out: nothing here knows of roles, classes or frames.
"""

from __future__ import annotations

from kanonym.synthesis.copula.constraints import Constraint
from kanonym.synthesis.copula.model import TableModel, fit

__all__ = ["Constraint", "TableModel", "fit"]
