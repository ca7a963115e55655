"""New records of chosen classes, drawn by a model of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from kanonym.synthesis.injection.bounds import Domain
from kanonym.synthesis.injection.classes import Classes
from kanonym.synthesis.injection.fresh import fresh_values
from kanonym.synthesis.injection.targets import Needs
from kanonym.synthesis.trees import LearnedByTrees


def new_records(
    model: LearnedByTrees,
    known: Sequence[pl.Series],
    domains: Mapping[str, Domain],
    classes: Classes,
    needs: Needs,
    random: np.random.Generator,
) -> list[pl.Series]:
    """Draw the records that classes need, in the order of the classes.

    model: draws the quasi-identifiers first, then the sensitive attributes.
    known: (n_rows,) quasi-identifiers.

    Returns
    -------
    (n,) all columns of the table, in its order. Quasi-identifiers hold exactly the values of
    the class. Of sensitive attributes, as many records of a class as need it have values that
    nobody else there has; others have what the model draws. All other columns are drawn to fit
    both.

    Notes
    -----
    Where new values are needed, sensitive attributes are drawn one after the other, each
    conditional on those before it. Cost as `LearnedByTrees.complete`, once and once more for
    each of them.

    """
    owners = np.repeat(np.arange(len(classes)), needs.records)
    given = [column.gather(classes.first[owners]) for column in known]
    rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
    for name, lacking in needs.fresh.items():
        fresh = rank < lacking[owners]
        rows, others = np.flatnonzero(fresh), np.flatnonzero(~fresh)
        parts = []
        if len(rows):
            own = [column.gather(rows) for column in given]
            parts.append(
                fresh_values(model, domains[name], classes.labels, owners[rows], own, random)
            )
        if len(others):
            parts.append(model.next_column([column.gather(others) for column in given], random))
        place = np.argsort(np.concatenate([rows, others]), kind="stable")
        given.append(pl.concat(parts).gather(place).alias(name))
    return model.complete(given, random)
