"""Comparing releases and recommending a policy, through the command line and on real data."""

from __future__ import annotations

import json
import math
import shlex
import sys
import time

import pytest

import kanonym as ka
from kanonym.comparison import compare, recommend
from kanonym.data.example_tables import patients

RUN = "people.csv -q occupation,sex,postal_code -s diagnosis -i name,national_number"


@pytest.fixture
def run(kanonym, folder):
    """Return a function that runs a command beside `people.csv`: its code, output and errors."""
    ka.write_table(patients(300).drop("birth_date"), folder / "people.csv")

    def run(line, *more):
        code, out, error = kanonym(line, *more)
        return code, out.decode(), error

    return run


def test_a_comparison_writes_table_chart_and_state(run, folder):
    """The files are there, are named, and agree with what is printed as JSON."""
    line = (
        f"compare {RUN} --sweep algorithm=mondrian,full-domain --sweep k=2,5 "
        "-o table.csv --chart chart.html --resume state.jsonl --json"
    )
    code, out, _ = run(line)
    found = json.loads(out)
    assert code == 0
    assert found["written"] == ["table.csv", "chart.html", "state.jsonl"]
    assert [one["label"] for one in found["combinations"]] == [
        "mondrian, k 2",
        "mondrian, k 5",
        "full-domain, k 2",
        "full-domain, k 5",
    ]
    table = ka.read_table("table.csv")
    assert table["gcp"].to_list() == [one["utility"]["gcp"] for one in found["combinations"]]
    assert found["reason"] in (folder / "chart.html").read_text()
    assert len((folder / "state.jsonl").read_text().splitlines()) == 4
    again = json.loads(run(f"{line} --overwrite")[1])
    assert [one["seconds"] for one in again["combinations"]] == [
        one["seconds"] for one in found["combinations"]
    ]


def test_the_terminal_marks_the_frontier_and_says_what_to_take(run):
    """Releases in rows, refusals with their reason, and the sentence about the knee."""
    code, out, _ = run(f"compare {RUN} --sweep algorithm=mondrian,mdav --sweep k=3 --sweep l=2,3")
    assert code == 0
    assert "4, 2 with a release" in out
    assert "○ on the frontier" in out
    assert "mdav, k 3, l 2" in out
    assert "needs an algorithm that" in " ".join(out.split())


def test_persons_are_stated_as_for_its_siblings(run, folder):
    """`--rows persons` is of the policy that is compared and written."""
    code, _, error = run(
        "compare people.csv -q occupation --others insensitive --rows persons --sweep k=2 "
        "--sweep algorithm=mondrian --write best.yaml"
    )
    assert code == 0, error
    assert "rows: persons" in (folder / "best.yaml").read_text("utf-8")


def test_a_recoding_that_an_algorithm_cannot_have_is_told(run, folder):
    """The policy's recoding is left out for full-domain, and standard error says so, once."""
    (folder / "set.yaml").write_text(
        "attributes:\n  occupation: {role: quasi-identifier}\n  sex: {role: quasi-identifier}\n"
        "others: insensitive\nrows: persons\nrecoding: set\n"
        "models: [{type: k-anonymity, k: 2}]\n"
    )
    swept = "--sweep algorithm=mondrian,full-domain --sweep k=2,3"
    code, _, error = run(f"compare people.csv -p set.yaml {swept}")
    assert code == 0, error
    assert error.count("the policy's recoding set is ignored for full-domain") == 1
    assert "left out for mondrian" not in error


def test_without_a_sweep_four_algorithms_and_five_sizes_are_tried(run):
    """Neither k nor a sweep need be given."""
    code, out, _ = run(f"compare {RUN} --json")
    assert code == 0
    assert len(json.loads(out)["combinations"]) == 20


def test_other_measures_and_another_privacy_judge(run):
    """The measure that is named first is the axis; privacy may be the average risk."""
    line = f"compare {RUN} --sweep k=2,4 --measure total-variation --privacy average-risk --json"
    found = json.loads(run(line)[1])
    assert (found["measure"], found["privacy"]) == ("total-variation", "average_risk")
    assert all(one["utility"]["total-variation"] is not None for one in found["combinations"])


def test_forms_of_algorithms_can_be_swept(run):
    """A form in braces is one value, whatever commas it holds."""
    form = "algorithm={type: mondrian, split: span, strict: false},auto"
    found = json.loads(run(f"compare {RUN} -k 3 --json --sweep", form)[1])
    assert [one["label"] for one in found["combinations"]] == [
        "mondrian (split span, strict False)",
        "auto",
    ]


def test_a_comparison_without_a_release_ends_with_one(run):
    """The reasons are shown, and the exit code says that nothing was found."""
    code, out, _ = run(f"compare {RUN} --sweep k=500")
    assert code == 1
    assert "No combination produced a release" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{RUN} --sweep k", "is not KEY=VALUE,VALUE"),
        (f"{RUN} --sweep k=", "is not KEY=VALUE,VALUE"),
        (f"{RUN} -k 2 -o people.csv", "is INPUT already"),
        (f"{RUN} -k 2 --chart chart.pdf", "must end in .html, .svg, .png"),
        (f"{RUN} -k 2 --privacy l", "is none of k, average-risk"),
        (f"{RUN} -k 2 --json -o -", "cannot hold both"),
        ("people.csv --sweep k=2", "missing policy"),
    ],
)
def test_wrong_usage_is_refused(run, line, message):
    """What is no option's value is told with the option, and the code is 2."""
    code, out, error = run(f"compare {line}")
    assert (code, out) == (2, "")
    assert message in " ".join(error.split())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{RUN} -k 2 --sweep kk=2", "did you mean 'k'?"),
        (f"{RUN} -k 2 --sweep algorithm=mondrain", "did you mean 'mondrian'?"),
        (f"{RUN} -k 2 --measure gpc", "did you mean 'gcp'?"),
        (f"{RUN} -k 2 --resume people.csv", "people.csv"),
        (f"{RUN} -k 2 --chart none/chart.html", "the folder none does not exist"),
    ],
)
def test_what_cannot_be_compared_is_one_line(run, line, message):
    """Errors are one line, without a traceback."""
    code, out, error = run(f"compare {line}")
    assert code in (2, 3)
    assert out == ""
    assert message in error
    assert "Traceback" not in error


def test_a_file_that_is_no_state_stays_as_it_is(run, folder):
    """A table that is named as the state by mistake is refused."""
    (folder / "other.csv").write_text("a,b\n1,2\n")
    code, _, error = run(f"compare {RUN} -k 2 --resume other.csv")
    assert code == 3
    assert "holds something else than a comparison" in error
    assert (folder / "other.csv").read_text() == "a,b\n1,2\n"


def test_an_interrupted_comparison_says_where_it_goes_on(run, monkeypatch):
    """Ctrl-C is told in two lines, the first of which names the state."""

    def interrupted(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("kanonym.comparison.compare", interrupted)
    code, _, error = run(f"compare {RUN} -k 2 --resume state.jsonl")
    assert code == 130
    assert "state.jsonl has the results so far" in error


def test_a_recommended_policy_is_written_and_runs(run):
    """The reasons are shown, and the written policy is one that `anonymize` takes."""
    code, out, _ = run("recommend people.csv -k 3 --write first.yaml")
    assert code == 0
    assert "k is 3" in out
    policy = ka.Policy.from_file("first.yaml")
    release = ka.anonymize(ka.read_table("people.csv"), policy)
    assert release.verification.satisfied


def test_a_recommendation_is_json_as_well(run):
    """Policy, reasons and what was tried, in one object."""
    found = json.loads(run("recommend people.csv --json")[1])
    assert found["policy"]["models"][0] == {"type": "k-anonymity", "k": 5}
    assert len(found["comparison"]["combinations"]) == 3
    assert found["written"] == []


def test_a_table_that_is_too_small_has_no_policy(run, folder):
    """The error says what there is too little of."""
    ka.write_table(patients(3), folder / "few.csv")
    code, out, error = run("recommend few.csv")
    assert (code, out) == (1, "")
    assert "no release of this table satisfies" in error


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the US census extract, with the short forms of 8 quasi-identifiers."""
    folder = shared_data / "adult"
    frame = ka.read_table(folder / "adult.csv")
    names = [name for name in frame.columns if name != "salary-class"]
    trees = {name: ka.hierarchy.from_file(folder / f"hierarchy_{name}.csv") for name in names}
    return frame, {"quasi_identifiers": names, "hierarchies": trees, "others": "insensitive"}


@pytest.mark.nightly
def test_four_algorithms_and_five_sizes_of_adult_take_less_than_a_minute(adult):
    """No algorithm beats auto at its k; full-domain reaches a larger class than was asked for."""
    frame, asked = adult
    sweep = {
        "algorithm": ["mondrian", "segmentation", "auto", "full-domain"],
        "k": [2, 5, 10, 20, 50],
    }
    start = time.perf_counter()
    found = compare(frame, **asked, sweep=sweep)
    seconds = time.perf_counter() - start
    assert seconds < 60 or "coverage" in sys.modules
    assert all(one.has_release for one in found.trials)
    assert [one.label for one in found.frontier] == [
        "auto, k 2",
        "auto, k 5",
        "auto, k 10",
        "segmentation, k 20",
        "segmentation, k 50",
        "full-domain, k 50",
    ]
    assert found.knee.label == "segmentation, k 50"


def test_more_privacy_costs_more_on_adult(adult):
    """Of each algorithm, the loss grows with k."""
    frame, asked = adult
    sweep = {"algorithm": ["mondrian", "mdav", "full-domain"], "k": [2, 5, 20]}
    trials = compare(frame.gather_every(6), **asked, sweep=sweep).trials
    losses = [one.utility["gcp"] for one in trials]
    for place in range(0, 9, 3):
        assert losses[place] < losses[place + 1] <= losses[place + 2]
    assert all(math.isfinite(one) for one in losses)


@pytest.mark.nightly
def test_a_policy_for_adult_is_recommended(adult):
    """Income has two values, so entropy counts; local recoding loses least of all tried."""
    frame, _ = adult
    found = recommend(frame)
    size, diversity = found.policy.models
    assert (size.type, diversity.type, diversity.kind) == ("k-anonymity", "l-diversity", "entropy")
    assert isinstance(found.policy.algorithm, ka.LocalRecoding)
    losses = [one.utility["span-loss"] for one in found.comparison.trials]
    release = ka.anonymize(frame, found.policy)
    assert release.utility.span_loss == pytest.approx(min(losses)) == pytest.approx(0.264, abs=1e-3)


def test_the_recommended_release_can_be_run_as_printed(run, kanonym, folder):
    """The policy that --write writes, and the command that is printed, give that release."""
    sweep = f"compare {RUN} --sweep algorithm=mondrian --sweep k=10"
    code, out, _ = run(f"{sweep} --write best.yaml")
    assert code == 0
    (line,) = [line.strip() for line in out.splitlines() if line.startswith("  kanonym ")]
    assert line == "kanonym anonymize people.csv --policy best.yaml -o released.csv"
    assert kanonym(line.removeprefix("kanonym ")).code == 0
    first = (folder / "released.csv").read_bytes()
    _, out, _ = run(sweep)
    (line,) = [line.strip() for line in out.splitlines() if line.startswith("  kanonym ")]
    assert kanonym("", *shlex.split(line)[1:]).code == 0
    assert sorted((folder / "released.csv").read_bytes().split()) == sorted(first.split())
