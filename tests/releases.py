"""Random small tables, policies for them, and a plain oracle of what is released.

Released rows are grouped in a dict, and each model is asked through its slow twin in
`naive`.
"""

from __future__ import annotations

import math
from collections import defaultdict

import polars as pl
from hypothesis import strategies as st

import kanonym as ka
from twins import classes as naive

SICKNESS = {"flu": "airway", "cold": "airway", "ulcer": "gut", "burn": "skin"}
TREE = ka.hierarchy.from_mapping(SICKNESS)
TOWNS = ["Köln", "Łódź", "北京", "", "a, b", "{x}", "null", "ab\nc"]

MODELS = {
    "k": [ka.KAnonymity(3)],
    "alpha-k": [ka.models.AlphaKAnonymity(0.6, 2, "s")],
    "l-distinct": [ka.LDiversity("s", 2)],
    "l-entropy": [ka.KAnonymity(2), ka.LDiversity("s", 1.7, "entropy")],
    "l-recursive": [ka.LDiversity("s", 2, "recursive", c=2)],
    "t-equal": [ka.KAnonymity(2), ka.TCloseness("s", 0.4)],
    "t-ordered": [ka.TCloseness("s", 0.25, "ordered")],
    "t-hierarchical": [ka.TCloseness("s", 0.3, "hierarchical")],
    "beta-basic": [ka.models.BetaLikeness("s", 1)],
    "beta-enhanced": [ka.KAnonymity(2), ka.models.BetaLikeness("s", 1, "enhanced")],
    "delta": [ka.models.DeltaDisclosure("s", 1)],
    "average-risk": [ka.models.AverageRisk(0.3)],
    "uniqueness": [ka.models.SampleUniqueness(0.2), ka.models.PopulationUniqueness(0.1, 1000)],
    "all": [
        ka.KAnonymity(2),
        ka.models.AlphaKAnonymity(0.9, 2, "s"),
        ka.LDiversity("s", 1.2, "entropy"),
        ka.TCloseness("s", 0.6, "hierarchical"),
        ka.models.BetaLikeness("s", 3),
        ka.models.DeltaDisclosure("s", 2),
        ka.models.AverageRisk(0.5),
    ],
}
KINDS = {"age": "number", "score": "number", "town": "nominal"}
SOURCES = {
    "age": ka.hierarchy.intervals(width=[2, 4], origin=0),
    "score": ka.hierarchy.groups(fan_outs=2),
    "town": ka.hierarchy.prefix(),
}
VALUES = {
    "age": st.integers(0, 9),
    "score": st.sampled_from([-1.5, 0.0, 0.25, 2.0, 1e6]),
    "town": st.sampled_from(TOWNS),
    "s": st.sampled_from(list(SICKNESS)),
}


@st.composite
def tables(draw):
    """Draw columns of 0 to 24 records; constant columns and equal records are common."""
    n = draw(st.integers(0, 24))
    columns = {"id": list(range(n))}
    for name, values in VALUES.items():
        few = draw(st.lists(values, min_size=1, max_size=5))
        cells = st.sampled_from([*few, None] if draw(st.booleans()) else few)
        columns[name] = draw(st.lists(cells, min_size=n, max_size=n))
    return columns


def typed(columns):
    """Return a polars table with the types that the columns have even without a value."""
    types = {
        "id": pl.Int64,
        "age": pl.Int64,
        "score": pl.Float64,
        "town": pl.String,
        "s": pl.String,
    }
    return pl.DataFrame(columns, schema={name: types[name] for name in columns})


def policy_of(attributes, models, algorithm, **options):
    """Return a policy with a seed; columns that are not drawn are insensitive."""
    return ka.Policy(
        attributes=attributes,
        models=models,
        algorithm=algorithm,
        others="insensitive",
        seed=1,
        **options,
    )


def holds(model, values, table, paths):
    """Ask a model about one class with the naive measures.

    values, table: sensitive codes of the class and of the table, -1 for a null that
    does not count. Of a model of the whole table each class must satisfy it as if it were
    the table: more than was asked, and what an algorithm of single classes can know.
    """
    present, reference = [v for v in values if v >= 0], [v for v in table if v >= 0]
    if isinstance(model, ka.KAnonymity):
        return len(values) >= model.k
    if isinstance(model, ka.models.AverageRisk):
        return 1 / len(values) <= model.threshold + 1e-12
    if isinstance(model, ka.models.SampleUniqueness | ka.models.PopulationUniqueness):
        return len(values) >= 2
    if isinstance(model, ka.models.AlphaKAnonymity):
        return len(values) >= model.k and naive.alpha(present) <= model.alpha + 1e-12
    if isinstance(model, ka.LDiversity) and model.kind == "distinct":
        return naive.distinct(present) >= model.l
    if isinstance(model, ka.LDiversity) and model.kind == "entropy":
        return naive.entropy(present) >= model.l - 1e-12
    if isinstance(model, ka.LDiversity):
        return naive.recursive(present, model.l) < model.c - 1e-12
    if isinstance(model, ka.TCloseness):
        distance = {
            "equal": lambda: naive.t_equal(present, reference),
            "ordered": lambda: naive.t_ordered(present, reference),
            "hierarchical": lambda: naive.t_hierarchical(present, reference, paths),
        }
        return distance[model.distance]() <= model.t + 1e-12
    if isinstance(model, ka.models.BetaLikeness):
        basic = naive.beta_basic(present, reference) <= model.beta + 1e-12
        enhanced = model.kind == "basic" or naive.beta_excess(present, reference) <= 1 + 1e-12
        return basic and enhanced
    return naive.delta(present, reference) / math.log(2) < model.delta - 1e-12


def coded(column, nulls):
    """Return a function from sensitive values to codes in the order of the tree, and its paths."""
    leaves = [None, *SICKNESS] if nulls == "value" and None in column else list(SICKNESS)
    order = sorted(leaves, key=lambda v: (v is None, list(SICKNESS).index(v) if v else 0))
    code = {value: i for i, value in enumerate(order)}
    branches = list(dict.fromkeys(SICKNESS.values()))
    paths = {code[v]: (branches.index(SICKNESS[v]) if v else len(branches), 0) for v in order}
    return lambda value: code.get(value, -1), paths


def released_names(frame, attributes):
    """Return the columns of a release that come of quasi-identifiers."""
    known = {
        one
        for name, attribute in attributes.items()
        if isinstance(attribute, ka.QuasiIdentifier)
        for one in (name, f"{name}_min", f"{name}_max")
    }
    return [name for name in frame.columns if name in known]


def regrouped(frame, attributes):
    """Group a release in a dict: {released quasi-identifiers: sensitive values}."""
    groups = defaultdict(list)
    names = released_names(frame, attributes)
    for row in frame.iter_rows(named=True):
        groups[tuple(row[name] for name in names)].append(row["s"])
    return groups
