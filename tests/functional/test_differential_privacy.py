"""Differential privacy from the policy to the files: what is refused, released and told."""

from __future__ import annotations

import json
import sqlite3
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.cli import main
from kanonym.data.errors import PolicyError
from kanonym.data.schema import Schema
from kanonym.differential_privacy.ledger import read_ledger
from kanonym.engines.local import LocalEngine
from kanonym.synthesis import draw_values
from kanonym.verification.findings import verify_release
from kanonym.verification.release_view import Mechanism, ReleaseView

JOBS = ka.hierarchy.from_mapping({"*": {"care": ["nurse", "doctor"], "craft": ["smith"]}})
AGES = ka.hierarchy.intervals(width=[10, 20], bottom=20, top=80)
RECORDS = 600


def table_of(n=RECORDS, **more):
    """Return ages and jobs of n persons."""
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {"age": rng.integers(18, 90, n), "job": rng.choice(["nurse", "doctor", "smith"], n), **more}
    )


def policy_of(*, model=None, algorithm=None, attributes=None, **options):
    """Return a policy of differential privacy; parts of it may be given."""
    return ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(hierarchy=AGES),
            "job": ka.QuasiIdentifier(hierarchy=JOBS),
            **(attributes or {}),
        },
        models=[{"type": "differential-privacy", "epsilon": 2, "delta": 1e-4, **(model or {})}],
        algorithm={"type": "full-domain", "levels": {"age": 2, "job": 1}, **(algorithm or {})},
        **options,
    )


# --- what is released ------------------------------------------------------------------


def test_a_release_has_classes_of_k_at_the_named_levels():
    """Its records are real ones, generalized; its verdict is by construction."""
    policy = policy_of()
    release = ka.anonymize(table_of(), policy)
    (check,) = release.verification.checks
    k = policy.models[0].sampling.k
    assert check.verdict == "by construction"
    assert f"at least {k} records" in check.rests_on
    assert release.frame.group_by("age", "job").len()["len"].min() >= k
    assert set(release.frame["job"]) <= {"care", "craft"}
    assert 0 < release.rows_out < RECORDS
    assert release.algorithm["levels"] == {"age": 2, "job": 1}


def test_two_releases_of_one_table_differ():
    """A sample is drawn anew each time."""
    made = [ka.anonymize(table_of(), policy_of()).algorithm["sampled"] for _ in range(6)]
    assert len(set(made)) > 1


def test_levels_are_drawn_within_their_bounds():
    """With a part of ε, all nodes of the lattice that the policy allows may be drawn."""
    policy = policy_of(model={"search_epsilon": 1}, algorithm={"levels": {"age": [1, 2]}})
    found = ka.anonymize(table_of(), policy)
    assert found.algorithm["drawn"]
    assert found.algorithm["lattice_size"] == 6
    assert found.algorithm["levels"]["age"] in (1, 2)
    assert policy.models[0].drawing_epsilon == Fraction(1)
    assert ka.verify(found.frame, policy).satisfied


def test_levels_follow_from_a_degree():
    """Named levels and bounds go before it."""
    policy = policy_of(algorithm={"degree": "complete", "levels": {"age": [1, 2]}})
    assert ka.anonymize(table_of(), policy).algorithm["levels"] == {"age": 2, "job": 2}


@pytest.mark.parametrize("metric", ["precision", "discernibility", "average-class-size"])
def test_levels_are_drawn_by_other_scores(metric):
    """And by non-uniform entropy and classification, whose scores have their own laws."""
    policy = policy_of(model={"search_epsilon": 1}, algorithm={"levels": {}, "metric": metric})
    assert ka.anonymize(table_of(), policy).algorithm["metric"] == metric


def test_levels_are_drawn_for_a_classifier():
    """The columns to be predicted are quasi-identifiers."""
    algorithm = {"levels": {}, "metric": "classification", "targets": ["job"]}
    policy = policy_of(model={"search_epsilon": 1}, algorithm=algorithm)
    assert ka.anonymize(table_of(), policy).algorithm["metric"] == "classification"


@pytest.mark.parametrize("n", [0, 1])
def test_small_tables_go_the_same_way(n):
    """No record is released, and no error tells how many there were."""
    for model in ({}, {"search_epsilon": 1}):
        levels = {} if model else {"age": 2, "job": 1}
        release = ka.anonymize(table_of(n), policy_of(model=model, algorithm={"levels": levels}))
        assert (release.rows_out, release.columns) == (0, ("age", "job"))


@pytest.mark.parametrize(
    "odd", [{"age": None}, {"job": "astronaut"}, {"age": 10**9}, {"job": None}, {"age": -5}]
)
def test_an_odd_record_raises_no_error(odd):
    """A value that no hierarchy lists, or an empty cell, is nobody's to learn."""
    record = pl.DataFrame({"age": [30], "job": ["nurse"]}).with_columns(
        pl.lit(value).cast(pl.Int64 if name == "age" else pl.String).alias(name)
        for name, value in odd.items()
    )
    with_it = pl.concat([table_of(), record])
    release = ka.anonymize(with_it, policy_of())
    assert release.columns == ("age", "job")
    assert release.frame.schema == ka.anonymize(table_of(), policy_of()).frame.schema


def test_one_record_of_each_person_takes_part():
    """With an entity the promise is one to persons, and a person with many records has one."""
    table = table_of(n=RECORDS, person=np.repeat(np.arange(RECORDS // 4), 4))
    policy = policy_of(
        attributes={"person": ka.Identifier()}, model={"entity": "person", "beta": 0.8}
    )
    release = ka.anonymize(table, policy)
    assert release.rows_out <= release.algorithm["sampled"] <= RECORDS // 4
    assert "at most one record of each person" in release.verification.checks[0].rests_on
    assert release.promise.protects == "person"


def test_records_that_name_no_person_take_no_part():
    """They may be of somebody who has a record already."""
    table = table_of(person=pl.Series([None] * RECORDS, dtype=pl.Int64))
    policy = policy_of(attributes={"person": ka.Identifier()}, model={"entity": "person"})
    assert ka.anonymize(table, policy).algorithm["sampled"] == 0


# --- what is refused -------------------------------------------------------------------

IDENTIFIED = {"name": ka.Identifier()}
REFUSED = {
    "a sensitive column": ({"attributes": {"s": ka.Sensitive()}}, r"s: is sensitive, and would"),
    "an insensitive column": ({"attributes": {"s": ka.Insensitive()}}, r"s: is insensitive, and"),
    "other columns": ({"others": "insensitive"}, r"others: is insensitive, and columns that"),
    "no hierarchy": ({"attributes": {"s": ka.QuasiIdentifier()}}, r"s.hierarchy: has no hierarchy"),
    "quantiles": (
        {"attributes": {"age": ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(quantiles=4))}},
        r"quantiles and open ends depend on the data",
    ),
    "rare values": (
        {"attributes": {"job": ka.QuasiIdentifier(hierarchy=ka.hierarchy.frequency())}},
        r"built from the data \(frequency\)",
    ),
    "a refusal": (
        {
            "attributes": {
                "n": ka.QuasiIdentifier(hierarchy=AGES, type="number", exceptions="refuse")
            },
            "algorithm": {"levels": {"age": 2, "job": 1, "n": 1}},
        },
        r"n.exceptions: a cell that the type does not read would stop the run",
    ),
    "an action": (
        {"attributes": {"job": ka.QuasiIdentifier(hierarchy=JOBS, action={"type": "redact"})}},
        r"job.action: an action is no part",
    ),
    "a pseudonym": (
        {"attributes": {"n": ka.Identifier(action={"type": "surrogate"})}, "rows": "persons"},
        r"n.action: an action is no part",
    ),
    "persons that may repeat": ({"attributes": IDENTIFIED}, r"rows: is missing: name may repeat"),
    "an entity of several": ({"model": {"entity": ["age", "age"]}}, "must be a valid string"),
    "an entity that is none": ({"model": {"entity": "age"}}, r"'age' must be an identifier"),
    "the order": ({"keep_order": True}, r"keep_order: tells which records were left out"),
    "a limit": ({"suppression_limit": 0.1}, r"suppression_limit: has no effect"),
    "another algorithm": ({"algorithm": {"type": "mdav"}}, r"algorithm: .*needs full-domain"),
    "a time limit": ({"algorithm": {"seconds": 3}}, r"steps, seconds and weights do not apply"),
    "an open level": ({"algorithm": {"levels": {"age": 2}}}, r"levels: names no level of job"),
    "a degree beside a draw": (
        {"model": {"search_epsilon": 1}, "algorithm": {"degree": "low"}},
        r"degree: fixes the levels",
    ),
    "a metric without a score": (
        {"model": {"search_epsilon": 1}, "algorithm": {"metric": "kl-divergence", "levels": {}}},
        r"metric: kl-divergence has no score",
    ),
}


@pytest.mark.parametrize(("given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_would_tell_of_the_table_is_refused(given, message):
    """In words, before a table is looked at."""
    given = dict(given)
    if given.get("algorithm", {}).get("type") == "mdav":
        with pytest.raises(PolicyError, match=message):
            policy_of().with_algorithm("mdav")
        return
    with pytest.raises(PolicyError, match=message):
        policy_of(**given)


def test_other_models_are_refused_beside_it():
    """What they suppress depends on the records."""
    with pytest.raises(PolicyError, match="k-anonymity beside differential-privacy"):
        ka.Policy(
            attributes={"job": ka.QuasiIdentifier(hierarchy=JOBS)},
            models=[
                {"type": "k-anonymity", "k": 5},
                {"type": "differential-privacy", "epsilon": 1, "delta": 1e-6},
            ],
            algorithm={"type": "full-domain", "degree": "low"},
        )


def test_parameters_of_it_are_refused_without_it():
    """A degree chooses no node of a search by loss."""
    with pytest.raises(PolicyError, match="degree: is for the model differential-privacy alone"):
        ka.Policy(
            attributes={"job": ka.QuasiIdentifier(hierarchy=JOBS)},
            models=[ka.KAnonymity(2)],
            algorithm={"type": "full-domain", "degree": "low"},
        )


def test_a_lattice_that_is_too_large_is_refused():
    """Every node is looked at before one is drawn."""
    many = {f"q{i}": ka.QuasiIdentifier(hierarchy=JOBS) for i in range(12)}
    policy = policy_of(model={"search_epsilon": 1}, algorithm={"levels": {}}, attributes=many)
    table = table_of(20, **{name: ["nurse"] * 20 for name in many})
    with pytest.raises(PolicyError, match=r"nodes, and the draw of the levels looks at each"):
        ka.anonymize(table, policy)


def test_engines_refuse_to_sample():
    """Records are drawn in this process alone."""
    with pytest.raises(PolicyError, match=r"differential-privacy: not supported by the engine duc"):
        ka.anonymize(ka.engines.scan_duckdb(table_of()), policy_of())


# --- what is told ----------------------------------------------------------------------


def test_a_seed_makes_a_release_not_private_everywhere(tmp_path):
    """Verdict, JSON, manifest, both reports and terminal say so; the ledger has no such entry."""
    policy = policy_of(seed=5)
    release = ka.anonymize(table_of(), policy, ledger=tmp_path / "ledger.json")
    again = ka.anonymize(table_of(), policy)
    assert release.frame.equals(again.frame)
    assert release.verification.verdict == "not private"
    assert release.verification.satisfied is False
    assert ka.verify(release.frame, policy).verdict == "not private"
    told = release.to_dict()
    assert told["differential_privacy"]["private"] is False
    assert told["verification"]["models"][0]["verdict"] == "not private"
    release.manifest(tmp_path / "manifest.json")
    release.public_manifest(tmp_path / "public.json")
    release.report(tmp_path / "holder.md")
    release.public_report(tmp_path / "public.md")
    for name in ("manifest.json", "public.json"):
        assert '"private": false' in (tmp_path / name).read_text()
    for name in ("holder.md", "public.md"):
        assert "NOT private" in (tmp_path / name).read_text()
    assert read_ledger(tmp_path / "ledger.json").spent == ()
    assert "not private" in str(release)


@pytest.mark.parametrize(("delta", "warned"), [(1e-6, False), (2e-4, True), (9e-5, True)])
def test_a_delta_that_publishes_records_is_found(delta, warned):
    """It is above 1e-4, or above one in the number of released records."""
    table = pl.DataFrame({"age": ["a", "b"] * 6_000})
    released = LocalEngine(table)
    view = ReleaseView(
        policy=ka.Policy.from_columns(quasi_identifiers=["age"], k=2),
        schema=Schema({"age": ka.QuasiIdentifier()}),
        released=released,
        labels=["age"],
        mechanism=Mechanism((), delta, repeatable=False),
    )
    found = verify_release(view).findings
    assert [one.kind for one in found] == ["large-delta"] * warned


def test_public_files_have_no_figure_of_the_table(tmp_path):
    """Two tables, one policy: what may go along is the same, byte for byte."""
    written = []
    for place, table in (("one", table_of()), ("other", table_of(950)[100:])):
        folder = tmp_path / place
        folder.mkdir()
        release = ka.anonymize(table, policy_of(), ledger=folder / "ledger.json")
        release.public_manifest(folder / "public.json")
        for form in ("html", "md", "json"):
            release.public_report(folder / f"report.{form}", language="es")
        written.append({one.name: one.read_bytes() for one in folder.glob("[pr]*")})
    assert len(written[0]) == 4
    assert written[0] == written[1]


def test_the_holders_figures_say_that_they_are(tmp_path):
    """JSON and report name who they are for."""
    release = ka.anonymize(table_of(), policy_of())
    assert "the holder of the table" in release.to_dict()["differential_privacy"]["audience"]
    release.report(tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    assert "are no part of the promise" in text
    assert "This is not differential privacy" not in text


def test_a_release_of_other_models_has_no_public_report(tmp_path):
    """All of its figures depend on the records."""
    release = ka.anonymize(table_of(), quasi_identifiers=["age", "job"], k=3)
    assert release.promise is None
    with pytest.raises(PolicyError, match="only a release under differential privacy"):
        release.public_report(tmp_path / "report.md")


@pytest.mark.parametrize(
    "change",
    [
        {"age": pl.lit("[30, 40)")},
        {"age": pl.col("age").str.replace("20", "21")},
        {"more": pl.lit(1)},
    ],
    ids=["another level", "no label", "another column"],
)
def test_verification_finds_what_the_mechanism_did_not_make(change):
    """A label of another level, none at all, or a column of which the policy says nothing."""
    frame = ka.anonymize(table_of(), policy_of()).frame.with_columns(**change)
    found = ka.verify(frame, policy_of(others="identifier"))
    assert found.verdict == "violated"
    assert found.findings[0].kind == "foreign-labels"


# --- the command line ------------------------------------------------------------------

POLICY = """\
version: 1
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {width: [10, 20], bottom: 20, top: 80}}}
  job: {role: quasi-identifier, hierarchy: {mapping: {nurse: care, doctor: care, smith: craft}}}
models: [{type: differential-privacy, epsilon: 2, delta: 1.0e-4}]
algorithm: {type: full-domain, levels: {age: 2, job: 1}}
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a folder with a table and a policy, and work there."""
    monkeypatch.chdir(tmp_path)
    table_of().write_csv("table.csv")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def command(*arguments):
    """Return the exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code


def run(*arguments):
    """Return the exit code of `anonymize`."""
    return command("anonymize", "table.csv", "--policy", "policy.yaml", *arguments)


def test_each_release_is_paid_for(files, capsys):
    """Without a ledger there is none; with one, releases add up, and its public total is told."""
    assert run("-o", "out.csv") == 2
    assert "--ledger" in capsys.readouterr().err
    assert not (files / "out.csv").exists()
    files_of_both = ("--ledger", "l.json", "--public-manifest", "p.json")
    for _ in range(2):
        assert run("-o", "out.csv", *files_of_both, "--overwrite") == 0
    assert read_ledger("l.json").epsilon == 4
    told = json.loads((files / "p.json").read_text())
    assert told["differential_privacy"]["spent_by_the_table"]["epsilon"] == 4
    assert told["output"]["file"] == "out.csv"
    assert "rows" not in json.dumps(told)
    assert "epsilon 4" in capsys.readouterr().out
    assert command("verify", "out.csv", "--policy", "policy.yaml", "--accept-findings") == 0
    assert "rests on" in capsys.readouterr().out


def test_a_dry_run_spends_nothing(files):
    """Nothing is released by it; what it prints is for the holder."""
    assert run("--dry-run", "--ledger", "l.json") == 0
    assert not (files / "l.json").exists()


def test_a_broken_ledger_stops_the_release(files):
    """What was spent before is not known."""
    (files / "l.json").write_text("{}")
    assert run("-o", "out.csv", "--ledger", "l.json") == 3
    assert not (files / "out.csv").exists()


@pytest.mark.usefixtures("files")
def test_values_drawn_by_class_are_refused(capsys):
    """They are those of the original records."""
    drawn = ("--drawn", "d.csv", "--drawn-by", "class")
    assert run("-o", "out.csv", "--ledger", "l.json", *drawn) == 2
    assert "no epsilon pays for" in " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("files")
def test_a_ledger_is_for_differential_privacy_alone():
    """Other models have no epsilon to add up."""
    asked = ("table.csv", "-q", "age,job", "-k", "3", "-o", "out.csv")
    assert command("anonymize", *asked, "--ledger", "l.json") == 2
    with pytest.raises(PolicyError, match="a ledger adds up epsilon"):
        ka.anonymize(table_of(), quasi_identifiers=["age", "job"], k=3, ledger="l.json")


def test_a_release_is_attacked_and_assessed_as_any_other():
    """Labels are read by the hierarchies of the policy, the root of unlisted values included."""
    table = table_of().with_columns(
        job=pl.when(pl.int_range(RECORDS) < 100).then(pl.lit("doctor")).otherwise("job")
    )
    release = ka.anonymize(table, policy_of())
    (found,) = ka.attack(table, release, attacks=["linkage"])
    assert 0 <= found.targets.rate < 0.1
    assert ka.assess(table, release).utility is not None


def test_epsilon_is_swept():
    """Releases of several ε are compared as those of several k are, for the holder of the table."""
    found = ka.compare(table_of(), policy_of(), sweep={"epsilon": [1.0, 2.0]})
    assert [one.parameters for one in found.trials] == [{"epsilon": 1.0}, {"epsilon": 2.0}]
    assert all(one.reason is None for one in found.trials)


def test_a_release_that_no_ledger_counts_says_so(tmp_path):
    """Its identity is by construction, and the finding says what is missing."""
    alone = ka.anonymize(table_of(), policy_of(rows="persons")).verification
    assert [one.kind for one in alone.findings] == ["unrecorded"]
    assert "not recorded in a ledger" in alone.findings[0].message
    assert {part.name: part.verdict for part in alone.parts}["identity"] == "by construction"
    policy = policy_of(rows="persons")
    counted = ka.anonymize(table_of(), policy, ledger=tmp_path / "ledger.json")
    assert (counted.verification.verdict, counted.verification.findings) == ("satisfied", ())


def test_values_of_a_class_are_not_drawn_in_python():
    """They are those of the original records; values of labels are public."""
    release = ka.anonymize(table_of(), policy_of())
    with pytest.raises(PolicyError, match="no epsilon pays for"):
        draw_values(release, by="class")
    assert draw_values(release, by="label", seed=1).frame.height == release.rows_out


def test_the_original_is_not_looked_at_by_verification():
    """A finding about records that were not released would tell of them."""
    table = table_of(stay=list(range(RECORDS // 4)) * 4).with_columns(pl.col("age").cast(pl.String))
    policy = policy_of(others="identifier", rows="persons")
    release = ka.anonymize(table, policy)
    assert [one.kind for one in release.verification.findings] == ["unrecorded"]
    beside = ka.verify(release.frame, policy, original=table)
    assert (beside.findings, beside.not_looked_for) == ((), ())


def test_a_table_of_a_database_is_refused_in_words(files, capsys):
    """Records are sampled in this process alone: no file is written, and no ledger."""
    with sqlite3.connect(files / "table.sqlite") as database:
        database.execute("create table people (age integer, job text)")
    asked = "anonymize table.sqlite --table people --policy policy.yaml -o out.csv --ledger l.json"
    assert command(*asked.split()) == 3
    assert "not supported by the engine" in " ".join(capsys.readouterr().err.split())
    assert not (files / "l.json").exists()


def test_check_reads_as_the_release_does(files):
    """Booleans beside a number in one JSON column stop neither."""
    lines = '{"age": 30, "job": "nurse"}\n{"age": true, "job": 7}\n'
    (files / "table.jsonl").write_text(lines)
    assert command("check", "policy.yaml", "table.jsonl") == 0
    asked = "anonymize table.jsonl --policy policy.yaml -o out.csv --ledger l.json"
    assert command(*asked.split()) == 0
