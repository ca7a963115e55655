"""`kanonym attack`: what intruders get from a release, through files."""

from __future__ import annotations

import time
from itertools import pairwise

import polars as pl
import pytest

import kanonym as ka
from attack_tables import people
from kanonym.data.files import read_table
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.sentences import VERDICTS

KNOWN = ["age", "zip", "sex"]
COLUMNS = "-q age,zip,sex -s disease"
OTHERS = """\
age,zip,sex,disease
24,01234,f,flu
44,04555,m,cold
30,01310,f,flu
91,99999,m,gout
"""
CONTRACT = {
    "type", "rate", "baseline", "control", "risk", "interval", "confidence", "attempts", "seed",
}  # fmt: skip
TRIED = [name for name, one in ATTACKS.items() if not one.needs_sets]
"""The attacks on tables without sets."""


@pytest.fixture
def release(folder, kanonym):
    """Write `released.csv`, a release of `patients.csv`, and `others.csv`, people not in it."""
    assert kanonym("anonymize patients.csv -p policy.yaml -o released.csv").code == 0
    (folder / "others.csv").write_text(OTHERS, "utf-8")
    return folder / "released.csv"


# --- what is told -----------------------------------------------------------------------


@pytest.mark.usefixtures("release")
def test_every_attack_is_told_by_the_contract(kanonym):
    """The JSON object is that of `ka.attack`: an entry an attack, with the contract's fields."""
    line = f"attack patients.csv released.csv {COLUMNS} --control others.csv --json"
    ran = kanonym(f"{line} --second released.csv --seed 3")
    assert ran.code == 0
    assert [one["type"] for one in ran.json["attacks"]] == TRIED
    for one in ran.json["attacks"]:
        assert one.keys() >= CONTRACT
        assert (one["confidence"], one["seed"]) == (0.95, 3)
        low, high = one["interval"]
        assert 0 <= low <= one["risk"] <= high <= 1
        assert bool(one["attempts"]) != ("reason" in one)
    table, released, others = map(read_table, ("patients.csv", "released.csv", "others.csv"))
    expected = ka.attack(
        table,
        released,
        quasi_identifiers=KNOWN,
        sensitive=["disease"],
        control=others,
        second=released,
        seed=3,
    )
    assert ran.json == expected.to_dict()


@pytest.mark.usefixtures("release")
def test_a_policy_says_which_columns_are_meant(kanonym):
    """With the policy of the release nothing else need be said."""
    by_policy = kanonym("attack patients.csv released.csv -p policy.yaml --json")
    by_name = kanonym(f"attack patients.csv released.csv {COLUMNS} --json")
    assert by_policy.code == by_name.code == 0
    # Of downcoding the policy says more: which digits a mask stands for.
    for one, other in zip(by_policy.json["attacks"][:-1], by_name.json["attacks"], strict=False):
        assert (one["type"], one["rate"]) == (other["type"], pytest.approx(other["rate"]))


def test_the_original_unchanged_is_full_success(kanonym):
    """Whoever publishes the table itself has everybody found and every disease told."""
    ran = kanonym(f"attack patients.csv patients.csv {COLUMNS} --aligned --json")
    found = {one["type"]: one for one in ran.json["attacks"]}
    for name in ("linkage", "homogeneity", "inference", "singling-out"):
        assert found[name]["rate"] == 1
        assert found[name]["risk"] == 1


def test_hold_out_makes_release_and_control(kanonym, folder):
    """The share of the table is the control of a release of the rest; no file is written."""
    people(80).drop("cost").write_csv(folder / "many.csv")
    (folder / "known.yaml").write_text(
        "{version: 1, others: insensitive, models: [{type: k-anonymity, k: 4}], attributes: "
        "{age: {role: quasi-identifier}, sex: {role: quasi-identifier}, "
        "disease: {role: sensitive}}}",
        "utf-8",
    )
    before = sorted(folder.iterdir())
    line = "attack many.csv -p known.yaml --json --attack linkage,membership,inference"
    ran = kanonym(f"{line} --hold-out 0.25")
    found = {one["type"]: one for one in ran.json["attacks"]}
    assert (found["linkage"]["attempts"], found["membership"]["attempts"]) == (60, 20)
    assert found["inference"]["control"] is not None
    assert sorted(folder.iterdir()) == before
    assert kanonym(f"{line} --hold-out 0.25").json == ran.json
    assert kanonym(f"{line} --hold-out 0.25 --seed 1").json != ran.json


@pytest.mark.usefixtures("release")
@pytest.mark.parametrize(
    "asked", ["--attack linkage,skewness", "--attack linkage --attack skewness"]
)
def test_attacks_are_chosen_by_name(kanonym, asked):
    """Separated by commas or one an option, in the order given."""
    ran = kanonym(f"attack patients.csv released.csv {COLUMNS} --json {asked} --attempts 5")
    assert [one["type"] for one in ran.json["attacks"]] == ["linkage", "skewness"]
    assert [one["attempts"] for one in ran.json["attacks"]] == [5, 5]


@pytest.mark.usefixtures("release")
def test_a_second_release_is_intersected(kanonym):
    """Without one the attack says so."""
    line = f"attack patients.csv released.csv {COLUMNS} --json --attack intersection"
    (alone,) = kanonym(line).json["attacks"]
    assert alone["attempts"] == 0
    assert "no second release" in alone["reason"]
    (both,) = kanonym(f"{line} --second patients.csv").json["attacks"]
    assert (both["attempts"], both["rate"], both["baseline"]) == (8, 1, 1)


def test_standard_input_is_one_of_the_tables(kanonym, release):
    """`-` is the original, the release, the control or the second release."""
    line = f"attack patients.csv released.csv {COLUMNS} --control others.csv --json"
    for place in ("patients.csv", "released.csv", "others.csv"):
        content = (release.parent / place).read_bytes()
        assert kanonym(line.replace(place, "-", 1), stdin=content).json == kanonym(line).json
    second = f"attack patients.csv released.csv {COLUMNS} --json --second"
    content = release.read_bytes()
    assert kanonym(f"{second} -", stdin=content).json == kanonym(f"{second} released.csv").json


@pytest.mark.usefixtures("release")
def test_hierarchies_read_the_labels(kanonym, folder):
    """A label that no interval, set or mask is, is read by the hierarchy file of its column."""
    (folder / "sex.csv").write_text("f;person\nm;person\n", "utf-8")
    text = (folder / "patients.csv").read_text("utf-8")
    (folder / "out.csv").write_text(text.replace(",f,", ",person,").replace(",m,", ",person,"))
    line = "attack patients.csv out.csv -q age,sex -s disease --json"
    read = kanonym(f"{line} --hierarchy sex=sex.csv --control patients.csv --attack inference")
    assert read.json["attacks"][0]["control"] == read.json["attacks"][0]["rate"]
    assert kanonym(line).code == 3


@pytest.mark.usefixtures("release")
def test_inputs_are_not_modified(kanonym, folder):
    """Attacking writes no file."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert kanonym("attack patients.csv released.csv -p policy.yaml").code == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- on the terminal --------------------------------------------------------------------


@pytest.mark.parametrize("width", ["80", "120"])
def test_tables_fit_into_the_terminal(kanonym, folder, monkeypatch, width):
    """No name is broken, no line too long; what could not be tried stands apart with its reason."""
    monkeypatch.setenv("COLUMNS", width)
    people(60).drop("cost").write_csv(folder / "many.csv")
    ran = kanonym("attack many.csv many.csv -q age,sex,town -s disease --control many.csv")
    assert ran.code == 0
    assert max(map(len, ran.text.splitlines())) <= int(width)
    tried, told, idle = ran.text.partition("In percent.")
    assert told
    for name in TRIED:
        untried = name in ("known-records", "similarity", "intersection", "minimality")
        part = idle if untried else tried
        assert f" {name} " in part
    assert "there is no second release" in " ".join(idle.split())
    assert {"rate", "baseline", "control", "risk", "interval"} <= set(tried.split())


def test_the_widest_numbers_fit(kanonym, folder, monkeypatch):
    """An interval from 0 to 100 percent beside a rate of 100 does not break the lines."""
    monkeypatch.setenv("COLUMNS", "80")
    (folder / "two.csv").write_text("age,height,ill\n30,150,a\n60,190,b\n", "utf-8")
    ran = kanonym("attack two.csv two.csv -q age,height -s ill --control two.csv")
    assert max(map(len, ran.text.splitlines())) <= 80
    line = next(one for one in ran.text.splitlines() if "similarity-reid" in one)
    assert line.split()[0] == "similarity-reidentification"
    assert line.split()[-3:] == ["0.0", "to", "100.0"]


def test_the_list_has_every_attack_with_its_question(kanonym):
    """`--list` needs no table, and asks in plain words."""
    ran = kanonym("attack --list")
    assert ran.code == 0
    told = " ".join(ran.text.split())
    for name, attack in ATTACKS.items():
        assert f" {name} " in ran.text
        assert attack.question.split()[-1] in told


# --- limits -----------------------------------------------------------------------------


@pytest.mark.usefixtures("release")
@pytest.mark.parametrize(
    ("limits", "released", "code", "verdicts"),
    [
        ("{linkage: 0.2}", "patients.csv", 1, ["exceeded"]),
        ("{linkage: 1.0}", "released.csv", 0, ["kept"]),
        ("{linkage: 0.3}", "released.csv", 0, ["undecided"]),
        ("{inference: 0.5}", "released.csv", 0, ["not run"]),
        ("{inference: 0.5, linkage: 0.1}", "patients.csv", 1, ["exceeded", "not run"]),
    ],
)
def test_limits_of_the_policy_are_judged(kanonym, folder, limits, released, code, verdicts):
    """A limit that is surely exceeded ends with 1; the terminal and JSON have each verdict."""
    with (folder / "policy.yaml").open("a", encoding="utf-8") as file:
        file.write(f"attack_limits: {limits}\n")
    line = f"attack patients.csv {released} -p policy.yaml --attack linkage"
    ran = kanonym(f"{line} --json")
    assert ran.code == code
    found = ran.json["limits"]
    assert [one["verdict"] for one in found["attacks"]] == verdicts
    assert found["verdict"] == min(verdicts, key=VERDICTS.index)
    assert ("above the limit of the policy: linkage" in ran.error) is (code == 1)
    told = kanonym(line)
    assert told.code == code
    said = " ".join(told.text.partition("limit of the policy")[2].split())
    words = {"kept": "is kept.", "exceeded": "is exceeded.", "undecided": "undecided."}
    for one in found["attacks"]:
        assert f"{one['type']}: " in said
        assert words.get(one["verdict"], "is unknown") in said


@pytest.mark.usefixtures("release")
def test_without_limits_nothing_is_judged(kanonym):
    """The policy sets none: no verdict, and exit code 0 whatever the attacks find."""
    ran = kanonym("attack patients.csv patients.csv -p policy.yaml --attack linkage --json")
    assert ran.code == 0
    assert ran.json["attacks"][0]["risk"] == 1
    assert "limits" not in ran.json
    assert "Limits" not in kanonym("attack patients.csv released.csv -p policy.yaml").text


def test_limits_are_given_on_the_command_line(kanonym, folder, refused):
    """`--attack-limit` names an attack and its limit; the report judges it."""
    line = "anonymize patients.csv -p policy.yaml -o out.csv --report report.md"
    assert kanonym(f"{line} --attack-limit linkage=1,inference=1").code == 0
    report = (folder / "report.md").read_text("utf-8")
    assert "**Attacks: all 2 limits are kept.**" in report
    assert "did you mean 'linkage'" in refused(f"{line} --attack-limit linkge=0.2")
    wrong = kanonym(f"{line} --attack-limit linkage")
    assert (wrong.code, "'linkage' is not NAME=NUMBER" in wrong.error) == (2, True)


# --- wrong usage ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("attack", "ORIGINAL"),
        ("attack patients.csv", "name a release, or use --hold-out"),
        ("attack patients.csv patients.csv", "missing columns: give --policy"),
        ("attack patients.csv patients.csv -p policy.yaml -q age", "not allowed with --policy"),
        ("attack patients.csv patients.csv -p policy.yaml --hold-out 0.2", "name a release, or"),
        ("attack patients.csv -q age --hold-out 0.2", "needs --policy"),
        ("attack patients.csv -p policy.yaml --hold-out 0.2 --control o.csv", "its own control"),
        ("attack patients.csv -p policy.yaml --hold-out 0.2 --aligned", "needs --policy"),
        ("attack patients.csv -p policy.yaml --hold-out 0", "0 is not between 0 and 1"),
        ("attack patients.csv -p policy.yaml --hold-out 1", "1 is not between 0 and 1"),
        ("attack patients.csv -p policy.yaml --hold-out nan", "nan is not between 0 and 1"),
        ("attack patients.csv -p policy.yaml --hold-out much", "--hold-out"),
        ("attack - - -q age", "standard input can be read once"),
        ("attack - patients.csv -q age --control -", "standard input can be read once"),
        ("attack patients.csv - -q age --second -", "standard input can be read once"),
        ("attack patients.csv patients.csv -q age --attempts 1", "--attempts"),
        ("attack patients.csv patients.csv -q age --seed -1", "--seed"),
        ("attack patients.csv patients.csv -q age --hierarchy age", "is not COLUMN=FILE"),
        ("attack patients.csv patients.csv patients.csv -q age", "unexpected extra argument"),
        ("attack patients.csv patients.csv -q age --colour red", "--colour"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_touches_nothing(kanonym, folder, line, said):
    """A command that makes no sense ends with 2 before anything is read or written."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = kanonym(line)
    assert ran.code == 2
    assert ran.out == b""
    assert said in " ".join(ran.error.split())
    assert "Traceback" not in ran.error
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- the data says no -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("attack nowhere.csv patients.csv -q age", "no file nowhere.csv"),
        ("attack patients.csv nowhere.csv -q age", "no file nowhere.csv"),
        ("attack patients.csv patients.csv -q age --control nowhere.csv", "no file nowhere.csv"),
        ("attack patients.csv patients.csv -q age --second nowhere.csv", "no file nowhere.csv"),
        ("attack patients.csv patients.csv -p nowhere.yaml", "nowhere.yaml"),
        ("attack patients.csv patients.csv -q age --attack linkge", "did you mean 'linkage'"),
        ("attack patients.csv patients.csv -q age,height", "no column for: height"),
        ("attack patients.csv patients.csv -q age -s height", "no such column: 'height'"),
        ("attack patients.csv patients.csv -q age -s age", "both quasi-identifying and sensitive"),
        ("attack patients.csv one.csv -q age", "the original has no column"),
        ("attack patients.csv patients.csv -q age --control one.csv", "the control has no column"),
        ("attack patients.csv patients.csv -q age --control old.csv", "is String in the control"),
        ("attack patients.csv patients.csv -q age --second one.csv", "the second release has none"),
        ("attack patients.csv old.csv -q age", "column 'age', row 2 of the release: 'old'"),
        ("attack patients.csv short.csv -q age --aligned", "they are not aligned"),
        ("attack empty.csv patients.csv -q age", "the original has no record"),
        ("attack patients.csv -p policy.yaml --hold-out 0.01", "both parts need at least one"),
    ],
)
def test_data_that_cannot_be_attacked_is_one_line_and_exit_code_3(refused, folder, line, said):
    """What is wrong with the data is one line, without a traceback, and no file is left."""
    table = read_table(folder / "patients.csv")
    age = pl.Series(["23", "old", *["30"] * 6])
    table.with_columns(age=age).write_csv(folder / "old.csv")
    table[:3].write_csv(folder / "short.csv")
    (folder / "one.csv").write_text("height\n180\n", "utf-8")
    (folder / "empty.csv").write_text("age\n", "utf-8")
    if "one.csv -q age" in line and "--" not in line:
        (folder / "one.csv").write_text("age,height\n23,180\n", "utf-8")
        line = line.replace("-q age", "-q height")
    assert said in refused(line)


# --- the US census extract --------------------------------------------------------------

SENSITIVE = ["occupation", "salary-class"]


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the table of 30,162 records, and a function from k to a policy of it."""
    folder = shared_data / "adult"
    table = ka.read_table(folder / "adult.csv")
    trees = {
        name: ka.hierarchy.from_file(folder / f"hierarchy_{name}.csv") for name in table.columns
    }

    def policy(k, *models):
        return ka.Policy(
            attributes={
                name: ka.Sensitive(tree) if name in SENSITIVE else ka.QuasiIdentifier(tree)
                for name, tree in trees.items()
            },
            models=[ka.KAnonymity(k), *models],
        )

    return table, policy


@pytest.mark.nightly
def test_adult_is_attacked_within_a_minute_and_less_at_growing_k(adult):
    """All attacks on 24,130 persons beside 6,032 others: what they gain falls as k grows."""
    table, policy = adult
    sweep = []
    for k in (2, 100):
        begun = time.perf_counter()
        found = ka.attack(table, policy=policy(k), hold_out=0.2)
        assert time.perf_counter() - begun < 60
        idle = [one.type for one in found.results if not one.targets.attempts]
        assert idle == ["intersection"]
        sweep.append(found)
    for name in ATTACKS:
        for less, more in pairwise(sweep):
            # The rate of which attribute is told may change; the risk is that of the worst.
            assert more[name].risk <= less[name].risk + 0.03, name
    first, last = sweep[0], sweep[-1]
    for name in ("linkage", "inference", "singling-out", "skewness"):
        assert first[name].risk > last[name].risk
    assert first["linkage"].targets.rate > 0.1
    assert last["linkage"].targets.rate < 0.01
    assert last["homogeneity"].targets.rate < 0.01


def test_adult_with_l_diversity_is_not_homogeneous(adult):
    """Where each class has two values of both attributes, homogeneity learns nobody's."""
    table, policy = adult
    models = [ka.LDiversity(name, 2) for name in SENSITIVE]
    plain, diverse = (
        ka.attack(table, ka.anonymize(table, asked), attacks=["homogeneity"])["homogeneity"]
        for asked in (policy(2), policy(2, *models))
    )
    assert plain.targets.rate > 0.05
    assert diverse.targets.rate == 0


def test_a_hold_out_that_leaves_too_few_records_ends_with_1(refused):
    """The release that would be attacked cannot meet its policy."""
    error = refused("attack patients.csv -p policy.yaml --hold-out 0.9", expected=1)
    assert "no release of this table" in error
