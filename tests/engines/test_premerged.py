"""Full-domain generalization of tables whose frequency set stays on the engine.

What is released is compared with the release of the same table of this process.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.schema import Role
from kanonym.engines.sql import premerged
from kanonym.engines.sql.frequencies import types_of
from kanonym.engines.sql.release_query import assign_tuples, released_query, unchanged_columns
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task

AWKWARD = 'age"; DROP TABLE patients; --'


def table_of(n_rows=1500, seed=0):
    """Return records of every kind of column, with nulls and awkward names and values."""
    rng = np.random.default_rng(seed)
    cities = np.array(["Ünna", "O'Hara; --", 'a "b"', "", "NULL", "x,y", "%s", None], object)
    days = [datetime.date(1950, 1, 1) + datetime.timedelta(int(one)) for one in range(40)]
    heights = rng.integers(0, 30, n_rows) / 4
    frame = pl.DataFrame(
        {
            AWKWARD: pl.Series(rng.integers(20, 60, n_rows)).cast(pl.Int32),
            "city": pl.Series(rng.choice(cities, n_rows).tolist(), dtype=pl.String),
            "born": pl.Series([days[one] for one in rng.integers(0, 40, n_rows)]),
            "height": pl.Series(np.where(heights < 1, np.nan, heights)),
            "disease": pl.Series(rng.choice(["flu", "cold", "gout", "it's"], n_rows).tolist()),
            "note": pl.Series([f"n{one}" for one in range(n_rows)]),
        }
    )
    gone = pl.Series(rng.random(n_rows) < 0.05)
    return frame.with_columns(pl.when(gone).then(None).otherwise(pl.col(AWKWARD)).alias(AWKWARD))


def policy_of(models, metric="loss", others=Role.IDENTIFIER, **options):
    """Return a policy about four quasi-identifiers and a sensitive attribute."""
    attributes = {
        AWKWARD: ka.QuasiIdentifier(ka.hierarchy.intervals(width=5)),
        "city": ka.QuasiIdentifier(ka.hierarchy.flat()),
        "born": ka.QuasiIdentifier(ka.hierarchy.dates()),
        "height": ka.QuasiIdentifier(),
        "disease": ka.Sensitive(),
    }
    return ka.Policy(
        attributes=attributes,
        models=models,
        algorithm=ka.FullDomain(metric),
        others=others,
        **options,
    )


def searched(source, policy):
    """Search a table on an engine; return what was found, and its release on the engine."""
    dtypes = types_of(source)
    schema = policy.schema_for(list(dtypes))
    task = Task(schema, policy.models, policy.algorithm, policy.recoding, policy.suppression_limit)
    found = premerged.search_on_engine(source, task, dtypes, Stopwatch())
    decision = found.decide(Stopwatch())
    kept = unchanged_columns(schema)
    whole = set(kept) <= set(found.counted.raw.columns)
    counted = found.counted.select(kept) if whole else found.counted
    decided = assign_tuples(decision, counted, schema, whole=whole)
    query = released_query(found.source, decided, found.dtypes, 0)
    return found, decision, source.store.fetch(query)


def flat(utility):
    """Return numbers by name, of nested ones too."""
    if not isinstance(utility, dict):
        return {"": utility}
    return {
        f"{name} {inner}": number
        for name, one in utility.items()
        for inner, number in flat(one).items()
    }


def require_same(source, frame, policy, most):
    """Compare a release on an engine with that of this process; return what is told of it."""
    found, decision, released = searched(replace(source, most_tuples=most), policy)
    release = ka.anonymize(frame, policy)
    own, account = decision.partition.account, release.decision.partition.account
    assert own["levels"] == account["levels"]
    assert math.isclose(own["score"], account["score"], rel_tol=1e-12)
    assert decision.built == release.decision.built
    assert [one.size for one in decision.table.domains] == [
        one.size for one in release.decision.table.domains
    ]
    assert released.columns == release.frame.columns
    texts = pl.all().cast(pl.String)
    assert (
        released.select(texts)
        .sort(pl.all())
        .equals(release.frame.select(texts).sort(pl.all()), null_equal=True)
    )
    assert int(found.counted.counts.sum()) == len(frame)
    lost, here = found.utility(decision).to_dict(), release.utility.to_dict()
    assert flat(lost) == pytest.approx(flat(here), rel=1e-12)
    assert own["premerged"]["tuples"] <= most
    return own["premerged"]


@pytest.mark.nightly(on="spark")  # by day, Adult is merged there (test_conformance)
@pytest.mark.parametrize("others", [Role.IDENTIFIER, Role.INSENSITIVE])
def test_the_release_is_that_of_a_table_of_this_process(source, others):
    """Where every released column is counted, and where the input is joined; nulls included."""
    frame = table_of()
    policy = policy_of([ka.KAnonymity(60), ka.LDiversity("disease", 2)], others=others)
    premerged_ = require_same(source(frame), frame, policy, 600)
    assert any(premerged_["levels"].values())


@pytest.mark.xdist_group("duckdb")
def test_a_lattice_in_parts_gives_the_same_release():
    """Where the lowest levels of single attributes leave too many tuples."""
    from kanonym.engines.duckdb import scan_duckdb

    frame = table_of()
    policy = policy_of([ka.KAnonymity(10)], "kl-divergence")
    assert require_same(scan_duckdb(frame), frame, policy, 700)["parts"] > 1


@pytest.mark.xdist_group("duckdb")
def test_records_are_suppressed_as_here():
    """Within the limit, in the same classes."""
    from kanonym.engines.duckdb import scan_duckdb

    frame = table_of()
    policy = policy_of([ka.KAnonymity(15)], suppression_limit=0.3)
    told = require_same(scan_duckdb(frame), frame, policy, 1_400)
    assert ka.anonymize(frame, policy).suppressed == 54
    assert told["levels"][AWKWARD] > 0


@pytest.mark.xdist_group("duckdb")
def test_texts_of_a_file_have_their_types(tmp_path):
    """A column of digits is one of numbers, as in a file that is read here."""
    from kanonym.engines.duckdb import scan_duckdb

    path = tmp_path / "patients.csv"
    table_of().drop("height").write_csv(path)
    attributes = {
        AWKWARD: ka.QuasiIdentifier(ka.hierarchy.intervals(width=5)),
        "born": ka.QuasiIdentifier(ka.hierarchy.dates()),
        "disease": ka.Sensitive(),
    }
    policy = ka.Policy(
        attributes=attributes,
        models=[ka.KAnonymity(60)],
        algorithm=ka.FullDomain(),
        others=Role.IDENTIFIER,
    )
    found, decision, released = searched(scan_duckdb(path, most_tuples=300), policy)
    release = ka.anonymize(ka.read_table(path), policy)
    assert [domain.kind for domain in found.ready.table.domains] == ["number", "temporal"]
    assert decision.partition.account["levels"] == release.decision.partition.account["levels"]
    texts = pl.all().cast(pl.String)
    assert released.select(texts).sort(pl.all()).equals(release.frame.select(texts).sort(pl.all()))


@pytest.mark.xdist_group("duckdb")
@pytest.mark.parametrize(("known", "hidden"), [("city", "disease"), ("disease", "city")])
def test_a_column_of_too_many_values_is_refused(known, hidden):
    """The message names it, quasi-identifying or sensitive, and shows no value."""
    from kanonym.engines.duckdb import scan_duckdb

    policy = ka.Policy(
        attributes={known: ka.QuasiIdentifier(), hidden: ka.Sensitive()},
        models=[ka.LDiversity(hidden, 2)],
        algorithm=ka.FullDomain(),
        others=Role.IDENTIFIER,
    )
    with pytest.raises(ka.DataError, match=r"column 'city' has more than 5 .* most_tuples"):
        searched(scan_duckdb(table_of(), most_tuples=5), policy)


@pytest.mark.xdist_group("duckdb")
def test_a_population_needs_the_whole_frequency_set():
    """K-map counts persons in tuples that nobody has here."""
    from kanonym.engines.duckdb import scan_duckdb

    frame = table_of()
    policy = policy_of([ka.models.KMap(3, frame)])
    with pytest.raises(ka.PolicyError, match=r"k-map counts .* raise most_tuples"):
        searched(scan_duckdb(frame, most_tuples=100), policy)


@pytest.mark.xdist_group("duckdb")
def test_another_algorithm_is_refused():
    """Mondrian cuts between values, which levels do not know."""
    from kanonym.engines.duckdb import scan_duckdb

    policy = policy_of([ka.KAnonymity(5)])
    source = scan_duckdb(table_of())
    dtypes = types_of(source)
    task = Task(policy.schema_for(list(dtypes)), policy.models, ka.Mondrian(), None, 0.0)
    with pytest.raises(ka.PolicyError, match="mondrian"):
        premerged.search_on_engine(source, task, dtypes, Stopwatch())


@pytest.mark.xdist_group("duckdb")
def test_no_release_says_what_a_table_of_this_process_does():
    """The most general node, and how many records fail it."""
    from kanonym.engines.duckdb import scan_duckdb

    frame = table_of()
    policy = policy_of([ka.LDiversity("disease", 5)])
    with pytest.raises(ka.InfeasibleError) as here:
        ka.anonymize(frame, policy)
    with pytest.raises(ka.InfeasibleError) as there:
        searched(scan_duckdb(frame, most_tuples=500), policy)
    assert str(there.value) == str(here.value)


@pytest.mark.xdist_group("duckdb")
def test_a_table_that_changes_while_it_is_counted_is_refused():
    """Two counts that do not agree are of two tables."""
    import duckdb

    from kanonym.engines.duckdb import scan_duckdb

    with duckdb.connect() as connection:
        connection.register("given", table_of().to_arrow())
        connection.execute("CREATE TABLE patients AS SELECT * FROM given")
        source = scan_duckdb(connection.table("patients"), most_tuples=500)
        fetch, asked = source.store.fetch, []

        def fetch_and_delete(query):
            asked.append(query)
            if len(asked) == 7:  # after the types, the values and some counts
                connection.execute("DELETE FROM patients WHERE city = 'x,y'")
            return fetch(query)

        source.store.fetch = fetch_and_delete
        with pytest.raises(ka.DataError, match="two counts of the table do not agree"):
            searched(source, policy_of([ka.KAnonymity(5)]))
