"""What holds where one person may have several records and k counts persons."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples

ALGORITHMS = ["mondrian", "segmentation", "auto", "full-domain", "local-recoding"]


@st.composite
def visits(draw):
    """Draw a table of visits: at least three persons, each with one to four records."""
    persons = draw(st.lists(st.integers(1, 4), min_size=3, max_size=8))
    rows = [person for person, several in enumerate(persons) for _ in range(several)]
    ages = st.lists(st.integers(20, 24), min_size=len(rows), max_size=len(rows))
    return pl.DataFrame(
        {"person": [f"p{person}" for person in rows], "age": draw(ages), "sex": draw(ages)}
    )


def persons_of_classes(release, table):
    """Return the number of persons of each class of a release in the input's order."""
    known = release.frame.with_columns(table["person"])
    return known.group_by("age", "sex").agg(pl.col("person").n_unique())["person"].to_list()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=visits(), k=st.integers(2, 3))
@settings(max_examples=examples(10), deadline=None)
def test_every_class_has_records_of_k_persons(algorithm, table, k):
    """With an entity, each class has k distinct persons, and that is what is reported."""
    release = ka.anonymize(
        table,
        identifiers=["person"],
        quasi_identifiers=["age", "sex"],
        k=k,
        entity="person",
        algorithm=algorithm,
        keep_order=True,
    )
    counted = persons_of_classes(release, table)
    assert min(counted) >= k
    assert release.verification.checks[0].achieved == min(counted)
    assert "person" not in release.frame.columns


@st.composite
def numbered_visits(draw):
    """Draw visits of persons who have a number within their site; texts hold what joins them."""
    sites = st.sampled_from(["a", "a b", "a b 1:c", None])
    numbers = st.sampled_from(["c", "b c", "1:c", None])
    ages = st.integers(20, 23)
    rows = draw(st.lists(st.tuples(sites, numbers, ages, ages), min_size=6, max_size=24))
    columns = {"site": pl.String, "number": pl.String, "age": pl.Int64, "sex": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(table=numbered_visits(), k=st.integers(2, 3))
@settings(max_examples=examples(10), deadline=None)
def test_every_class_has_k_combinations_of_the_columns_of_persons(algorithm, table, k):
    """Of several identifiers, each class has k distinct combinations, which are reported."""
    persons = list(zip(table["site"], table["number"], strict=True))
    assume(len(set(persons)) >= k)
    release = ka.anonymize(
        table,
        identifiers=["site", "number"],
        quasi_identifiers=["age", "sex"],
        k=k,
        entity=["site", "number"],
        algorithm=algorithm,
        keep_order=True,
    )
    classes = {}
    for label, person in zip(release.frame.rows(), persons, strict=True):
        classes.setdefault(label, set()).add(person)
    fewest = min(map(len, classes.values()))
    assert release.verification.checks[0].achieved == fewest >= k
    assert release.persons.persons == len(set(persons))
    assert release.frame.columns == ["age", "sex"]


def test_combinations_that_read_alike_are_different_persons():
    """("a b", "c") and ("a", "b c") are two persons, and equal numbers of two sites are, too."""
    for first, second in ((("a b", "c"), ("a", "b c")), (("a", "c"), ("b", "c"))):
        table = pl.DataFrame([first, second], schema=["site", "number"], orient="row")
        release = ka.anonymize(
            table.with_columns(age=30),
            identifiers=["site", "number"],
            quasi_identifiers=["age"],
            k=2,
            entity=["site", "number"],
        )
        assert release.verification.satisfied


SITES = pl.DataFrame({"site": ["a", "a", "b", "b"] * 2, "number": [1, 2] * 4, "age": [1] * 8})


def site_policy(k, **actions):
    """Return a policy that counts persons by site and number, each with an action or dropped."""
    roles = {name: ka.Identifier(action=actions.get(name)) for name in ("site", "number")}
    return ka.Policy(
        attributes={**roles, "age": ka.QuasiIdentifier()},
        models=[ka.KAnonymity(k, entity=["site", "number"])],
        seed=918273645546372819,
    )


def test_pseudonyms_of_all_columns_let_anyone_count():
    """With a surrogate of each column, `verify` counts in the release; without one, it says so."""
    both = {"site": ka.actions.Surrogate(), "number": ka.actions.Surrogate()}
    release = ka.anonymize(SITES, site_policy(4, **both))
    found = ka.verify(release.frame, release.policy)
    assert [one.achieved for one in found.checks] == [4]
    assert not ka.verify(release.frame, site_policy(5, **both)).satisfied
    release = ka.anonymize(SITES, site_policy(4, site=both["site"]))
    with pytest.raises(ka.SchemaError, match="by 'number', which the released table lacks"):
        ka.verify(release.frame, release.policy)


def test_pseudonyms_that_link_rows_together_are_counted_by_all_rows():
    """No pseudonym tells whose rows are whose, both together do: histories must be alike."""
    both = {"site": ka.actions.Surrogate(), "number": ka.actions.Surrogate()}
    release = ka.anonymize(SITES, site_policy(4, **both))
    assert set(release.verification.checks[0].linked_by) == {"site", "number"}
    histories = SITES.with_columns(age=pl.Series([1, 1, 1, 1, 1, 2, 2, 2]))
    three = ka.anonymize(histories, site_policy(3))
    assert three.verification.checks[0].linked_by == ()
    with pytest.raises(ka.InfeasibleError, match="tells whose rows are whose"):
        ka.anonymize(histories, site_policy(3, **both))


def test_records_of_one_person_do_not_hide_each_other():
    """Five records of one person satisfy k = 5 of records, and no k above 1 of persons."""
    table = pl.DataFrame({"person": ["a"] * 5, "age": [30] * 5})
    asked = {"identifiers": ["person"], "quasi_identifiers": ["age"], "k": 5}
    assert ka.anonymize(table, **asked).verification.satisfied
    with pytest.raises(ka.InfeasibleError, match="of 'person': required 5, the best possible is 1"):
        ka.anonymize(table, **asked, entity="person")


def test_suppressed_records_are_no_longer_counted():
    """Persons are counted in what is released: the released classes have k of them, too."""
    table = pl.DataFrame(
        {"person": [f"p{i % 12}" for i in range(36)], "age": [i % 7 for i in range(36)]}
    )
    release = ka.anonymize(
        table,
        identifiers=["person"],
        quasi_identifiers=["age"],
        k=4,
        entity="person",
        suppression_limit=0.3,
        algorithm="full-domain",
    )
    assert release.verification.satisfied


def test_a_released_pseudonym_lets_anyone_count():
    """With the entity released as a surrogate, `verify` counts persons in the released file."""
    table = pl.DataFrame({"person": ["a", "a", "b", "b"], "age": [1, 2, 1, 2]})
    policy = ka.Policy(
        attributes={
            "person": ka.Identifier(action=ka.actions.Surrogate()),
            "age": ka.QuasiIdentifier(),
        },
        models=[ka.KAnonymity(2, entity="person")],
        seed=1,
    )
    release = ka.anonymize(table, policy)
    assert ka.verify(release.frame, policy).satisfied


def test_without_the_entity_a_release_cannot_be_counted_again():
    """`verify` of a release without the entity is refused with the way out, not passed."""
    table = pl.DataFrame({"person": ["a", "b"], "age": [1, 1]})
    release = ka.anonymize(
        table, identifiers=["person"], quasi_identifiers=["age"], k=2, entity="person"
    )
    with pytest.raises(ka.SchemaError, match="release a pseudonym"):
        ka.verify(release.frame, release.policy)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"entity": "age", "k": 2}, "'age' is quasi-identifier; it must be an identifier"),
        ({"entity": "nobody", "k": 2}, "'nobody' is an unknown identifier"),
        ({"entity": "person"}, "entity: needs k as well"),
        ({"entity": "", "k": 2}, "entity: is ''; it must be the name"),
        ({"entity": ["person", "age"], "k": 2}, "'age' is quasi-identifier; it must be an iden"),
        ({"entity": ["person", "nobody"], "k": 2}, "'nobody' is an unknown identifier"),
        ({"entity": ["person", "person"], "k": 2}, "or a list of several that identify them"),
        ({"entity": [], "k": 2}, r"entity: is \[\]; it must be the name"),
        ({"entity": "person", "k": 2, "algorithm": "mdav"}, "mdav only forms classes of k records"),
        ({"entity": "person", "k": 2, "algorithm": "cell-suppression"}, "k-anonymity of 'person'"),
    ],
)
def test_what_cannot_be_counted_is_refused(asked, reason):
    """An entity that is no identifier, a missing k or an algorithm of records is refused."""
    table = pl.DataFrame({"person": ["a", "b"], "age": [1, 1]})
    with pytest.raises(ka.KanonymError, match=reason):
        ka.anonymize(table, identifiers=["person"], quasi_identifiers=["age"], **asked)


@pytest.mark.parametrize("action", ["shuffle", {"type": "pram", "diagonal": 0.5}], ids=str)
def test_persons_are_those_of_the_input(action):
    """Actions that give records the identifiers of others do not change who is counted."""
    table = pl.DataFrame(
        {
            "record": range(120),
            "person": ["most"] * 90 + [f"p{i}" for i in range(30)],
            "age": [i % 11 for i in range(120)],
        }
    )
    policy = ka.Policy(
        attributes={"person": ka.Identifier(action=action), "age": ka.QuasiIdentifier()},
        models=[ka.KAnonymity(4, entity="person")],
        others="insensitive",
        seed=918273645546372819,
    )
    release = ka.anonymize(table, policy)
    true = release.frame.drop("person").join(table.select("record", "person"), on="record")
    assert true.group_by("age").agg(pl.col("person").n_unique())["person"].min() >= 4
    with pytest.raises(ka.SchemaError, match="counts persons"):
        ka.verify(release.frame, policy)


def test_risk_is_that_of_persons():
    """The highest risk of a release that counts persons is 1 / the fewest persons of a class."""
    table = pl.DataFrame(
        {"person": [f"p{i % 4}" for i in range(40)] + [f"q{i % 5}" for i in range(40)]}
    ).with_columns(age=pl.Series([20] * 40 + [50] * 40))
    release = ka.anonymize(
        table, quasi_identifiers=["age"], identifiers=["person"], k=4, entity="person"
    )
    assert release.risk.highest == 0.25
    assert release.risk.average == pytest.approx(2 / 9)
