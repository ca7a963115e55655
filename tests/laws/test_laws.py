"""What holds of every release, whatever the table, the models and the algorithm.

Tables, models and oracle are those of `releases`.
"""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym import models
from kanonym.data.frames import to_polars
from kanonym.recoding.recode import ALLOWED
from releases import (
    KINDS,
    MODELS,
    SICKNESS,
    SOURCES,
    TREE,
    coded,
    holds,
    policy_of,
    regrouped,
    tables,
    typed,
)

ALGORITHMS = {
    f"{'strict' if strict else 'relaxed'}-{split}": ka.Mondrian(strict=strict, split=split)
    for strict in (True, False)
    for split in ("loss", "span")
} | {
    "segmentation": ka.Segmentation(),
    "auto": ka.algorithms.Auto(),
    "kdtree": ka.algorithms.KDTree(),
}


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


def test_every_model_has_its_laws():
    """No model of the package is missing here, but those of a population table and of items.

    Mondrian forms classes without a population, and refuses them; sets of items have laws of their
    own.
    """
    apart = ("population", "itemsets", "mechanism")
    known = {model for model in models.MODELS.values() if model.guarantee not in apart}
    assert {type(model) for models in MODELS.values() for model in models} == known


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(160), suppress_health_check=list(HealthCheck))
@given(
    models=st.sampled_from(list(MODELS)),
    columns=tables(),
    attributes=attributes(),
    limit=st.sampled_from([0.0, 0.0, 0.1, 0.5]),
)
def test_every_class_of_every_release_satisfies_every_model(
    algorithm, models, columns, attributes, limit
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
    assert release.decision.partition.n_classes == len(groups)
    assert ka.verify(release.frame, policy).satisfied
    assert ka.verify(release.frame, policy, original=table).satisfied
    assert ka.verify(release.aggregate(), policy, count="count").satisfied


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
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
    """The same records in another order give the same release, its rows in the same order."""
    policy = policy_of(attributes, MODELS[models], ALGORITHMS[algorithm], suppression_limit=limit)
    table = typed(columns)
    order = list(range(len(table)))
    randoms.shuffle(order)
    one, other = anonymized(table, policy), anonymized(table[order], policy)
    assert (one is None) == (other is None)
    if one is not None:
        assert one.frame.rows() == other.frame.rows()
        assert one.suppressed == other.suppressed


@pytest.mark.parametrize("library", [name for name in FRAMES if name != "polars"])
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
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


@pytest.mark.parametrize(
    ("algorithm", "recoding"),
    [
        *(
            pytest.param(name, None, marks=pytest.mark.nightly if "-" in name else [])
            for name in ALGORITHMS
        ),
        ("strict-loss", "set"),
        pytest.param("strict-loss", "range", marks=pytest.mark.nightly),
    ],
)
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
