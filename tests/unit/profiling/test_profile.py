"""The profile of a table, and the policy that it writes."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, time, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym import profiling
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.example_tables import patients
from kanonym.data.schema import Role
from kanonym.profiling import minimal, profile
from kanonym.profiling.identifiers.sample import finding_by_values, share_reason

COLUMNS = {
    "name": ["Ada Roth", "Emil Koch", "Eva Lang", "Jan Moser"] * 3,
    "age": [23, 25, 41, 42, 58, 59, 23, 25, 41, 42, 58, None],
    "city": ["Ulm", "Ulm", "Bonn", "Bonn", "Kiel", "Kiel"] * 2,
    "disease": ["flu", "cold", "asthma"] * 4,
}


def test_roles_are_the_same_on_every_frame_library(frame):
    """pandas, polars and pyarrow tables have one profile."""
    found = profile(frame(COLUMNS))
    assert found.names(Role.IDENTIFIER) == ["name"]
    assert found.names(Role.QUASI_IDENTIFIER) == ["age", "city"]
    assert found.names(Role.SENSITIVE) == ["disease"]
    assert found.columns[1].content.nulls == 1


def test_the_numbers_are_those_of_measure():
    """The k and the uniques of the proposed quasi-identifiers are what `measure` says of them."""
    table = patients(400)
    found = profile(table)
    known = found.names(Role.QUASI_IDENTIFIER)
    measured = ka.measure(table, quasi_identifiers=known)
    assert found.together.smallest == measured.k
    assert found.together.uniques == measured.uniques
    assert found.together.distinct == measured.classes
    assert found.to_dict()["k"] == measured.k


def test_no_value_of_a_person_is_told():
    """Neither the JSON form nor the policy holds a value of the table."""
    table = patients(300)
    found = profile(table)
    said = json.dumps(found.to_dict()) + found.policy_text()
    for column in ("name", "national_number", "postal_code", "birth_date", "diagnosis"):
        for value in table[column].cast(pl.String).unique():
            assert not re.search(rf"(?<![\d.]){re.escape(value)}(?!\d)", said)


def test_the_policy_states_what_the_profile_found():
    """Roles, hierarchies and models of the built policy are those of the profile."""
    found = profile(pl.DataFrame(COLUMNS))
    policy = found.policy(k=3)
    assert [str(one.role) for one in policy.attributes.values()] == [
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
        "sensitive",
    ]
    assert [(one.type, one.attribute) for one in policy.models] == [
        ("k-anonymity", None),
        ("l-diversity", "disease"),
    ]
    suggested = {one.name: one.content.suggestion.builder for one in found.columns}
    assert policy.attributes["age"].hierarchy == suggested["age"]


def test_lists_are_suggested_for_columns_of_a_few_texts_alone():
    """Dates, numbers, codes and columns of many values get a hierarchy, and no lists."""
    n = 60
    table = pl.DataFrame(
        {
            "birth_date": pl.date_range(pl.date(1950, 1, 1), pl.date(1950, 3, 1), eager=True).head(
                n
            ),
            "age": [20 + i % 40 for i in range(n)],
            "zip": [f"{i % 9:02}0{i % 7}1" for i in range(n)],
            "ward": [f"W{i % 3}" for i in range(n)],
            "occupation": [
                ("nurse", "cook", "clerk", "baker", "smith", "tailor")[i % 6] for i in range(n)
            ],
            "sex": [("f", "m")[i % 2] for i in range(n)],
        }
    )
    policy = profile(table, quasi_identifiers=table.columns).policy(2)
    assert [name for name, one in policy.attributes.items() if one.hierarchy is None] == ["sex"]
    release = ka.anonymize(table, policy)
    longest = {name: one.longest_list for name, one in release.utility.coverage.items()}
    assert {name for name, length in longest.items() if length > 1} <= {"sex"}


def test_every_reason_stands_above_its_attribute(tmp_path):
    """The written policy has the evidence of each column as comments, and reads back."""
    found = profile(pl.DataFrame(COLUMNS))
    found.write_policy(tmp_path / "policy.yaml", k=4)
    text = (tmp_path / "policy.yaml").read_text("utf-8")
    plain = " ".join(line.strip().removeprefix("#").strip() for line in text.splitlines())
    for one in found.columns:
        for reason in one.evidence:
            assert reason[1:] in plain
    assert ka.Policy.from_file(tmp_path / "policy.yaml") == found.policy(k=4)


@pytest.mark.parametrize(("frequent", "t"), [(85, 0.07), (99, 0.02)])
def test_a_frequent_value_asks_for_t_closeness(frequent, t):
    """Where more than 80 % have one value, distinct l-diversity would be hollow."""
    values = ["flu"] * frequent + ["cold"] * (100 - frequent)
    policy = profile(pl.DataFrame({"age": [1, 2] * 50, "disease": values})).policy()
    assert policy.models[1:] == (ka.TCloseness("disease", t=t),)
    assert not any(one.type == "l-diversity" for one in policy.models)


def test_no_class_of_a_suggested_policy_is_nearly_all_one_value():
    """Where 85 % share a value, t-closeness keeps classes from telling it, and nothing warns."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {"age": rng.integers(18, 90, 400), "hiv": rng.permutation(["no"] * 340 + ["yes"] * 60)}
    )
    release = ka.anonymize(table, profile(table).policy(), rows="persons")
    assert "dominant-value" not in [one.kind for one in release.verification.findings]
    assert release.verification.n_classes > 1


@pytest.mark.parametrize(
    ("counts", "kind"),
    [
        ([75, 25], "entropy"),
        ([40, 35, 25], "entropy"),
        ([55, 15, 10, 10, 10], "entropy"),
        ([40, 20, 20, 20], "distinct"),
    ],
)
def test_entropy_is_asked_where_two_distinct_values_would_be_hollow(counts, kind):
    """Of few values, or one that most records have, a class could hold all but one record."""
    diseases = [f"disease {i}" for i, count in enumerate(counts) for _ in range(count)]
    table = pl.DataFrame({"age": [1, 2] * 50, "disease": diseases})
    _, model = profile(table).policy().models
    assert model.kind == kind
    release = ka.anonymize(table, profile(table).policy())
    classes = release.frame.group_by("age").agg(pl.col("disease").value_counts())
    shares = [
        max(one["count"] for one in values) / sum(one["count"] for one in values)
        for values in classes["disease"].to_list()
    ]
    assert max(shares) < 0.95


@given(st.lists(st.integers(1, 60), min_size=2, max_size=8))
def test_the_diversity_that_is_asked_holds_of_the_whole_table(counts):
    """A release exists, whatever the shares of the values are."""
    diseases = [f"disease {i}" for i, count in enumerate(counts) for _ in range(count)]
    table = pl.DataFrame({"age": range(len(diseases)), "disease": diseases})
    found = profile(table)
    asked = [model for model in found.policy().models if model.type == "l-diversity"]
    n = sum(counts)
    entropy = -sum(count / n * math.log(count / n) for count in counts)
    for model in asked:
        assert 1 < model.l <= (math.exp(entropy) if model.kind == "entropy" else len(counts))


ODD_NAMES = ["a: b", "yes", "1", "#x", "ä ö", "-", "line\nbreak", "it's", '"', "{c}", "null"]


def test_odd_column_names_are_written_so_that_they_read_back():
    """YAML reads every column's name as it is."""
    table = pl.DataFrame({name: [1, 2, 1, 2] for name in ODD_NAMES})
    assert list(profile(table).policy(k=2).attributes) == ODD_NAMES


VALUES = {
    "integer": st.integers(-1000, 1000),
    "real": st.floats(-1e6, 1e6),
    "text": st.text(max_size=4),
    "truth": st.booleans(),
    "day": st.dates(),
    "moment": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    "time": st.times(),
}


@settings(max_examples=examples(40))
@given(st.data())
def test_the_policy_of_any_table_runs_unedited(data):
    """Whatever the columns hold, the release satisfies the policy that was suggested."""
    n = data.draw(st.integers(5, 12))
    table = {
        name: pl.Series(
            name, data.draw(st.lists(st.one_of(st.none(), kind), min_size=n, max_size=n))
        )
        for name, kind in VALUES.items()
    }
    frame = pl.DataFrame(list(table.values())).with_columns(pl.lit(0).alias("constant"))
    found = profile(frame)
    assert found.names(Role.INSENSITIVE)[-1] == "constant"
    for one in found.columns:
        assert one.role is not Role.INSENSITIVE or one.content.constant
    if found.names(Role.QUASI_IDENTIFIER):
        assert ka.anonymize(frame, found.policy()).verification.satisfied


def test_columns_that_cannot_be_recoded_are_dropped_and_said():
    """Lists are identifiers; categories, durations and the like are recoded."""
    n = 12
    table = pl.DataFrame(
        {
            "tags": [["a"]] * n,
            "size": [1.0, float("inf")] * 6,
            "kind": pl.Series(["x", "y"] * 6, dtype=pl.Categorical),
            "grade": pl.Series(["low", "high"] * 6, dtype=pl.Enum(["low", "high"])),
            "stay": [timedelta(days=day) for day in range(n)],
            "at": [time(hour) for hour in range(n)],
        }
    )
    found = profile(table)
    assert found.names(Role.IDENTIFIER) == ["tags", "size"]
    assert "List" in found.columns[0].evidence[0]
    assert ka.anonymize(table, found.policy()).verification.satisfied


def test_named_quasi_identifiers_are_taken_as_such():
    """The caller's word counts more than what the column looks like."""
    found = profile(pl.DataFrame(COLUMNS), quasi_identifiers=["name"])
    assert found.names(Role.QUASI_IDENTIFIER) == ["name", "age", "city"]


def test_wrong_names_are_refused():
    """A named column that the table lacks, or a text for a list, is an error."""
    with pytest.raises(SchemaError, match="did you mean 'age'"):
        profile(pl.DataFrame(COLUMNS), quasi_identifiers=["agee"])
    with pytest.raises(SchemaError, match="give a list"):
        profile(pl.DataFrame(COLUMNS), quasi_identifiers="age")
    with pytest.raises(DataError):
        profile({"age": [1]})


def test_a_table_without_records_has_a_profile():
    """Nothing is known of the columns, so all that is not named an identifier is doubtful."""
    found = profile(
        pl.DataFrame({"name": [], "age": []}, schema={"name": pl.String, "age": pl.Int64})
    )
    assert found.names(Role.INSENSITIVE) == []
    assert json.dumps(found.to_dict())


def test_stages_are_told():
    """A listener hears what is being done."""
    heard = []
    profile(pl.DataFrame(COLUMNS), progress=heard.append)
    assert heard == ["read", "columns", "sets"]


def test_the_order_of_the_rows_counts_for_numbers_of_records_only():
    """Shuffled rows have the same profile."""
    table = patients(300, seed=2)
    rows = np.random.default_rng(0).permutation(300)
    assert profile(table[rows]).to_dict() == profile(table).to_dict()


def test_free_text_is_read_if_asked_for(monkeypatch):
    """What is written in texts is evidence, too, where the caller wants them read."""
    texts = [f"seen at home on day {at}, tired, with a cough and fever" for at in range(60)]
    table = pl.DataFrame({"notes": texts, "age": [at % 5 for at in range(60)]})
    finding = finding_by_values("e-mail address", 0.01, share_reason("mentions", 0.01))
    read = []
    monkeypatch.setattr(
        profiling.identifiers, "find_in_text", lambda one: read.append(one.name) or (finding,)
    )
    assert finding.evidence not in profile(table).columns[0].evidence
    assert read == []
    found = profile(table, free_text=True).columns[0]
    assert read == ["notes"]
    assert finding.evidence in found.evidence
    assert "e-mail address" in found.kinds


@pytest.mark.parametrize("persons", [1, 2])
def test_identifiers_of_one_or_two_persons_are_not_released(persons):
    """However often a person's records repeat them, direct identifiers are dropped."""
    n = 24
    who = [at * persons // n for at in range(n)]
    table = pl.DataFrame(
        {
            "name": [["Anna Schmidt", "Peter Maier"][at] for at in who],
            "email": [["anna@x.org", "peter@x.org"][at] for at in who],
            "ssn": [["123-45-6789", "123-45-6780"][at] for at in who],
            "phone": [["+49 30 1234567", "+49 30 1234568"][at] for at in who],
            "customer_id": [1001 + at for at in who],
            "passport": [f"C01X00T4{at}" for at in who],
            "country": ["Germany"] * n,
            "empty": pl.Series([None] * n, dtype=pl.String),
            "bp": [100 + at % 17 for at in range(n)],
            "age": [20 + 7 * at % 50 for at in range(n)],
        }
    )
    found = profile(table)
    assert found.names(Role.IDENTIFIER) == table.columns[:6]
    assert found.names(Role.INSENSITIVE) == ["country", "empty"]
    assert ka.anonymize(table, found.policy()).frame.columns == table.columns[6:]


@pytest.mark.parametrize("dtype", [pl.UInt64, pl.Int128])
def test_tables_of_wide_integers_are_profiled(dtype):
    """Integers that numpy lacks, or that floating point rounds, are counted up exactly."""
    table = pl.DataFrame({"v": pl.Series(range(60), dtype=dtype), "x": [1, 2] * 30})
    assert profile(table).names(Role.IDENTIFIER) == ["v"]


def test_no_two_records_are_said_equal_where_two_are(monkeypatch):
    """The heading claims of all records what was counted on all of them."""
    monkeypatch.setattr(minimal, "MOST_EXACT", 500)
    monkeypatch.setattr(minimal, "SAMPLE", 20)
    values = np.arange(1000) * 3.5
    values[[1, 3, 5]] = values[[0, 2, 4]]
    found = profile(pl.DataFrame({"x": values, "y": [1, 2] * 500}))
    assert found.unique_sets.sampled == 20
    assert all(counted.together == 0 for _, counted in found.unique_sets.sets)
    text = found.policy_text()
    assert "All records differ in: x, y." in text
    assert all(
        counted.others <= found.near_unique_sets.others
        for _, counted in found.near_unique_sets.sets
    )


@pytest.mark.parametrize("table", [{"email": [f"p{at}@x.org" for at in range(9)]}, {"x": [1] * 9}])
def test_a_policy_that_cannot_run_says_so(table):
    """Without a quasi-identifier heading and evidence tell what is lacking, and it is refused."""
    found = profile(pl.DataFrame(table))
    text = " ".join(found.policy_text().replace("#", "").split())
    assert "No column is a quasi-identifier: the suggested policy does not run" in text
    assert any("no column is a quasi-identifier" in one for one in found.columns[0].evidence)
    with pytest.raises(PolicyError):
        found.policy()


def test_a_policy_that_runs_says_nothing_of_the_kind():
    """One quasi-identifier is enough."""
    assert "does not run" not in profile(pl.DataFrame({"age": [1, 2] * 5})).policy_text()


@pytest.mark.parametrize(
    ("values", "said"),
    [([["a"], ["b"]] * 6, "column 'what'.*List"), ([1.0, float("inf")] * 6, "'what'.*infinite")],
)
def test_named_quasi_identifiers_that_cannot_be_recoded_are_refused(values, said):
    """No policy is suggested that could not run."""
    with pytest.raises(DataError, match=said):
        profile(pl.DataFrame({"what": values, "age": range(12)}), quasi_identifiers=["what"])


def test_a_number_far_from_the_others_is_not_told():
    """Five equal salaries may be real: they are counted, and their value is in no text."""
    table = pl.DataFrame(
        {"salary": [30_000 + 700 * (at % 80) for at in range(200)] + [987_654_321] * 5}
    )
    found = profile(table)
    text = found.policy_text() + json.dumps(found.to_dict())
    assert "987654321" not in text
    assert "in 5 records, seems to stand for a missing value" in " ".join(
        text.replace("#", "").split()
    )
