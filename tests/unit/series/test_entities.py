"""Series whose k counts persons by an entity: in each batch, and in all of them together."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.series import Fitted, PersonColumn

KEY = {"env": "SERIES_KEY"}
LEVELS = ka.FullDomain(levels={"age": 1})
ALGORITHMS = [ka.Mondrian(), LEVELS]
AGES = ka.hierarchy.intervals(width=[10, 40])


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """Put a key of persons into the environment."""
    monkeypatch.setenv("SERIES_KEY", "a key of tests, of no data")


def visits(text):
    """Return a batch from words like `a20x`: a person, an age, a sensitive value."""
    rows = [(word[0], int(word[1:3]), word[3]) for word in text.split()]
    return pl.DataFrame(rows, schema=["id", "age", "s"], orient="row")


TWICE = visits("a20x a21y b22x b23y c40x d41y")  # two persons in each class


def policy(action=(), k=2, algorithm=LEVELS, **options):
    """Return a policy that counts the persons of `id`."""
    attributes = {
        "id": ka.Identifier(action=action),
        "age": ka.QuasiIdentifier(AGES),
        "s": ka.Sensitive(),
    }
    options = {"entity": "id", "suppression_limit": 1.0, **options}
    models = [ka.KAnonymity(k, entity=options.pop("entity"))]
    return ka.Policy(attributes=attributes, models=models, algorithm=algorithm, **options)


def persons_part(verification):
    """Return what is known of the persons, and what that rests on."""
    part = verification.parts[-1]
    return part.verdict, str(part.rests_on)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_records_of_one_person_make_no_class(algorithm):
    """A class of three records of one person is suppressed, one of two persons is not."""
    fitted = ka.fit(TWICE, policy(algorithm=algorithm))
    release = fitted.apply(visits("a20x a21y a22x c40x d41y"))
    assert sorted(release.rows.tolist()) == [3, 4]
    assert release.suppressed == 3
    assert [one.achieved for one in release.verification.checks] == [2]


def test_more_than_the_limit_names_no_person():
    """The error has the classes, the records and the limit."""
    fitted = ka.fit(TWICE, policy(suppression_limit=0.2))
    with pytest.raises(ka.InfeasibleError, match=r"1 classes .* in row 1\): 3 of 5 records"):
        fitted.apply(visits("a20x a21y a22x c40x d41y"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_union_has_the_fewest_persons_of_any_batch(algorithm, tmp_path):
    """Also once it was read from its file; a batch that releases nothing changes nothing."""
    fitted = ka.fit(TWICE, policy(algorithm=algorithm))
    for batch, alone, union in (
        (TWICE.clear(), 0, 0),
        (visits("a20x b20y c20x d20y"), 4, 4),
        (visits("e20x e20y"), 0, 4),
        (visits("a20x b20y c20x"), 3, 3),
        (visits("a20x b20y c20x e20x f20x"), 5, 3),
    ):
        release = fitted.apply(batch)
        (own,), (all_of_them,) = release.verification.checks, release.union.checks
        assert (own.achieved, all_of_them.achieved) == (alone, union)
        assert own.satisfied
        assert all_of_them.satisfied
        fitted.save(tmp_path / "fitted.json")
        fitted = Fitted.load(tmp_path / "fitted.json")


def test_persons_are_not_assessed_from_the_second_batch_on():
    """The first batch is all that there is; then it is said which column to give."""
    fitted = ka.fit(TWICE, policy())
    assert persons_part(fitted.apply(TWICE).union) == ("checked", "k counts the persons of id")
    later = fitted.apply(TWICE)
    assert persons_part(later.verification)[0] == "checked"
    verdict, rests_on = persons_part(later.union)
    assert verdict == "not assessed"
    assert "give id and a key for each batch (person; --person COLUMN" in rests_on
    assert later.union.verdict != "satisfied"


def test_persons_are_assessed_where_they_are_recognized():
    """With a column and a key the part holds of all batches."""
    fitted, person = ka.fit(TWICE, policy()), PersonColumn("id", KEY)
    fitted.apply(TWICE, person=person)
    release = fitted.apply(visits("a20x e21y c40x f41y f42x"), person=person)
    assert persons_part(release.union) == ("checked", "persons are recognized in all batches by id")
    found = release.repeated
    assert (found.persons, found.in_several, found.in_series) == (2, 2, 6)
    again = fitted.apply(visits("g20x h21y"), person=person).repeated
    assert (again.persons, again.in_several, again.in_series) == (0, 2, 8)


def test_the_file_has_no_identifier(tmp_path):
    """Neither the values nor the categories of who is counted are written."""
    table = TWICE.with_columns(
        id=pl.Series([f"Secret {one}" for one in TWICE["id"]]).cast(pl.Categorical)
    )
    enum = pl.Enum(table["id"].cast(pl.String).unique().sort())
    for batch in (table, table.with_columns(pl.col("id").cast(enum))):
        fitted = ka.fit(batch, policy())
        fitted.apply(batch, person=PersonColumn("id", KEY))
        fitted.save(tmp_path / "fitted.json")
        assert "Secret" not in (tmp_path / "fitted.json").read_text("utf-8")


def test_identifiers_may_have_another_type_in_each_batch():
    """Whole numbers in one batch and texts in the next tell persons apart all the same."""
    fitted = ka.fit(TWICE.with_columns(id=pl.Series([1, 1, 2, 2, 3, 4])), policy())
    person = PersonColumn("id", KEY)
    fitted.apply(TWICE.with_columns(id=pl.Series([1, 1, 2, 2, 3, 4])), person=person)
    later = TWICE.with_columns(id=pl.Series(["1", "1", "B7", "B7", "3", "4"]))
    release = fitted.apply(later, person=person)
    assert release.union.checks[0].achieved == 2
    assert release.repeated.persons == 3


def test_a_pseudonym_that_links_rows_of_a_batch_is_judged():
    """Persons who are alike in all rows may be linked; who stands alone is released in no batch."""
    fitted = ka.fit(TWICE, policy([ka.actions.Surrogate()]))
    (check,) = fitted.apply(TWICE).verification.checks
    assert (check.achieved, check.linked_by) == (2, ("id",))
    with pytest.raises(ka.InfeasibleError, match="batch 2: id tells whose rows are whose") as error:
        fitted.apply(visits("a20x a40y b20x b21y c40x c41y"))
    assert "defect" not in str(error.value)
    assert fitted.batches == 1


SWAPPED = visits("a20x a21y c22x c23y b40x d41y")  # classes of two persons, and of one history


def test_a_pseudonym_that_links_batches_is_judged_where_persons_are_recognized(tmp_path):
    """By a hash under one key the rows of a person in all batches are known: alike must be all."""
    hashed = [ka.actions.KeyedHash(key=KEY)]
    fitted, person = ka.fit(TWICE, policy(hashed)), PersonColumn("id", KEY)
    fitted.apply(TWICE, person=person)
    fitted.save(tmp_path / "fitted.json")
    fitted = Fitted.load(tmp_path / "fitted.json")
    with pytest.raises(ka.InfeasibleError, match="the union of 2 batches: id tells whose rows"):
        fitted.apply(SWAPPED, person=person)
    (check,) = fitted.apply(TWICE, person=person).union.checks
    assert (check.achieved, check.linked_by) == (2, ("id",))
    open_ended = ka.fit(TWICE, policy(hashed))
    open_ended.apply(TWICE)
    assert persons_part(open_ended.apply(SWAPPED).union)[0] == "not assessed"


def test_any_column_may_link_batches():
    """A number that only others makes insensitive is the same of a person in each batch."""
    named = {one: number for number, one in enumerate("abcd", 1000)}
    batches = [one.with_columns(n=pl.col("id").replace_strict(named)) for one in (TWICE, SWAPPED)]
    fitted, person = ka.fit(batches[0], policy(others="insensitive")), PersonColumn("id", KEY)
    fitted.apply(batches[0], person=person)
    with pytest.raises(ka.InfeasibleError, match="the union of 2 batches: n tells whose rows"):
        fitted.apply(batches[1], person=person)


def test_pseudonyms_of_one_batch_link_no_other():
    """Surrogates are drawn anew for each batch: the same persons in other classes may come."""
    fitted = ka.fit(TWICE, policy([ka.actions.Surrogate()], seed=5))
    person = PersonColumn("id", KEY)
    fitted.apply(TWICE, person=person)
    (check,) = fitted.apply(SWAPPED, person=person).union.checks
    assert (check.achieved, check.linked_by) == (2, ("id",))


def test_one_column_and_one_key_are_asked_for():
    """Other persons than k counts, or other hashes than before, would recognize nobody."""
    fitted = ka.fit(TWICE, policy())
    with pytest.raises(ka.PolicyError, match=r"counts the persons of 'id'.*not by 's'"):
        fitted.apply(TWICE, person=PersonColumn("s", KEY))
    fitted.apply(TWICE, person=PersonColumn("id", KEY))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OTHER_KEY", "another key of tests, of no data")
        with pytest.raises(ka.PolicyError, match="another column or under another key"):
            fitted.apply(TWICE, person=PersonColumn("id", {"env": "OTHER_KEY"}))
    assert fitted.batches == 1


def test_several_columns_tell_persons_apart():
    """The key of two columns counts in each batch, and recognizes in all."""
    table = TWICE.with_columns(site=pl.lit("north"))
    asked = policy(entity=["site", "id"], others="identifier")
    fitted, person = ka.fit(table, asked), PersonColumn(["site", "id"], KEY)
    fitted.apply(table, person=person)
    release = fitted.apply(table.with_columns(site=pl.lit("south")), person=person)
    assert (release.repeated.persons, release.repeated.in_series) == (0, 8)
    with pytest.raises(ka.SchemaError, match="no column 'site'"):
        fitted.apply(TWICE, person=person)


ROWS = {"entity": None, "rows": "persons"}


def test_a_person_of_two_batches_is_one():
    """Where the union alone must satisfy k, the same person twice is not two."""
    fitted, person = ka.fit(TWICE, policy(**ROWS), each_batch=False), PersonColumn("id", KEY)
    fitted.apply(visits("a20x b21y"), person=person)
    (check,) = fitted.apply(visits("a20x c21y"), person=person).union.checks
    assert check.achieved == 3
    other = ka.fit(TWICE, policy(**ROWS, k=3), each_batch=False)
    other.apply(visits("a20x b21y c22x"), person=person)
    with pytest.raises(ka.InfeasibleError, match="the union of 2 batches fails k-anonymity"):
        other.apply(visits("a40x a41y a42x"), person=person)


def test_persons_are_counted_without_a_sensitive_attribute():
    """Who is in several batches does not depend on what else is released."""
    asked = {"identifiers": ["id"], "quasi_identifiers": ["age"], "others": "insensitive"}
    fitted, person = ka.fit(TWICE, **asked, k=2, entity="id"), PersonColumn("id", KEY)
    assert fitted.apply(TWICE, person=person).repeated.persons == 0
    found = fitted.apply(TWICE, person=person).repeated
    assert (found.persons, found.in_several, found.least) == (4, 4, {})


def test_records_without_a_person_are_of_one():
    """As k-anonymity counts them; they are in no batch again."""
    nobody = TWICE.with_columns(id=pl.Series([None, None, "b", "b", None, "d"]))
    fitted, person = ka.fit(TWICE, policy()), PersonColumn("id", KEY)
    for in_several in (0, 2):
        release = fitted.apply(nobody, person=person)
        assert release.union.checks[0].achieved == 2
        assert (release.repeated.in_several, release.repeated.in_series) == (in_several, 2)


def test_what_was_found_in_a_batch_stands_in_the_union():
    """A later batch without the finding takes nothing back."""
    same = visits("a20x " * 30 + "b21x " * 30 + "c40y d41y")
    fitted = ka.fit(TWICE, policy())
    assert "dominant-value" in [one.kind for one in fitted.apply(same).verification.findings]
    later = fitted.apply(visits("a40x b41y"))
    assert "dominant-value" not in [one.kind for one in later.verification.findings]
    assert "dominant-value" in [one.kind for one in later.union.findings]


def test_the_parts_of_the_union_are_its_own():
    """A batch that fails by itself is no fault of the union that must satisfy alone."""
    fitted = ka.fit(TWICE, policy(**ROWS), each_batch=False)
    fitted.apply(TWICE)
    release = fitted.apply(visits("e20x"))
    verdicts = {one.name: one.verdict for one in release.union.parts}
    assert not release.verification.satisfied
    assert release.union.satisfied
    assert verdicts == {
        "identity": "checked",
        "attributes": "not assessed",
        "persons": "not assessed",
    }
