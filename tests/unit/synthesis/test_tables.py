"""Laws of synthetic tables: what they keep, what they tell of themselves, what they refuse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data import frames
from kanonym.evaluation.utility.table_utility import utility
from kanonym.synthesis import SequentialTrees, synthesize
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.result import count_copies
from normal_tables import latent

DAY = date(2020, 1, 1)


def stays(n=200, seed=0):
    """Return columns of every kind, with nulls, that hang together."""
    random = np.random.default_rng(seed)
    z = random.normal(size=n)
    came = random.integers(0, 300, n)
    stayed = random.integers(0, 20, n)
    return {
        "age": (45 + 12 * z).round().astype(int).tolist(),
        "income": [
            None if i % 9 == 0 else round(1000 * float(np.exp(x)), 2) for i, x in enumerate(z)
        ],
        "came": [DAY + timedelta(days=int(one)) for one in came],
        "left": [DAY + timedelta(days=int(one)) for one in came + stayed],
        "seen": [datetime(2020, 1, 1) + timedelta(hours=int(one)) for one in came],
        "ill": random.choice(["flu", "cold", "asthma"], n).tolist(),
        "town": [None if i % 7 == 0 else f"town {i % 5}" for i in range(n)],
        "smokes": (z > 0).tolist(),
    }


def normal(n, seed):
    """Return correlated normal numbers, some cut to categories."""
    x = latent(n, seed, 0.5 * np.eye(4) + 0.5)
    return pl.DataFrame(
        {
            "age": (40 + 10 * x[:, 0]).round().astype(int),
            "weight": x[:, 1].round(3),
            "class": pl.Series(np.digitize(x[:, 2], [-1, 0, 1])).cast(pl.String),
            "ill": np.where(x[:, 3] > 0.5, "yes", "no"),
        }
    )


@dataclass(frozen=True)
class Fixed:
    """A synthesizer that draws what a function of the columns says, n records at a time."""

    draw: object
    name: str = "fixed"

    def fit(self, columns, constraints, random):
        """Learn nothing but the columns."""
        del constraints, random
        return Learned(self.draw, columns)


@dataclass(frozen=True)
class Learned:
    """What `Fixed` learned."""

    draw: object
    columns: list

    def sample(self, n, random):
        """Return n records."""
        return self.draw(self.columns, n, random)


def bootstrapped(columns, n, random):
    """Return real records, drawn with replacement."""
    rows = random.integers(0, len(columns[0]), n)
    return [column.gather(rows) for column in columns]


def verbatim(columns, n, random):
    """Return the first n real records."""
    del random
    return [column.head(n) for column in columns]


def scrambled(columns, n, random):
    """Return each column drawn for itself."""
    return [column.gather(random.integers(0, len(column), n)) for column in columns]


def test_a_synthetic_table_has_the_type_and_the_types_of_the_original(frame):
    """Of every frame library: the same columns in the same order, each of its own type.

    As in a release, text and objects of pandas get its default types.
    """
    made = frame(stays())
    found = synthesize(made, rows=50).frame
    assert type(found) is type(made)
    assert frames.n_rows(found) == 50
    assert frames.column_names(found) == frames.column_names(made)
    if hasattr(made, "schema"):
        assert found.schema == made.schema
        return
    default = {"came", "left"} if str(made.dtypes["came"]) == "object" else {"ill", "town"}
    for name in set(made) - default:
        assert found.dtypes[name] == made.dtypes[name]


def test_every_frame_library_gives_the_same_table(frame):
    """One seed gives one synthetic table, whatever library holds the original."""
    same = pl.DataFrame(stays())
    asked = {"rows": 40, "seed": 7}
    found = frames.to_polars(synthesize(frame(stays()), **asked).frame)
    assert found.cast(dict(same.schema)).equals(synthesize(same, **asked).frame)


def test_a_lazy_frame_comes_out_lazy():
    """A LazyFrame is collected once, and the synthetic table is one again."""
    found = synthesize(pl.LazyFrame(stays()), rows=5)
    assert isinstance(found.frame, pl.LazyFrame)
    assert found.frame.collect().height == 5


def test_the_seed_decides():
    """The same seed gives the same table, and another one another."""
    table = pl.DataFrame(stays())
    first, again, other = (synthesize(table, seed=seed).frame for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.parametrize(("hold_out", "rows"), [(None, 200), (0.25, 150)])
def test_as_many_records_are_drawn_as_were_learned_from(hold_out, rows):
    """Held-out records are not learned from; of the others, as many are drawn unless said."""
    found = synthesize(pl.DataFrame(stays()), hold_out=hold_out)
    assert (found.rows, found.rows_in, found.held_out) == (rows, 200, 200 - rows)
    assert found.frame.height == rows


def test_what_is_held_out_is_not_learned_from():
    """A synthesizer sees the other records, each of the table is in one part."""
    table = pl.DataFrame({"x": range(100)})
    found = synthesize(table, method=Fixed(verbatim), hold_out=0.3, quasi_identifiers=["x"])
    assert found.frame.height == 70
    assert found.copies.learned == 1
    assert found.copies.held_out == 0
    assert found.copies.learned_as_many == pytest.approx(30 / 70)


def test_dropped_columns_are_not_there():
    """Of what is dropped nothing is learned: it may be free text, or lists."""
    table = pl.DataFrame(stays()).with_columns(
        name=pl.Series([f"person {i}" for i in range(200)]), tags=pl.Series([[1]] * 200)
    )
    found = synthesize(table, drop=["name", "tags"])
    assert found.frame.columns == list(stays())
    assert found.dropped == ("name", "tags")


@pytest.mark.parametrize("method", [SequentialTrees(), Fixed(scrambled)])
@pytest.mark.parametrize("rule", ["left >= came", "came <= left", Constraint("came", "<=", "left")])
def test_constraints_hold_in_every_record(method, rule):
    """Also of a synthesizer that knows none: records that break one are drawn again."""
    found = synthesize(pl.DataFrame(stays()), constraints=[rule], method=method, rows=300)
    assert (found.frame["left"] >= found.frame["came"]).all()
    assert found.constraints in {("left >= came",), ("came <= left",)}
    free = synthesize(pl.DataFrame(stays()), method=Fixed(scrambled), rows=300).frame
    assert (free["left"] < free["came"]).any()


def test_no_value_is_missing_where_none_was():
    """A record with a null in a column that has none is drawn again; others may have nulls."""

    def holes(columns, n, random):
        drawn = scrambled(columns, n, random)
        return [
            pl.select(
                pl.when(pl.Series(random.random(n) < 0.8)).then(one).alias(one.name)
            ).to_series()
            for one in drawn
        ]

    found = synthesize(pl.DataFrame(stays()), method=Fixed(holes)).frame
    full = [name for name in found.columns if name not in {"income", "town"}]
    assert found.select(full).null_count().sum_horizontal().item() == 0
    assert found["town"].null_count() > 10


def test_redrawing_takes_no_record_for_its_place():
    """Of a synthesizer that draws alike records one after the other, the first are no choice."""

    def in_order(columns, n, random):
        x, y = scrambled(columns, n, random)
        return [x.sort(), y]

    table = pl.DataFrame({"x": [0, 1] * 200, "y": [1] * 400})
    found = synthesize(table, method=Fixed(in_order), constraints=["x <= y"], rows=390)
    assert found.frame["x"].mean() == pytest.approx(0.5, abs=0.1)


def test_records_of_a_simple_table_cannot_be_told_apart():
    """Of correlated normal numbers the area is at most 0.55, and chance within its interval."""
    found = synthesize(normal(1200, 1), seed=3).detection
    assert found.value <= 0.55
    assert found.parts["low"] <= 0.5


def test_scrambled_columns_are_told_apart_and_useless():
    """Detection and utility see that columns have nothing to do with each other any more."""
    table = normal(1600, 1)
    good, bad = (synthesize(table, method=one) for one in (None, Fixed(scrambled)))
    # Over seeds 0.67 and 0.47. The deviation of an area under the curve is about
    # (6 n)^-1/2 = 0.01, so both are more than five deviations away.
    assert bad.detection.value > 0.6 > good.detection.value
    compared = ["pairwise-total-variation", "correlation-difference", "query-error"]
    worse, better = (
        utility(table, one.frame, aligned=False, measures=[*compared, "total-variation"])
        for one in (bad, good)
    )
    for measure in compared:
        assert worse.measured[measure].value > better.measured[measure].value
    assert worse.measured["total-variation"].value < 0.1


def test_attacks_find_a_table_of_copies():
    """Of real records published as synthetic ones members are known, and persons singled out."""
    table = normal(400, 2)
    table = table.with_columns(code=pl.Series(np.random.default_rng(0).normal(size=400)))
    known = ["age", "weight", "code"]
    copied, drawn = (
        synthesize(table, method=one, hold_out=0.5, quasi_identifiers=known, sensitive=["ill"])
        for one in (Fixed(verbatim), SequentialTrees(50))
    )
    assert copied.attacks["membership"].targets.rate == 1
    assert copied.attacks["membership"].risk > 0.9
    assert copied.attacks["singling-out"].targets.rate > 0.9
    assert copied.attacks["linkability"].risk > 0.5
    assert copied.attacks["inference"].risk > 0.9
    assert (copied.copies.learned, copied.copies.held_out) == (1, 0)
    assert drawn.attacks["membership"].interval[0] < 0.05
    assert drawn.attacks["linkability"].risk < 0.05
    assert drawn.attacks["singling-out"].targets.rate < 0.5
    assert drawn.copies.learned == 0


def test_without_held_out_records_membership_is_not_attacked():
    """The attack says what it needs; copies are counted among what was learned from alone."""
    found = synthesize(normal(200, 1), quasi_identifiers=["age", "class"], sensitive=["ill"])
    assert found.attacks["membership"].reason.startswith("give a control table")
    assert found.attacks["inference"].control is None
    assert found.copies.to_dict()["held_out"] is None


def test_intruders_know_all_that_is_not_sensitive_unless_said():
    """Without quasi-identifiers the attacks are those with every column as one."""
    table = normal(200, 1)
    given = {"hold_out": 0.3, "sensitive": ["ill"]}
    all_named = synthesize(table, quasi_identifiers=["age", "weight", "class"], **given)
    assert synthesize(table, **given).attacks == all_named.attacks


def test_copies_by_hand():
    """Two of four synthetic records are real ones, nulls equal to nulls; one was held out."""
    real = pl.DataFrame({"x": [1, None, 3], "y": ["a", "b", "c"]})
    synthetic = pl.DataFrame({"x": [1, None, 3, 9], "y": ["a", "b", "b", "z"]})
    held = pl.DataFrame({"x": [9], "y": ["z"]})
    found = count_copies(real, synthetic, held, np.random.default_rng(0))
    assert (found.learned, found.held_out) == (0.5, 0.25)
    assert found.learned_as_many in {0.0, 0.25}
    assert count_copies(real, synthetic, None, np.random.default_rng(0)).held_out is None


def test_it_tells_how_it_was_made_and_judged_without_a_value():
    """The JSON form is plain, names every number, and holds no value of a record."""
    table = normal(200, 1).with_columns(code=pl.Series([f"S3CRET{i % 40}" for i in range(200)]))
    found = synthesize(table, hold_out=0.2, seed=5, sensitive=["ill"])
    told = found.to_dict()
    assert told == json.loads(json.dumps(told))
    assert {key: told[key] for key in found.facts()} == {
        "method": "trees",
        "rows": 160,
        "rows_in": 200,
        "held_out": 40,
        "seed": 5,
        "dropped": [],
        "identifiers": [],
        "constraints": [],
    }
    assert told["detection"]["value"] == found.detection.value
    assert [one["type"] for one in told["attacks"]] == [
        "singling-out",
        "linkability",
        "inference",
        "membership",
    ]
    assert "160 by trees, seed 5" in str(found)
    for word in ("distinguishable, AUC", "of as many real records", "pMSE", "membership"):
        assert word in str(found)
    assert "S3CRET" not in json.dumps(told) + str(found) + repr(found)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seed": -1}, ka.PolicyError, "seed is -1"),
        ({"rows": 0}, ka.PolicyError, "rows is 0"),
        ({"hold_out": 1.5}, ka.PolicyError, "hold_out is 1.5"),
        ({"hold_out": 0.001}, ka.DataError, "hold_out is 0.001 of 200 records"),
        ({"drop": "age"}, ka.SchemaError, "give a list of columns, not the text 'age'"),
        ({"drop": ["agee"]}, ka.SchemaError, "'agee' is an unknown column; did you mean 'age'"),
        ({"drop": list(stays())}, ka.SchemaError, "every column is dropped"),
        ({"drop": ["age"], "sensitive": ["age"]}, ka.SchemaError, "column 'age' is dropped"),
        (
            {"quasi_identifiers": ["age"], "sensitive": ["age"]},
            ka.SchemaError,
            "'age' is both quasi-identifying and sensitive",
        ),
        ({"constraints": ["left is late"]}, ka.PolicyError, "is not a constraint"),
        ({"constraints": ["lefty > came"]}, ka.SchemaError, "did you mean 'left'"),
        ({"constraints": ["came > left"]}, ka.DataError, "breaks the constraint"),
        ({"method": "gan"}, ka.PolicyError, "method is aim or mst with epsilon, or a synthesizer"),
        ({"method": SequentialTrees}, ka.PolicyError, "method is aim or mst"),
        ({"method": 3}, ka.PolicyError, "method is aim or mst"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, error, message):
    """The message says which parameter, column or row, and what to do."""
    with pytest.raises(error, match=message):
        synthesize(pl.DataFrame(stays()), **options)


def test_free_text_is_refused():
    """Names can only be repeated, not imitated: the column is named."""
    table = pl.DataFrame({"name": [f"person {i}" for i in range(50)], "x": range(50)})
    with pytest.raises(ka.SchemaError, match="column 'name' is free text"):
        synthesize(table, sensitive=["name"])


def numbered_stays(n=300):
    """Return stays with the number and the name of each patient."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "patient_id": rng.permutation(n) + 40_000,
            "name": [f"Ada{i} Lovelace" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "ward": rng.choice(["a", "b"], n),
        }
    )


def test_real_identifiers_are_left_out_and_told():
    """No record carries the number or the name of a real person, and the result says why."""
    made = synthesize(numbered_stays(), seed=1)
    assert made.frame.columns == ["age", "ward"]
    assert made.identifiers == made.dropped == ("patient_id", "name")
    assert made.facts()["identifiers"] == ["patient_id", "name"]
    (line, *_) = [one for one in str(made).splitlines() if one.startswith("seems to identify")]
    assert line.endswith("patient_id")


def test_what_is_named_is_no_identifier():
    """Whoever names a column as known, sensitive or constrained says that it is to be imitated."""
    table = numbered_stays().drop("name")
    for given in ({"quasi_identifiers": ["patient_id"]}, {"constraints": ["patient_id > age"]}):
        assert synthesize(table, **given).frame.columns == table.columns
    with pytest.raises(ka.SchemaError, match=r"seems? to identify people: patient_id"):
        synthesize(table.select("patient_id"))


@pytest.mark.parametrize("n", [0, 1])
def test_a_table_of_nearly_nothing_is_refused(n):
    """There is nothing to learn from a record, or from none."""
    with pytest.raises(ka.DataError, match=f"the table has {n} records: there is nothing to learn"):
        synthesize(pl.DataFrame({"x": pl.Series([1] * n, dtype=pl.Int64)}))


def test_a_synthesizer_that_never_keeps_a_constraint_is_given_up():
    """After 20 rounds it is said how many records were found, and of which constraint."""

    def wrong(columns, n, random):
        del random
        return [pl.Series(columns[0].name, [2] * n), pl.Series(columns[1].name, [1] * n)]

    table = pl.DataFrame({"x": [0, 1], "y": [1, 1]})
    with pytest.raises(ka.DataError, match=r"only 0 of 2 records keep .*\(x <= y\)"):
        synthesize(table, method=Fixed(wrong), constraints=["x <= y"])


def test_a_synthesizer_must_draw_the_columns_of_the_table():
    """Other names or types are its defect, and are named."""

    def other(columns, n, random):
        del columns, random
        return [pl.Series("y", [1.5] * n)]

    with pytest.raises(ka.DataError, match="names, order and types must be those of the table"):
        synthesize(pl.DataFrame({"x": [0, 1]}), method=Fixed(other))
