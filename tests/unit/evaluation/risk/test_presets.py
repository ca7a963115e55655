"""Named thresholds: what they ask, and what they say."""

from __future__ import annotations

import pytest

from kanonym.evaluation.risk import PRESETS

BY_SIZE = [preset for preset in PRESETS.values() if preset.smallest is not None]


@pytest.mark.parametrize("preset", BY_SIZE, ids=lambda preset: preset.name)
def test_the_quoted_risk_is_that_of_the_smallest_class(preset):
    """Thresholds are reciprocals of class sizes, rounded to the two digits that are printed."""
    assert round(1 / preset.smallest, 2) == preset.quoted


@pytest.mark.parametrize("preset", BY_SIZE, ids=lambda preset: preset.name)
def test_a_class_of_the_smallest_size_meets_it(preset):
    """The threshold is included, and one record less is not enough."""
    assert preset.judge(preset.smallest).met
    assert not preset.judge(preset.smallest - 1).met


def test_the_reason_says_what_was_found_and_what_is_allowed():
    """One sentence with the class size, its risk, the size asked for and the quoted threshold."""
    reason = PRESETS["ema-0070"].judge(4).reason
    assert reason == (
        "the smallest number of records in a class is 4, a highest risk of 0.25; "
        "11 is the least allowed (0.09)"
    )


def test_population_uniques_decide_where_a_preset_is_about_them():
    """At most 0.04 % of the population may be unique, whatever the class sizes are."""
    preset = PRESETS["hipaa-population-uniques"]
    assert preset.judge(1, unique_share=0.0004).met
    assert preset.judge(100, unique_share=0.00041).met is False
    assert "0.041%" in preset.judge(100, unique_share=0.00041).reason


def test_small_shares_keep_their_digits():
    """A share of one in ten million is told as such, not as none."""
    reason = PRESETS["hipaa-population-uniques"].judge(5, unique_share=1e-7).reason
    assert reason == "an estimated 1e-05% of the population are unique; at most 0.04% may be"


def test_what_was_not_measured_is_not_judged():
    """Without an estimate of population uniques the preset is neither met nor not."""
    verdict = PRESETS["hipaa-population-uniques"].judge(100)
    assert verdict.met is None
    assert "not estimated" in verdict.reason


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_a_table_without_records_gives_nobody_away(preset):
    """Every preset is met where there is nobody to be found."""
    assert preset.judge(None).met


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_no_preset_passes_for_law(preset):
    """Each says whether a regulator, a custodian or custom is behind it, and names its source."""
    listed = preset.to_dict()
    assert listed["basis"] in {"guidance", "policy", "custom"}
    assert listed["source"]
