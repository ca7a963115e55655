"""How a policy has each quasi-identifier released, which the values alone may not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from kanonym.data.message import Message
from kanonym.data.schema import QuasiIdentifier, Recoding
from kanonym.data.table import kind_of
from kanonym.evaluation.pair.tables import TablePair
from kanonym.policy import Policy
from kanonym.recoding.recode import CENTROIDS, choose_recoding

SINGLE = frozenset({*CENTROIDS.values(), "balanced"})
"""Recodings that release one value of a class in the place of all."""


def recodings_of(policy: Policy, columns: Mapping[str, pl.Series]) -> dict[str, Recoding]:
    """Return the recodings of quasi-identifiers; none of those that are released as they are.

    columns: their original values, as actions leave them.
    """
    algorithm = policy.algorithm
    if algorithm.recodes == "levels":
        return dict.fromkeys(columns, "hierarchy")
    if algorithm.recodes == "cells":
        return {}
    found: dict[str, Recoding] = {}
    for name, values in columns.items():
        attribute = policy.attributes.get(name)
        identifier = attribute if isinstance(attribute, QuasiIdentifier) else QuasiIdentifier()
        kind = kind_of(values.dtype)
        # As the engine: the mean of microaggregation is the centroid of the kind.
        own = algorithm.recoding
        default = policy.recoding or (CENTROIDS[kind] if own == "mean" else own)
        found[name] = identifier.recoding or choose_recoding(name, identifier, kind, default)
    return found


def with_centroids(pair: TablePair, recodings: Mapping[str, Recoding]) -> TablePair:
    """Return a pair that knows of centroids: alone they do not say what they stand for.

    A mode is a value like others, and a mean may be one; the records of its class, which say
    what it leaves open, are known in aligned tables alone.
    """
    if pair.rows is not None:
        return pair
    return replace(
        pair,
        generalizations=tuple(
            replace(
                generalization,
                unknown=Message(
                    "{name} is released as one value per class ({recoding}): what it stands for is "
                    "known only where the rows of both tables are aligned, or of a release object",
                    name=generalization.name,
                    recoding=recodings[generalization.name],
                ),
            )
            if recodings.get(generalization.name) in SINGLE
            else generalization
            for generalization in pair.generalizations
        ),
    )
