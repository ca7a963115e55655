"""Laws of what a report takes over from the sentences of a profile."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from kanonym import profiling
from kanonym.report.known.evidence import coarse, evidence_of

FOLDER = Path(profiling.__file__).parent
SENTENCES = {
    "72 values tell 97.82 % of the pairs of records apart": (
        "its values tell 98 % of the pairs of records apart"
    ),
    "1,072 values tell 97.82 % of the pairs of records apart; one record is alone with its own": (
        "its values tell 98 % of the pairs of records apart"
    ),
    "72 values tell 97.82 % of the pairs of records apart; 1,234 records are alone with theirs": (
        "its values tell 98 % of the pairs of records apart"
    ),
    "1 value tells 0 % of the pairs of records apart": (
        "its values tell 0 % of the pairs of records apart"
    ),
    "its numbers count up without a gap: it numbers records, such as persons or households": (
        "its numbers count up without a gap: it numbers records, such as persons or households"
    ),
    "1,999 of 2,000 records have a text of their own": (
        "nearly all records have a text of their own"
    ),
    "1,234 values for 2,000 records: where it names persons or households with several records, "
    "it is their entity": (
        "fewer values than records: where it names persons or households with several records, "
        "it is their entity"
    ),
    "its name says: income, which is sensitive": "its name says: income, which is sensitive",
    "its name says: date of birth": "its name says: date of birth",
    "but an amount with 1,234 values, released unchanged, names who is known to have it: recoded "
    "as a quasi-identifier, it does not": (
        "but an amount with many values, released unchanged, names who is known to have it: "
        "recoded as a quasi-identifier, it does not"
    ),
    "but 1,234 values for 2,000 records, released unchanged, name the records": (
        "but its many values, released unchanged, name the records"
    ),
    "but people who meet a person may know it, too (sex)": (
        "but people who meet a person may know it, too (sex)"
    ),
    "17 values, the most frequent one in 43.21 % of the records": (
        "its most frequent value is in 44 % of the records"
    ),
    "it holds lists: write a value a cell; as an identifier it is dropped until that is done": (
        "it holds lists: write a value a cell; as an identifier it is dropped until that is done"
    ),
    "the column's name says 'e-mail address'; it has no values": (
        "the column's name says 'e-mail address'; it has no values"
    ),
    "the column's name says 'user name', and 97.8 % of the values can be such": (
        "the column's name says 'user name', and 98 % of the values can be such"
    ),
    "the column's name says 'user name'; none of the values have a usual form of it, but most "
    "differ": (
        "the column's name says 'user name'; 0 % of the values have a usual form of it, but most "
        "differ"
    ),
    "the column's name says 'e-mail address', and all values are e-mail addresses": (
        "the column's name says 'e-mail address', and 100 % of the values are e-mail addresses"
    ),
    "the column's name hints at it, and 99.9 % of the values are UUIDs": (
        "the column's name hints at it, and 100 % of the values are UUIDs"
    ),
    "all values are telephone numbers with the code of a country": (
        "100 % of the values are telephone numbers with the code of a country"
    ),
    "all values are telephone numbers in a country's numbering plan": (
        "100 % of the values are telephone numbers in a country's numbering plan"
    ),
    "97.8 % of the values look like names": "98 % of the values look like names",
    "97.8 % of the values are full names with a common given name": (
        "98 % of the values are full names with a common given name"
    ),
    "97.8 % of the values look like names, 43.2 % of the values have a common given name": (
        "98 % of the values look like names, 44 % of the values have a common given name"
    ),
    "97.8 % of the values are valid Swedish personal numbers, of the same digits shuffled "
    "9.1e-05 % are": (
        "98 % of the values are valid Swedish personal numbers, of the same digits shuffled 0 % are"
    ),
    "97.8 % of the values are numbers of 9 to 13 digits": "98 % of the values are long numbers",
    "97.8 % of the values are words with a house number, 43.2 % of the values name a kind of "
    "street": (
        "98 % of the values are words with a house number, 44 % of the values name a kind of street"
    ),
    "97.8 % of the values are pairs of a latitude and a longitude": (
        "98 % of the values are pairs of a latitude and a longitude"
    ),
    "97.8 % of the values lie within 90 degrees and have two decimals or more, a kilometre or "
    "finer": (
        "98 % of the values lie within 90 degrees and have two decimals or more, a kilometre or "
        "finer"
    ),
    "values differ and have 9 digits each, as serial numbers have": (
        "values differ and have equally many digits, as serial numbers have"
    ),
    "no two records share a value that was looked at": (
        "no two records share a value that was looked at"
    ),
    "values are texts of 17 words in the average, and most differ": (
        "values are texts of several words, and most differ"
    ),
    "97.8 % of the texts that were read mention one": (
        "98 % of the texts that were read mention one"
    ),
}


def templates():
    """Return the patterns of the f-strings that profiling says, but for errors."""
    found = []
    for path in (FOLDER / "roles.py", *sorted((FOLDER / "identifiers").glob("*.py"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = {kind: [] for kind in (ast.FunctionDef, ast.Raise, ast.JoinedStr)}
        for node in ast.walk(tree):
            nodes.get(type(node), []).append(node)
        said, raised = (
            {id(node) for one in nodes[kind] for node in ast.walk(one)}
            for kind in (ast.FunctionDef, ast.Raise)
        )
        for one in nodes[ast.JoinedStr]:
            parts = [
                re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                for part in one.values
            ]
            if id(one) in said - raised and any(" " in part for part in parts):
                found.append(pytest.param("".join(parts), id=f"{path.stem}:{one.lineno}"))
    return found


@pytest.mark.parametrize("pattern", templates())
def test_every_sentence_of_a_profile_is_tried_here(pattern):
    """A sentence that profiling learns to say has to be looked at in these tests, too."""
    assert any(re.search(pattern, sentence) for sentence in SENTENCES)


@pytest.mark.parametrize(("told", "published"), SENTENCES.items())
def test_a_report_says_what_a_profile_found_without_counts(told, published):
    """Counts of values and of records are left out, shares are rounded."""
    assert coarse(told, 0.02) == published


@pytest.mark.parametrize("step", [0.001, 0.01, 0.02, 0.1])
@pytest.mark.parametrize("told", SENTENCES)
def test_sentences_that_differ_by_a_count_are_published_alike(told, step):
    """One record more or less with a value of its own changes no sentence."""
    more = re.sub(r"\d[\d,]*(?= (?:value|record|of \d|digits|words|to))", "3,007", told)
    assert coarse(more, step).replace("value tells", "values tell") == coarse(told, step)


@pytest.mark.parametrize(
    "told",
    [
        "72 people have it",
        "it is missing in 3 records",
        "one record is the only one",
        "it holds text in row 17: write numbers",
        "half of 1,999 values",
        "97.82 per cent of the values",
    ],
)
def test_a_sentence_with_an_unknown_figure_is_left_out(told):
    """What nobody has looked at is not published."""
    form = {"columns": {"age": {"role": "quasi-identifier", "evidence": [told, "it is said"]}}}
    assert evidence_of(form, {"age": "quasi-identifier"}).reasons["age"] == ("it is said",)
