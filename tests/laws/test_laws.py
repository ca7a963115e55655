"""What holds of every release, whatever the table, the models and the algorithm.

The oracle is plain Python: released rows are grouped in a dict, and each model is
asked through its slow twin in `naive`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import kanonym as ka
import naive
from conftest import FRAMES
from kanonym.data.frames import to_polars
from kanonym.models import ALL, OfPopulation
from kanonym.transforms.recoding import ALLOWED

SICKNESS = {"flu": "airway", "cold": "airway", "ulcer": "gut", "burn": "skin"}
TREE = ka.hierarchy.from_mapping(SICKNESS)
TOWNS = ["Köln", "Łódź", "北京", "", "a, b", "{x}", "null", "ab\nc"]

MODELS = {
    "k": [ka.KAnonymity(3)],
    "alpha-k": [ka.AlphaKAnonymity(0.6, 2, "s")],
    "l-distinct": [ka.LDiversity("s", 2)],
    "l-entropy": [ka.KAnonymity(2), ka.LDiversity("s", 1.7, "entropy")],
    "l-recursive": [ka.LDiversity("s", 2, "recursive", c=2)],
    "t-equal": [ka.KAnonymity(2), ka.TCloseness("s", 0.4)],
    "t-ordered": [ka.TCloseness("s", 0.25, "ordered")],
    "t-hierarchical": [ka.TCloseness("s", 0.3, "hierarchical")],
    "beta-basic": [ka.BetaLikeness("s", 1)],
    "beta-enhanced": [ka.KAnonymity(2), ka.BetaLikeness("s", 1, "enhanced")],
    "delta": [ka.DeltaDisclosure("s", 1)],
    "average-risk": [ka.AverageRisk(0.3)],
    "uniqueness": [ka.SampleUniqueness(0.2), ka.PopulationUniqueness(0.1, 1000)],
    "all": [
        ka.KAnonymity(2),
        ka.AlphaKAnonymity(0.9, 2, "s"),
        ka.LDiversity("s", 1.2, "entropy"),
        ka.TCloseness("s", 0.6, "hierarchical"),
        ka.BetaLikeness("s", 3),
        ka.DeltaDisclosure("s", 2),
        ka.AverageRisk(0.5),
    ],
}
ALGORITHMS = {
    f"{'strict' if strict else 'relaxed'}-{split}": ka.Mondrian(strict=strict, split=split)
    for strict in (True, False)
    for split in ("loss", "span")
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


@st.composite
def attributes(draw):
    """Draw the quasi-identifiers, one to three, and how each is recoded."""
    chosen = {
        "id": ka.Insensitive(),
        "s": ka.Sensitive(TREE, draw(st.sampled_from(["value", "exclude"]))),
    }
    for name in draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True)):
        recoding = draw(st.sampled_from([None, *ALLOWED[KINDS[name]]]))
        source = SOURCES[name] if recoding == "hierarchy" or draw(st.booleans()) else None
        chosen[name] = ka.QuasiIdentifier(source, recoding)
    return chosen


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
    """Return a policy; columns that are not drawn are insensitive."""
    return ka.Policy(
        attributes=attributes, models=models, algorithm=algorithm, others="insensitive", **options
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
    if isinstance(model, ka.AverageRisk):
        return 1 / len(values) <= model.threshold + 1e-12
    if isinstance(model, ka.SampleUniqueness | ka.PopulationUniqueness):
        return len(values) >= 2
    if isinstance(model, ka.AlphaKAnonymity):
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
    if isinstance(model, ka.BetaLikeness):
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


def anonymized(table, policy):
    """Return the release, or None where the table as one class fails a model."""
    values, nulls = table["s"].to_list(), policy.attributes["s"].nulls
    code, paths = coded(values, nulls)
    whole = [code(value) for value in values]
    feasible = not values or all(holds(model, whole, whole, paths) for model in policy.models)
    event(f"feasible: {feasible}")
    if feasible:
        return ka.anonymize(table, policy)
    with pytest.raises(ka.InfeasibleError, match=r"possible is|no value is possible"):
        ka.anonymize(table, policy)
    return None


def seen_by_models(frame, policy):
    """Return a release's rows as a multiset: quasi-identifiers, and `s` where a model reads it."""
    names = released_names(frame, policy.attributes)
    names += ["s"] * any(model.attribute for model in policy.models)
    return Counter(frame.select(names).iter_rows())


def test_every_model_has_its_laws():
    """No model of the package is missing here, but those of a population table.

    Mondrian forms classes without it, and refuses them.
    """
    known = {model for model in ALL if not issubclass(model, OfPopulation)}
    assert {type(model) for models in MODELS.values() for model in models} == known


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("models", MODELS)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(
    columns=tables(),
    attributes=attributes(),
    limit=st.sampled_from([0.0, 0.0, 0.1, 0.5]),
)
def test_every_class_of_every_release_satisfies_every_model(
    models, algorithm, columns, attributes, limit
):
    """Each record is released once or counted as suppressed, and the release proves its models.

    It is refused exactly where the whole table as one class fails. Every released
    class, regrouped in plain Python from the released values, satisfies every model
    against the distribution of the release and against that of the input; and
    `verify` says so, too.
    """
    table = typed(columns)
    policy = policy_of(attributes, MODELS[models], ALGORITHMS[algorithm], suppression_limit=limit)
    release = anonymized(table, policy)
    if release is None:
        return
    ids = release.frame["id"].to_list()
    assert len(ids) == len(set(ids)) == release.rows_out
    assert release.rows_out + release.suppressed == release.rows_in == len(table)
    assert release.suppressed <= limit * len(table) + 1e-9
    assert [table["s"][i] for i in ids] == release.frame["s"].to_list()

    code, paths = coded(columns["s"], attributes["s"].nulls)
    groups = regrouped(release.frame, attributes)
    before = [code(value) for value in columns["s"]]
    after = [code(value) for value in release.frame["s"]]
    for values in groups.values():
        for model in policy.models:
            for reference in (before, after):
                assert holds(model, [code(value) for value in values], reference, paths)
    assert release.verification.n_classes == len(groups)
    assert release.outcome.partition.n_classes == len(groups)
    assert ka.verify(release.frame, policy).satisfied
    assert ka.verify(release.frame, policy, original=table).satisfied
    assert ka.verify(release.aggregate(), policy, count="count").satisfied


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    columns=tables(),
    attributes=attributes(),
    models=st.sampled_from(list(MODELS)),
    limit=st.sampled_from([0.0, 0.3]),
    randoms=st.randoms(use_true_random=False),
)
def test_the_order_of_records_changes_nothing(
    algorithm, columns, attributes, models, limit, randoms
):
    """The same records in another order give the same release, its rows in the same order.

    Relaxed Mondrian parts records that are equal in all that models look at, and which
    of them goes where is up to their order; so the law is about what models look at.
    """
    policy = policy_of(attributes, MODELS[models], ALGORITHMS[algorithm], suppression_limit=limit)
    table = typed(columns)
    order = list(range(len(table)))
    randoms.shuffle(order)
    one, other = anonymized(table, policy), anonymized(table[order], policy)
    assert (one is None) == (other is None)
    if one is not None:
        assert seen_by_models(one.frame, policy) == seen_by_models(other.frame, policy)
        if policy.algorithm.strict:
            assert one.frame.rows() == other.frame.rows()
        assert one.suppressed == other.suppressed


@pytest.mark.parametrize("library", [name for name in FRAMES if name != "polars"])
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    columns=tables(),
    attributes=attributes(),
    models=st.sampled_from(list(MODELS)),
    algorithm=st.sampled_from(list(ALGORITHMS)),
)
def test_every_frame_library_gives_the_same_release(
    library, columns, attributes, models, algorithm
):
    """The release of a table does not depend on the library that holds it, nor does its order.

    Integers with missing values are real numbers to pandas, so there all libraries
    get them as real numbers.
    """
    policy = policy_of(attributes, MODELS[models], ALGORITHMS[algorithm])
    if None in columns["age"]:
        columns = {**columns, "age": [None if v is None else float(v) for v in columns["age"]]}
    if not columns["id"]:
        return  # Empty lists have no type: `test_pipeline` has tables without records.
    expected = anonymized(pl.DataFrame(columns), policy)
    if expected is None:
        return
    found = ka.anonymize(FRAMES[library](columns), policy).frame
    assert type(found) is type(FRAMES[library](columns))
    assert to_polars(found).rows() == expected.frame.rows()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("recoding", [None, "set", "range", "mode"])
def test_three_hundred_columns(algorithm, recoding):
    """A table of 300 quasi-identifiers of several types is released and satisfies its models."""
    n = 60
    columns = {f"n{i}": [(j * (i + 1)) % 7 for j in range(n)] for i in range(150)}
    columns |= {f"t{i}": [f"v{(j + i) % 5}" for j in range(n)] for i in range(150)}
    columns["s"] = [list(SICKNESS)[j % 4] for j in range(n)]
    release = ka.anonymize(
        pl.DataFrame(columns),
        quasi_identifiers=[name for name in columns if name != "s"],
        sensitive=["s"],
        k=3,
        l=2,
        algorithm=ALGORITHMS[algorithm],
        recoding=recoding,
    )
    assert release.rows_out == n
    groups = Counter(release.frame.drop("s").rows())
    assert min(groups.values()) >= 3
