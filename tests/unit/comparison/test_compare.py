"""Comparing releases: what is found of each, whichever way it is found."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.comparison import Comparison, Trial, compare, trials
from kanonym.data.frames import to_polars


def people(n=400):
    """Return columns of n people."""
    rng = np.random.default_rng(1)
    return {
        "age": rng.integers(18, 90, n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "town": rng.choice(["a", "b", "c", "d", "e"], n).tolist(),
        "pay": rng.choice(["low", "mid", "high"], n).tolist(),
    }


TABLE = pl.DataFrame(people())
ASKED = ka.Policy.from_columns(
    quasi_identifiers=["age", "sex", "town"], sensitive=["pay"], k=5, recoding="set"
)
SWEEP = {"algorithm": ["mondrian", "segmentation"], "k": [2, 8, 30]}


def told(found):
    """Return what a comparison found, without the time that it took."""
    return [{**one.row(), "seconds": 0, **one.parameters} for one in found.trials]


def test_a_row_says_what_the_release_is_worth():
    """Every number is that of the release that `anonymize` makes of the combination's policy."""
    found = compare(TABLE, ASKED, sweep={**SWEEP, "suppression_limit": [0.0, 0.1]})
    assert len(found.trials) == 12
    for one in found.trials:
        release = ka.anonymize(TABLE, one.policy)
        assert one.achieved == {"k-anonymity": release.verification.checks[0].achieved}
        assert one.k == release.verification.k >= one.parameters["k"]
        assert one.classes == release.verification.n_classes
        assert one.suppressed == release.suppressed
        lost = release.utility
        assert one.utility == {"span-loss": lost.span_loss, "gcp": lost.gcp}
        assert one.average_risk == release.risk.average
        assert one.highest_risk == release.risk.highest


def test_any_number_of_workers_finds_the_same():
    """Rows stand in the order of the sweep, with the same numbers, however many run at once."""
    sweep = {**SWEEP, "algorithm": [*SWEEP["algorithm"], "auto", "full-domain"]}
    asked = ASKED.with_algorithm("mondrian")
    one, three = (compare(TABLE, asked, sweep=sweep, workers=n) for n in (1, 3))
    assert told(one) == told(three)
    assert one.reason == three.reason


def test_every_frame_library_gives_the_same_table_in_its_own_type(frame):
    """The table of a comparison has the type of the one that came in."""
    given = frame(people())
    found = compare(given, ASKED, sweep=SWEEP, workers=1)
    assert type(found.table) is type(given)
    expected = compare(TABLE, ASKED, sweep=SWEEP, workers=1).table
    assert to_polars(found.table).drop("seconds").equals(expected.drop("seconds"))


def test_a_lazy_table_is_compared_too():
    """A query is carried out once, and the table comes back lazy."""
    found = compare(TABLE.lazy(), ASKED, sweep={"k": [2, 3]})
    assert isinstance(found.table, pl.LazyFrame)


def test_the_table_has_a_column_for_everything():
    """Parameters come first, then what was found, then the verdict."""
    found = compare(TABLE, ASKED, sweep=SWEEP)
    assert found.table.columns == [
        "algorithm",
        "k",
        "released",
        "k-anonymity",
        "smallest_class",
        "classes",
        "suppressed",
        "span-loss",
        "gcp",
        "average_risk",
        "highest_risk",
        "seconds",
        "frontier",
        "knee",
        "reason",
    ]
    assert found.table["k"].to_list() == [2, 8, 30, 2, 8, 30]
    assert found.table["reason"].dtype == pl.String
    assert found.table["frontier"].sum() == len(found.frontier)
    assert found.table["knee"].sum() == (found.knee is not None)


def test_what_cannot_be_is_a_row_with_the_reason():
    """An algorithm that cannot take a model, and too large a k."""
    asked = ka.Policy.from_columns(
        quasi_identifiers=["age", "sex", "town"], sensitive=["pay"], k=5, l=2, recoding="set"
    )
    sweep = {"algorithm": ["mondrian", "full-domain", "mdav"], "k": [5, 500]}
    found = compare(TABLE, asked, sweep=sweep)
    reasons = [one.reason for one in found.trials]
    assert [one.has_release for one in found.trials] == [True, False, True, False, False, False]
    assert "mdav" in reasons[4]
    assert "500" in reasons[1]
    assert "500" in reasons[3]
    refused = found.table.filter(~pl.col("released"))
    assert refused["gcp"].is_null().all()
    assert all(one.has_release for one in found.frontier)


def test_a_comparison_without_a_release_says_so():
    """Nothing is on the frontier, and nothing is to be taken."""
    found = compare(TABLE, ASKED, sweep={"k": [500, 600]})
    assert (found.frontier, found.knee) == ((), None)
    assert found.reason.startswith("No combination produced a release")
    assert found.to_dict()["knee"] is None


def test_releases_that_the_measure_does_not_reach_are_not_called_none():
    """Where no release has the column that a model is to predict, it is the measure that fails."""
    asked = ka.Policy.from_columns(
        quasi_identifiers=["age", "sex", "town"], identifiers=["pay"], k=5, recoding="set"
    )
    found = compare(TABLE, asked, sweep={"k": [2, 8]}, measures=["accuracy-pay"])
    assert (found.frontier, found.knee) == ((), None)
    assert found.reason == (
        "No release has both smallest class and accuracy pay: there is nothing to choose by. "
        "Use another measure."
    )


def test_the_first_measure_is_the_one_that_judges():
    """GCP is always there; a measure for which higher is better turns the frontier round."""
    found = compare(TABLE, ASKED, sweep=SWEEP, measures=["interval-overlap", "total-variation"])
    assert found.measure == "interval-overlap"
    measured = ["span-loss", "gcp", "interval-overlap", "total-variation"]
    assert list(found.trials[0].utility) == measured
    assert found.loss_score(found.trials[0]) == -found.trials[0].utility["interval-overlap"]
    by_loss = compare(TABLE, ASKED, sweep=SWEEP)
    assert [one.label for one in found.on(measure="span-loss").frontier] == [
        one.label for one in by_loss.frontier
    ]


def test_measures_are_those_of_utility():
    """Of a release by levels, too, whose hierarchies were built."""
    asked = ka.Policy.from_columns(
        quasi_identifiers=["age", "sex", "town"], k=5, others="insensitive"
    )
    names = ["total-variation", "mse"]
    (one,) = compare(TABLE, asked, sweep={"algorithm": ["full-domain"]}, measures=names).trials
    assert all(one.utility[name] is not None for name in names)
    mondrian = asked.with_algorithm("mondrian")
    (one,) = compare(TABLE, mondrian, sweep={"k": [5]}, measures=names).trials
    parts = {name: getattr(one.policy, name) for name in type(one.policy).model_fields}
    release = ka.anonymize(TABLE, ka.Policy(**{**parts, "keep_order": True}))
    expected = ka.utility(TABLE, release.frame, one.policy, aligned=True, measures=names)
    assert {name: one.utility[name] for name in names} == {
        name: expected.measured[name].value for name in names
    }


def test_measures_of_a_release_know_its_records():
    """Where records are suppressed, those that are left are compared with their own originals."""
    (one,) = compare(
        TABLE,
        quasi_identifiers=["age", "sex", "town"],
        others="insensitive",
        sweep={"algorithm": ["full-domain"], "k": [5], "suppression_limit": [0.2]},
        measures=["mse"],
    ).trials
    assert one.suppressed
    release = ka.anonymize(TABLE, one.policy)
    expected = ka.utility(TABLE, release, measures=["mse"]).measured["mse"].value
    assert one.utility["mse"] == pytest.approx(expected)


def test_k_that_is_swept_is_the_privacy_that_judges():
    """Without several values of k it is the average risk, which every threshold moves."""
    assert compare(TABLE, ASKED, sweep={"k": [2, 8]}).privacy == "k"
    by_l = compare(
        TABLE,
        quasi_identifiers=["age", "sex", "town"],
        sensitive=["pay"],
        k=2,
        sweep={"l": [1, 2, 3]},
    )
    assert by_l.privacy == "average_risk"
    assert all(one.achieved["l-diversity of pay"] >= one.parameters["l"] for one in by_l.trials)
    assert by_l.on(privacy="k").privacy == "k"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"measures": ["gpc"]}, "'gpc' is an unknown measure; did you mean 'gcp'?"),
        ({"measures": "gcp"}, "give a list of measures"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_wrong_parameters_are_refused(given, message):
    """Each refusal names the parameter."""
    with pytest.raises(ka.PolicyError, match=message):
        compare(TABLE, ASKED, sweep=SWEEP, **given)


def test_a_table_without_records_or_with_another_column_is_refused():
    """What no combination could change is an error at once."""
    with pytest.raises(ka.DataError, match="no record"):
        compare(TABLE.clear(), ASKED, sweep=SWEEP)
    with pytest.raises(ka.SchemaError, match="extra"):
        compare(TABLE.with_columns(extra=1), ASKED, sweep=SWEEP)


def test_a_fault_of_the_table_ends_the_comparison():
    """An infinite number is wrong in every combination: an error, not a row."""
    table = TABLE.with_columns(age=pl.Series([math.inf] * len(TABLE)))
    with pytest.raises(ka.DataError):
        compare(table, ASKED, sweep=SWEEP, workers=2)


def test_what_one_algorithm_cannot_take_is_a_row():
    """A missing number stops mdav alone: its rows say which one, and mondrian has releases."""
    table = TABLE.with_columns(age=pl.when(pl.col("age") > 18).then("age"))
    asked = {"quasi_identifiers": ["age", "sex"], "others": "insensitive"}
    found = compare(table, **asked, sweep={"algorithm": ["mondrian", "mdav"], "k": [3, 5]})
    assert [one.has_release for one in found.trials] == [True, True, False, False]
    assert all("column 'age'" in one.reason for one in found.trials[2:])
    with pytest.raises(ka.DataError, match="column 'age'"):
        compare(table, **asked, sweep={"algorithm": ["mdav"], "k": [3, 5]})


def test_a_fault_is_not_kept(tmp_path):
    """A comparison goes on from its file with what a table stopped: it says so again."""
    path = tmp_path / "state.jsonl"
    table = TABLE.with_columns(age=pl.lit(None, pl.Int64))
    for _ in range(2):
        with pytest.raises(ka.DataError):
            compare(table, ASKED, sweep={"algorithm": ["mdav"], "k": [3, 5]}, resume=path)
    assert path.read_text() == ""


def test_persons_are_counted_where_the_model_counts_them():
    """Each has three records: the smallest class is told in persons, on the axis, too."""
    rows = pl.concat([TABLE.select("age", "sex", person=pl.int_range(pl.len()))] * 3)
    asked = ka.Policy(
        attributes={
            "person": ka.Identifier(),
            "age": ka.QuasiIdentifier(),
            "sex": ka.QuasiIdentifier(),
        },
        models=[ka.KAnonymity(2, entity="person")],
    )
    found = compare(rows, asked, sweep={"k": [5, 20]})
    for one in found.trials:
        release = ka.anonymize(rows, one.policy)
        assert one.k == release.verification.checks[0].achieved >= one.parameters["k"]
        assert 3 * one.k == release.verification.k
    assert found.axes == ("fewest people in a class", "span loss")
    assert found.to_dict()["counted"] == "persons"
    assert f"fewest people in a class {found.frontier[0].k}" in found.reason
    assert found.on(privacy="average_risk").axes[0] == "average risk"
    assert compare(TABLE, ASKED, sweep={"k": [2, 3]}).counted_unit == "records"


def test_values_of_a_sweep_may_be_generators():
    """They are read once, and stand in for a threshold that only the sweep states."""
    asked = {"quasi_identifiers": ["age", "sex"], "others": "insensitive"}
    found = compare(TABLE, **asked, sweep={"k": (k for k in (2, 5))})
    assert [one.parameters for one in found.trials] == [{"k": 2}, {"k": 5}]
    assert found.privacy == "k"
    with pytest.raises(ka.PolicyError, match="sweep of 'k': 5 is not a list of values"):
        compare(TABLE, **asked, sweep={"k": 5})


def test_progress_counts_to_the_end():
    """A line at the start and one for each combination; built hierarchies are told once."""
    lines = []
    asked = ka.Policy.from_columns(
        quasi_identifiers=["age", "sex", "town"], k=5, others="insensitive"
    )
    compare(TABLE, asked, sweep={"algorithm": ["full-domain"], "k": [2, 3]}, progress=lines.append)
    counted = [line for line in lines if line.startswith("compare: ")]
    assert [line.split()[1] for line in counted] == ["0", "1", "2"]
    assert [(line.done, line.total) for line in counted] == [(0, 2), (1, 2), (2, 2)]
    built = [line for line in lines if line.startswith("encode: ")]
    assert len(built) == len(set(built)) == 3


def test_what_is_known_is_not_done_again(tmp_path, monkeypatch):
    """A second comparison carries out what is missing, and nothing else."""
    path = tmp_path / "state.jsonl"
    compare(TABLE, ASKED, sweep={**SWEEP, "k": [2, 8]}, resume=path)
    done = []

    def counted(*given, **named):
        done.append(given)
        return ka.anonymize(*given, **named)

    monkeypatch.setattr(trials, "anonymize", counted)
    again = compare(TABLE, ASKED, sweep=SWEEP, resume=path)
    assert len(done) == 2
    assert told(again) == told(compare(TABLE, ASKED, sweep=SWEEP))
    done.clear()
    other = TABLE.with_columns(age=pl.col("age") + 1)
    compare(other, ASKED, sweep=SWEEP, resume=path)
    assert len(done) == 6


@pytest.mark.parametrize(
    "change",
    [
        {"further": 1},
        {"utility": None},
        {"utility": {}},
        {"k": "5"},
        {"reason": 3},
        {"utility": {"span-loss": True, "gcp": 0.1}},
        "utility",
        "seconds",
    ],
    ids=str,
)
def test_a_row_that_is_not_whole_is_done_again(tmp_path, change):
    """A field that is unknown, missing or of another type makes a line that is not read."""
    path = tmp_path / "state.jsonl"
    expected = told(compare(TABLE, ASKED, sweep={"k": [2]}, resume=path))
    line = json.loads(path.read_text())
    if isinstance(change, str):
        del line["row"][change]
    else:
        line["row"].update(change)
    path.write_text(json.dumps(line) + "\n")
    assert told(compare(TABLE, ASKED, sweep={"k": [2]}, resume=path)) == expected
    assert len(path.read_text().splitlines()) == 2
    assert told(compare(TABLE, ASKED, sweep={"k": [2]}, resume=path)) == expected
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_leaves_what_was_found(tmp_path, monkeypatch, workers):
    """Ctrl-C ends the comparison, and the file has whole lines of what was done by then."""
    path = tmp_path / "state.jsonl"

    def interrupt(line):
        if " 2 of " in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(TABLE, ASKED, sweep=SWEEP, resume=path, workers=workers, progress=interrupt)
    lines = path.read_text().splitlines()
    assert 2 <= len(lines) <= 5
    assert all(json.loads(line)["row"]["k"] for line in lines)
    done = []
    monkeypatch.setattr(
        trials, "anonymize", lambda *given, **named: done.append(1) or ka.anonymize(*given, **named)
    )
    compare(TABLE, ASKED, sweep=SWEEP, resume=path)
    assert len(done) == 6 - len(lines)


def test_no_value_of_the_table_is_kept(tmp_path):
    """Neither the state nor the result holds a cell of a quasi-identifier or sensitive one."""
    secret = TABLE.with_columns(pay=pl.Series(["very secret", "salary"] * (len(TABLE) // 2)))
    path = tmp_path / "state.jsonl"
    found = compare(secret, ASKED, sweep={"k": [2, 500]}, resume=path)
    for text in (path.read_text(), json.dumps(found.to_dict()), str(found), str(found.table)):
        assert "secret" not in text


def test_kmeans_finds_the_same_beside_others():
    """An algorithm that limits the threads of the process runs alone."""
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier()},
        others="insensitive",
        models=[],
        algorithm=ka.algorithms.KMeans(3),
    )
    sweep = {"algorithm.clusters": [3, 5, 8]}
    one, three = (compare(TABLE, asked, sweep=sweep, workers=n) for n in (1, 3))
    assert told(one) == told(three)
    assert [row["classes"] for row in told(one)] == [3, 5, 8]


def comparison(points, **given):
    """Return a comparison of releases of these (k, span loss)."""
    trials = [
        Trial(
            {"k": k},
            None,
            None,
            k=k,
            classes=3,
            suppressed=0,
            utility={"span-loss": loss},
            average_risk=1 / k,
        )
        for k, loss in points
    ]
    return Comparison(tuple(trials), 100, **given)


def test_the_knee_is_told_with_its_reason():
    """The sentences name the release, both ends, and the shares on either side."""
    found = comparison([(2, 0.1), (8, 0.2), (32, 1.1), (4, 0.9)])
    assert found.knee.parameters == {"k": 8}
    assert found.reason.replace("\N{NO-BREAK SPACE}", " ") == (
        "Take k 8 (smallest class 8, span loss 0.2), the knee of the frontier. It runs from k 2 "
        "(smallest class 2, span loss 0.1) to k 32 (smallest class 32, span loss 1.1). Up to the "
        "knee, 10 % of the loss buys 50 % of the privacy, counted in doublings; beyond it, 90 % "
        "buys 50 %."
    )


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([(2, 0.1), (4, 0.2), (8, 0.3)], "each doubling of privacy costs about as much"),
        ([(2, 0.1), (4, 0.2)], "two releases have no knee"),
    ],
)
def test_a_frontier_without_a_knee_says_so(points, said):
    """Then nothing is marked, and the reader has to know what is private enough."""
    found = comparison(points)
    assert found.knee is None
    assert found.reason.startswith("The frontier has no knee.")
    assert said in found.reason


def test_a_release_that_beats_all_others_is_the_one_to_take():
    """A frontier of one release needs no bend."""
    found = comparison([(9, 0.1), (4, 0.2), (8, 0.3)])
    assert found.knee is found.trials[0]
    assert found.reason.startswith("Take k 9 (smallest class 9, span loss 0.1): no other release")


def test_a_release_without_a_class_is_on_no_frontier():
    """Where all records are suppressed nothing is released that could be private."""
    (lost,) = comparison([(5, 1.0)]).trials
    nothing = Trial({}, None, None, k=0, classes=0, utility={"span-loss": 1.0}, average_risk=0.0)
    assert Comparison((lost, nothing), 5).frontier == (lost,)
    assert Comparison((nothing,), 5, "average_risk").frontier == ()


def guessed(k, value, guess):
    """Return a release with an accuracy beside that of a guess."""
    name = "accuracy-salary"
    return Trial(
        {"k": k}, None, None, k=k, classes=3, suppressed=0, utility={name: value},
        average_risk=1 / k, guesses={name: guess},
    )  # fmt: skip


def test_what_is_no_better_than_guessing_is_not_recommended():
    """The most private release is on no frontier where a guess predicts as well."""
    good, useless = guessed(5, 0.8, 0.75), guessed(500, 0.75, 0.75)
    found = Comparison((good, useless), 100, "k", "accuracy-salary")
    assert found.frontier == (good,)
    assert found.knee is good


def test_where_nothing_beats_guessing_nothing_is_recommended(tmp_path):
    """The reason says so, and no policy is written."""
    found = Comparison((guessed(5, 0.7, 0.75),), 100, "k", "accuracy-salary")
    assert found.knee is None
    assert "none is more useful than guessing" in found.reason
    with pytest.raises(ka.PolicyError, match="no release is recommended"):
        found.write_policy(tmp_path / "policy.yaml")


def test_a_measure_that_was_not_taken_judges_nothing():
    """The error says which ones there are."""
    with pytest.raises(ka.PolicyError, match="'pmse' was not measured; it was: span-loss, gcp"):
        comparison([(2, 0.1)]).on(measure="pmse")
    with pytest.raises(ka.PolicyError, match="unknown axis of privacy"):
        comparison([(2, 0.1)]).on(privacy="l")


@pytest.mark.parametrize("extension", ["csv", "parquet", "json"])
def test_the_table_is_written_in_any_format(tmp_path, extension):
    """The extension says the format."""
    path = tmp_path / f"table.{extension}"
    comparison([(2, 0.1), (4, 0.2)]).write(path)
    assert ka.read_table(path)["k"].to_list() == [2, 4]


def test_a_line_of_the_chart_without_swept_values_is_called_by_its_algorithm(tmp_path):
    """Beside a target, no target is the plain algorithm; where only k is swept, none is named."""
    sweep = {"k": [5, 20], "algorithm.target": [None, "pay"]}
    compare(TABLE, ASKED, sweep=sweep).chart(tmp_path / "both.svg")
    compare(TABLE, ASKED, sweep={"k": [5, 20]}).chart(tmp_path / "k.svg")
    both, alone = ((tmp_path / name).read_text("utf-8") for name in ("both.svg", "k.svg"))
    assert ">mondrian<" in both
    assert ">target pay<" in both
    assert ">mondrian<" not in alone
