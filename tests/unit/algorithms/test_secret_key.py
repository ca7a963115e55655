"""Laws of the key that what is drawn follows from."""

from __future__ import annotations

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.algorithms.secret_key import secret_key
from kanonym.data.table import encode


def key_of(ages, ill):
    """Return the key of a table."""
    ages, ill = pl.Series("age", ages), pl.Series("ill", ill)
    return secret_key(encode([(ages, None)], [(ill, None, True)], len(ages)))


def test_the_order_of_the_records_does_not_matter():
    """The same records in any order have the same key."""
    ages, ill = [3, 1, 2, 2], ["a", "b", "a", "b"]
    assert key_of(ages, ill) == key_of(ages[::-1], ill[::-1])


def test_it_follows_from_who_has_which_value():
    """Two persons who exchange their values give another key, with the same columns."""
    keys = {key_of([1, 2, 3], ill) for ill in (["a", "a", "b"], ["a", "b", "a"], ["b", "a", "a"])}
    assert len(keys) == 3


def test_a_seed_that_is_published_tells_nothing_about_it(tmp_path):
    """Classes are the same under any seed, and no manifest has the key."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"age": np.arange(512), "ill": rng.choice(["a", "b"], 512)})
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "k": 2, "l": 2}
    made = [ka.anonymize(table, **asked, seed=seed) for seed in (1, 2)]
    sizes = [release.decision.class_sizes for release in made]
    assert np.array_equal(*sizes)
    made[0].manifest(tmp_path / "manifest.json")
    assert str(made[0].decision.refinement[0].key) not in (tmp_path / "manifest.json").read_text()
