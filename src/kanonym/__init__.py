"""Anonymize tabular microdata and prove what was done.

The public names load on first use: `import kanonym` stays fast, and a program that
only verifies a table never loads the report's chart library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanonym.algorithms.mondrian import Mondrian
    from kanonym.data import hierarchy
    from kanonym.data.errors import (
        DataError,
        HierarchyError,
        InfeasibleError,
        KanonymError,
        PolicyError,
        SchemaError,
    )
    from kanonym.data.files import read_table, write_table
    from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Role, Sensitive
    from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
    from kanonym.models.closeness import TCloseness
    from kanonym.models.diversity import LDiversity
    from kanonym.models.likeness import BetaLikeness, DeltaDisclosure
    from kanonym.pipeline import Release, anonymize, measure, verify
    from kanonym.policy import Policy
    from kanonym.verification import Verification

__version__ = "0.1.0"

__all__ = [
    "AlphaKAnonymity",
    "BetaLikeness",
    "DataError",
    "DeltaDisclosure",
    "HierarchyError",
    "Identifier",
    "InfeasibleError",
    "Insensitive",
    "KAnonymity",
    "KanonymError",
    "LDiversity",
    "Mondrian",
    "Policy",
    "PolicyError",
    "QuasiIdentifier",
    "Release",
    "Role",
    "SchemaError",
    "Sensitive",
    "TCloseness",
    "Verification",
    "anonymize",
    "hierarchy",
    "measure",
    "read_table",
    "verify",
    "write_table",
]

_HOMES = {
    "AlphaKAnonymity": "kanonym.models.anonymity",
    "BetaLikeness": "kanonym.models.likeness",
    "DataError": "kanonym.data.errors",
    "DeltaDisclosure": "kanonym.models.likeness",
    "HierarchyError": "kanonym.data.errors",
    "Identifier": "kanonym.data.schema",
    "InfeasibleError": "kanonym.data.errors",
    "Insensitive": "kanonym.data.schema",
    "KAnonymity": "kanonym.models.anonymity",
    "KanonymError": "kanonym.data.errors",
    "LDiversity": "kanonym.models.diversity",
    "Mondrian": "kanonym.algorithms.mondrian",
    "Policy": "kanonym.policy",
    "PolicyError": "kanonym.data.errors",
    "QuasiIdentifier": "kanonym.data.schema",
    "Release": "kanonym.pipeline",
    "Role": "kanonym.data.schema",
    "SchemaError": "kanonym.data.errors",
    "Sensitive": "kanonym.data.schema",
    "TCloseness": "kanonym.models.closeness",
    "Verification": "kanonym.verification",
    "anonymize": "kanonym.pipeline",
    "hierarchy": "kanonym.data.hierarchy",
    "measure": "kanonym.pipeline",
    "read_table": "kanonym.data.files",
    "verify": "kanonym.pipeline",
    "write_table": "kanonym.data.files",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kanonym' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = home if home.__name__.endswith(f".{name}") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*__all__, "__version__"])
