"""Changes of roles in the workbench: what a policy says of a column and may still say is kept."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.schema import Role
from kanonym.models import KAnonymity
from kanonym.workbench.forms import fields_of, parse_fields
from kanonym.workbench.project.history import with_roles

SAID = {
    "hierarchy": "masking",
    "recoding": "span",
    "action": {"type": "mask"},
    "type": "string",
    "format": "%d/%m/%Y",
    "domain": {"values": ["a"]},
    "nulls": "value",
    "separator": ";",
    "missing": "unknown",
    "person": "pid",
}
"""Something for every key that an attribute can have."""


@pytest.mark.parametrize(
    ("role", "kept"),
    [
        (Role.IDENTIFIER, {"action"}),
        (
            Role.QUASI_IDENTIFIER,
            {"hierarchy", "recoding", "action", "type", "format", "domain", "missing"},
        ),
        (Role.SENSITIVE, {"hierarchy", "nulls", "action", "type", "format", "domain", "missing"}),
        (Role.INSENSITIVE, {"action", "domain"}),
        (Role.SET, {"hierarchy", "separator", "missing", "person"}),
    ],
)
def test_a_new_role_keeps_what_it_may_say(role, kept):
    """The other keys go with the old role."""
    profile = ka.profile(pl.DataFrame({"items": ["a;b", "b", "a", "c"]}))
    form = {"attributes": {"items": {"role": "quasi-identifier", **SAID}}}
    changed = with_roles(form, ["items"], role, profile)["attributes"]["items"]
    assert {key for key, value in changed.items() if SAID.get(key) == value} == kept


def test_a_model_goes_with_the_role_of_a_column_of_its_persons():
    """Persons of two identifiers are counted as long as both of them are identifiers."""
    profile = ka.profile(pl.DataFrame({"site": ["a", "b"], "number": [1, 1], "age": [3, 4]}))
    model = {"type": "k-anonymity", "k": 2, "entity": ["site", "number"]}
    form = with_roles({"models": [model]}, ["site", "number"], Role.IDENTIFIER, profile)
    assert form["models"] == [model]
    assert with_roles(form, ["age"], Role.SENSITIVE, profile)["models"] == [model]
    assert with_roles(form, ["site"], Role.QUASI_IDENTIFIER, profile)["models"] == []


def test_the_form_of_a_model_keeps_its_persons():
    """A list of identifiers is one of the choices, and is sent back as it was."""
    given = {"k": 2, "entity": ["site", "number"]}
    columns = {"entity": ["site", "number"]}
    (chosen,) = (one for one in fields_of(KAnonymity, given, columns) if one.name == "entity")
    assert chosen.value in chosen.choices
    blank = fields_of(KAnonymity, {}, columns)
    for entity in (chosen.value, "site"):
        sent = parse_fields(blank, {"k": "3", "entity": entity})
        assert sent == {"k": 3, "entity": given["entity"] if entity == chosen.value else entity}
