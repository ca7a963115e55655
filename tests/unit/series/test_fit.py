"""Recodings that are fitted to a table and applied to batches."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.series import fit

H = ka.hierarchy
PAIRS = [ka.KAnonymity(2)]
ZIPS = ["13053", "13058", "13068", "13061", "14850", "14853"]
TABLE = pl.DataFrame(
    {
        "age": [23, 25, 28, 29, 41, 44],
        "zip": ZIPS,
        "sex": ["f", "m", "f", "f", "m", "m"],
        "s": ["flu", "cold", "flu", "cold", "flu", "cold"],
    }
)


def batch(ages, zips=None, sexes=None, secrets=None):
    """Return a batch; what is not given is as in the table."""
    n = len(ages)
    return pl.DataFrame(
        {
            "age": ages,
            "zip": zips or ZIPS[:1] * n,
            "sex": sexes or ["f"] * n,
            "s": secrets or ["flu", "cold"] * (n // 2) + ["flu"] * (n % 2),
        },
        schema_overrides={"age": pl.Int64, "zip": pl.String, "sex": pl.String, "s": pl.String},
    )


def by_levels(models=PAIRS, levels=None, **options):
    """Return a recoding by levels: of ages and postal codes."""
    policy = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(H.intervals(width=[10, 40])),
            "zip": ka.QuasiIdentifier(H.masking()),
            "sex": ka.Insensitive(),
            "s": ka.Sensitive(),
        },
        models=list(models),
        algorithm=ka.FullDomain(levels=levels or {"age": 1, "zip": 2}),
        keep_order=True,
        suppression_limit=options.pop("suppression_limit", 0.0),
    )
    return fit(TABLE, policy, **options)


def by_boxes(zips=None, recoding=None, others="insensitive", models=PAIRS, **options):
    """Return a recoding by boxes: of ages and, where they have a hierarchy, postal codes."""
    attributes = {"age": ka.QuasiIdentifier(recoding=recoding), "s": ka.Sensitive()}
    if zips:
        attributes["zip"] = ka.QuasiIdentifier(zips)
    limit = options.pop("suppression_limit", 0.0)
    policy = ka.Policy(
        attributes=attributes,
        models=list(models),
        others=others,
        keep_order=True,
        suppression_limit=limit,
    )
    return fit(TABLE, policy, **options)


def test_levels_say_what_new_values_are():
    """Ages and codes that the fit did not see get the labels of their level."""
    release = by_levels().apply(batch([20, 21, 65, 66], ["13000"] * 4))
    assert release.frame["age"].to_list() == ["[20, 30)", "[20, 30)", "[60, 70)", "[60, 70)"]
    assert release.frame["zip"].to_list() == ["130**"] * 4
    assert release.unseen == {"age": 0, "zip": 0}


def test_unseen_values_become_the_root_of_their_attribute_alone():
    """A code that is too long for the mask is `*`; the age beside it stays at its level."""
    release = by_levels().apply(batch([23, 24], ["130530", "130531"]))
    assert release.frame["zip"].to_list() == ["*", "*"]
    assert release.frame["age"].to_list() == ["[20, 30)"] * 2
    assert release.unseen == {"age": 0, "zip": 2}


def test_unseen_values_at_level_0_become_null():
    """Where values keep their type, so does the column: what is unseen is a suppressed cell."""
    fitted = by_levels(levels={"age": 2, "zip": 0}, models=[ka.KAnonymity(1)])
    release = fitted.apply(batch([23, 24], ["13053", "99999"]))
    assert release.frame["zip"].to_list() == ["13053", None]
    assert release.unseen == {"age": 0, "zip": 1}


@pytest.mark.parametrize("level", [0, 1])
def test_categories_that_are_new_are_placed_beside_a_hierarchy(level):
    """An enumeration of other categories is read as the fit's, what it has more is unseen."""
    tree = H.from_mapping({"a": ["v", "*"], "b": ["v", "*"], "c": ["w", "*"], "d": ["w", "*"]})
    policy = ka.Policy(
        attributes={"q": ka.QuasiIdentifier(tree)},
        models=[ka.KAnonymity(1)],
        algorithm=ka.FullDomain(levels={"q": level}),
        keep_order=True,
    )
    table = pl.DataFrame({"q": pl.Series(list("abcd"), dtype=pl.Enum(list("abcd")))})
    later = pl.DataFrame({"q": pl.Series(["z", "d", None, "a"], dtype=pl.Enum(list("dza")))})
    release = fit(table, policy).apply(later)
    expected = [[None, "d", None, "a"], ["*", "w", "*", "v"]][level]
    assert release.frame["q"].cast(pl.String).to_list() == expected
    assert release.unseen == {"q": 2}


def test_a_value_between_the_bounds_of_a_class_is_seen():
    """Numbers within an interval belong to it; others fall in no class and become the root."""
    release = by_boxes().apply(batch([24, 23, 42, 43, 35, 36]))
    assert release.frame["age"].to_list() == ["[23, 25]"] * 2 + ["[41, 44]"] * 2 + ["*"] * 2
    assert (release.outside, release.unseen) == (2, {"age": 0})


@pytest.mark.parametrize(
    ("recoding", "expected"),
    [("mean", [24.0, None]), ("median", [24.0, None]), ("set", ["{23, 25, 28}", "*"])],
)
def test_what_has_a_type_has_null_for_a_root(recoding, expected):
    """Means of no class are null; a set is released for the values that it names alone."""
    fitted = by_boxes(recoding=recoding)
    release = fitted.apply(batch([23, 25, 99, 98]))
    assert release.frame["age"].to_list() == [expected[0]] * 2 + [expected[1]] * 2


def test_two_columns_have_null_for_a_root():
    """With `range`, both ends of no class are null, and the columns keep their type."""
    release = by_boxes(recoding="range").apply(batch([23, 24, 99, 98]))
    assert release.frame["age_min"].to_list() == [23, 23, None, None]
    assert release.frame["age_max"].dtype == pl.Int64


def test_a_set_does_not_stand_for_a_value_that_it_does_not_name():
    """24 lies between 23 and 25, but {23, 25, 28} would be false of it."""
    release = by_boxes(recoding="set").apply(batch([24, 24]))
    assert release.frame["age"].to_list() == ["*", "*"]


def test_labels_of_hierarchies_take_in_what_is_true_of():
    """A code that no class spans goes to the class whose label holds it, if the rest fits."""
    fitted = by_boxes(zips=H.masking())
    spanned = fitted.apply(TABLE).frame
    again = fitted.apply(batch([23, 25], ["13059", "13050"]))
    assert spanned["zip"].to_list()[:2] == again.frame["zip"].to_list() == ["1305*"] * 2
    assert again.outside == 0


@pytest.mark.parametrize(
    ("fitted", "rows", "said"),
    [
        (by_levels, batch([23, 24], ["13053", "130531"]), "'zip', row 2: '130531' was not seen"),
        (by_boxes, batch([23, 24, 35]), "row 3 falls in no class"),
    ],
)
def test_the_unseen_can_be_an_error(fitted, rows, said):
    """With unseen: error, the first row is named that has what the recoding does not know."""
    recoding = fitted(unseen="error")
    with pytest.raises(ka.DataError, match=said):
        recoding.apply(rows)
    assert (recoding.batches, recoding.released.tally) == (0, None)


def test_a_failing_class_is_suppressed_within_the_limit():
    """A lone record of a batch is suppressed where the policy allows it, and counted nowhere."""
    fitted = by_boxes(suppression_limit=0.4)
    release = fitted.apply(batch([23, 24, 42]))
    assert release.frame["age"].to_list() == ["[23, 25]"] * 2
    assert (release.suppressed, release.union.rows) == (1, 2)


def test_more_than_the_limit_is_refused():
    """The error names the classes, the records and the limit; nothing is counted."""
    fitted = by_boxes()
    with pytest.raises(ka.InfeasibleError, match=r"1 classes .* in row 3\): 1 of 3 rec"):
        fitted.apply(batch([23, 24, 42]))
    assert (fitted.batches, fitted.rows_in, fitted.released.tally) == (0, 0, None)


def test_the_union_alone_may_have_to_satisfy():
    """A class too small in a batch is released where those before it make it large enough."""
    alone, together = by_boxes(), by_boxes(each_batch=False)
    for fitted in (alone, together):
        fitted.apply(TABLE)
    with pytest.raises(ka.InfeasibleError):
        alone.apply(batch([24]))
    release = together.apply(batch([24]))
    assert release.rows_out == 1
    assert release.verification.satisfied is False
    assert release.union.satisfied


def test_the_first_batch_is_the_union():
    """Where the union alone must satisfy, the first batch has nobody to stand beside."""
    with pytest.raises(ka.InfeasibleError):
        by_boxes(each_batch=False).apply(batch([24]))


def test_nothing_released_is_as_no_batch_at_all():
    """After a batch of which everything was suppressed, the next one is the first again."""
    table = pl.DataFrame({"q": ["a"] * 8 + ["b"] * 2 + ["c"]})
    fitted = fit(
        table,
        ka.Policy(
            attributes={"q": ka.QuasiIdentifier(H.flat())},
            models=[ka.models.AverageRisk(0.25)],
            algorithm=ka.FullDomain(levels={"q": 0}),
            suppression_limit=1.0,
        ),
        each_batch=False,
    )
    lone = pl.DataFrame({"q": ["c"]})
    expected = fit(table, fitted.policy, each_batch=False).apply(table)
    assert fitted.apply(lone).rows_out == 0
    assert fitted.apply(table).suppressed == expected.suppressed > 0


def test_a_batch_that_breaks_the_union_is_refused():
    """Alone it is close to its own distribution; together with the one before, no longer."""
    fitted = by_levels([ka.KAnonymity(2), ka.TCloseness("s", 0.2)])
    fitted.apply(batch([23, 24, 25, 26], secrets=["flu", "flu", "flu", "cold"]))
    other = batch([63, 64, 65, 66], secrets=["cold"] * 4)
    with pytest.raises(ka.InfeasibleError, match=r"union|fail"):
        fitted.apply(other)
    assert fitted.batches == 1
    again = by_levels([ka.KAnonymity(2), ka.TCloseness("s", 0.2)])
    assert again.apply(other).verification.satisfied


def test_a_sensitive_value_never_seen_is_one_more_value():
    """It counts as different from all others."""
    fitted = by_boxes(models=[ka.KAnonymity(2), ka.LDiversity("s", 2)])
    release = fitted.apply(batch([23, 24], secrets=["flu", "plague"]))
    assert release.verification.satisfied


def test_later_batches_draw_anew():
    """Batches of the same records come in another order each time: draws cannot be compared."""
    table = pl.DataFrame({"q": [1] * 40, "id": range(40)})
    fitted = fit(table, quasi_identifiers=["q"], others="insensitive", k=2, seed=7)
    first, second = (fitted.apply(table).frame["id"].to_list() for _ in range(2))
    assert (
        first
        == ka.anonymize(table, quasi_identifiers=["q"], others="insensitive", k=2, seed=7)
        .frame["id"]
        .to_list()
    )
    assert first != second
    assert sorted(first) == sorted(second)


def test_actions_are_carried_out_on_every_batch():
    """Classes and labels are of the values that actions leave, in every batch."""
    policy = ka.Policy(
        attributes={"zip": ka.QuasiIdentifier(H.masking(), action=[ka.actions.Keep(first=4)])},
        models=[ka.KAnonymity(2)],
        others="insensitive",
        algorithm=ka.FullDomain(levels={"zip": 1}),
        keep_order=True,
        suppression_limit=0.5,
    )
    release = fit(TABLE, policy).apply(batch([1, 2], ["13099", "13090"]))
    assert release.frame["zip"].to_list() == ["130**"] * 2


def test_dates_and_truth_values_are_recoded():
    """Dates within a class belong to it; a Boolean column of a text file is one."""
    days = [date(2020, 1, day) for day in (1, 5, 20, 25)]
    table = pl.DataFrame({"day": days, "flag": [True, True, False, False]})
    fitted = fit(table, quasi_identifiers=["day", "flag"], k=2, keep_order=True)
    later = pl.DataFrame({"day": ["2020-01-03", "2020-01-02"], "flag": ["true", "true"]})
    release = fitted.apply(later)
    assert release.frame["day"].to_list() == ["[2020-01-01, 2020-01-05]"] * 2
    assert release.outside == 0


def test_a_batch_without_a_record_is_released():
    """Nothing in, nothing out, and the next one is as before."""
    for fitted in (by_boxes(), by_levels()):
        release = fitted.apply(TABLE.clear())
        assert (release.rows_in, release.rows_out, release.union.rows) == (0, 0, 0)
        assert fitted.apply(TABLE).rows_out == len(TABLE)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            {"k": 2, "entity": "sex", "identifiers": ["sex"], "each_batch": False},
            "counts persons by 'sex'",
        ),
        ({"k": 2, "algorithm": ka.algorithms.CellSuppression()}, "cell by cell"),
        ({"k": 10, "algorithm": ka.MDAV()}, "classes that overlap"),
    ],
)
def test_what_makes_no_recoding_is_refused(policy, said):
    """The error says why there is nothing to keep."""
    ages, zips = np.random.default_rng(0).normal(size=(2, 200))
    table = pl.DataFrame({"age": ages, "zip": zips, "sex": [f"p{i}" for i in range(200)]})
    with pytest.raises(ka.PolicyError, match=said):
        fit(table, quasi_identifiers=["age", "zip"], others="insensitive", **policy)


def test_each_batch_counts_persons_of_several_columns(tmp_path):
    """A recoding read from its file counts combinations in each batch, and knows the fewest."""
    table = pl.DataFrame(
        {
            "site": ["a", "b"] * 20,
            "number": [i // 8 for i in range(40)],
            "age": [30, 30, 40, 40] * 10,
        }
    )
    asked = {"identifiers": ["site", "number"], "quasi_identifiers": ["age"], "k": 10}
    fitted = fit(table, **asked, entity=["site", "number"])
    fitted.apply(table).union.to_dict()
    assert fitted.released.fewest_persons == 10
    fitted.save(tmp_path / "fitted.json")
    again = type(fitted).load(tmp_path / "fitted.json")
    assert again.policy.models[0].entity == fitted.policy.models[0].entity
    release = again.apply(table.reverse())
    assert [one.achieved for one in (*release.verification.checks, *release.union.checks)] == [
        10
    ] * 2
    with pytest.raises(ka.InfeasibleError, match="classes of the batch fail"):
        again.apply(table.filter(pl.col("number") > 0))


def test_a_mechanism_is_no_recoding():
    """By a recoding every record of a batch would be released, and none would be sampled."""
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(bounds=[30]))},
        models=[{"type": "differential-privacy", "epsilon": 1, "delta": 1e-6}],
        algorithm={"type": "full-domain", "levels": {"age": 1}},
    )
    with pytest.raises(ka.PolicyError, match="samples the records of each release"):
        fit(pl.DataFrame({"age": [20, 40] * 200}), policy)


def test_actions_on_released_values_are_refused():
    """They would be drawn anew for every batch, after all that is verified."""
    attributes = {
        "age": ka.QuasiIdentifier(),
        "s": ka.Sensitive(action=ka.actions.After(ka.actions.Shuffle())),
    }
    policy = ka.Policy(
        attributes=attributes, models=[ka.KAnonymity(2)], others="insensitive", seed=99
    )
    with pytest.raises(ka.PolicyError, match="released values of 's'"):
        fit(TABLE, policy)


def test_an_empty_table_is_refused():
    """There is nothing to fit."""
    with pytest.raises(ka.DataError, match="no record"):
        fit(TABLE.clear(), quasi_identifiers=["age"], others="insensitive", k=2)


def test_other_quasi_identifiers_are_refused():
    """A batch whose further columns would be quasi-identifiers is none of the series."""
    fitted = fit(
        TABLE.select("age", "sex"), quasi_identifiers=["age"], others="quasi-identifier", k=2
    )
    with pytest.raises(ka.SchemaError, match="new zip"):
        fitted.apply(TABLE.select("age", "sex", "zip"))


def test_an_infinite_number_is_named():
    """It lies in no interval."""
    table = pl.DataFrame({"x": [1.0, 2.0]})
    fitted = fit(table, quasi_identifiers=["x"], k=2)
    with pytest.raises(ka.DataError, match="'x', row 2: inf is not a finite number"):
        fitted.apply(pl.DataFrame({"x": [1.0, float("inf")]}))


def test_a_release_of_a_batch_is_a_release(tmp_path):
    """It writes its table, its manifest and its report, and tells of batch and union."""
    release = by_boxes(zips=H.masking()).apply(TABLE)
    release.write(tmp_path / "out.csv")
    release.manifest(tmp_path / "manifest.json")
    release.report(tmp_path / "report.md")
    found = release.to_dict()
    assert found["batch"] == {"number": 1, "unseen": {"age": 0, "zip": 0}, "outside": 0}
    assert found["union"]["rows"] == 6
    levels = by_levels().apply(TABLE)
    levels.report(tmp_path / "levels.md")
    assert levels.to_dict()["algorithm"]["fitted_levels"] == {"age": 1, "zip": 2}
