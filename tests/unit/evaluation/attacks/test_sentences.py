"""Laws of what is said of an attack: each sentence is true of that attack's own numbers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.result import (
    PERCENT,
    AttackResult,
    AttackResults,
    SuccessCount,
    worst_of,
)
from kanonym.evaluation.attacks.sentences import (
    FINDINGS,
    LimitCheck,
    check_limits,
    figures_sentence,
    finding_notes,
    finding_sentence,
    joint_verdict,
    limit_sentence,
    title_of,
)
from kanonym.language import ENGLISH, LANGUAGES

BEYOND, NONE, BASELINE, CONTROL = (
    {code: says.text(FINDINGS[key]) for code, says in LANGUAGES.items()}
    for key in ("beyond", "none", "baseline", "control")
)
SPOKEN = pytest.mark.parametrize("says", LANGUAGES.values(), ids=list(LANGUAGES))
LIMITS = st.sampled_from([0.001, 0.05, 0.2, 0.5, 1.0]) | st.floats(0.0001, 1)


@st.composite
def counted(draw, least=0):
    """Draw successes among attempts."""
    attempts = draw(st.integers(least, 3000))
    share = draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1))
    return SuccessCount(min(share * attempts, attempts), attempts, exact=draw(st.booleans()))


@st.composite
def outcomes(draw, least=1):
    """Draw the outcome of one of all attacks, with a control or without."""
    return AttackResult(
        draw(st.sampled_from(list(ATTACKS))),
        "Who is it?",
        draw(counted(least)),
        draw(counted()),
        draw(st.none() | counted()),
        best_of=draw(st.integers(1, 4)),
        other_attack=draw(st.booleans()),
        unit=draw(st.sampled_from(["record", "person", "decision", "description"])),
    )


def figures_of(sentence, says):
    """Return the shares that a sentence states, each as the least and the most it may stand for."""
    plain = sentence.replace("\N{NO-BREAK SPACE}", " ")
    under, over = (
        says.tenths(share).split("0")[0].split("9")[0].strip() for share in (1e-6, 1 - 1e-6)
    )
    found = []
    for bound, digits in re.findall(rf"({under} |{over} |)([\d.,]+) %", plain):
        share = float(digits.replace(says.thousands, "").replace(says.decimal, ".")) / 100
        reach = {f"{under} ": (0, share), f"{over} ": (share, 1)}
        found.append(reach.get(bound, (share - 0.0005 - 1e-9, share + 0.0005 + 1e-9)))
    return found


# --- figures and findings ---------------------------------------------------------------


@SPOKEN
@given(one=outcomes())
@settings(max_examples=examples(150))
def test_the_figures_of_a_sentence_are_those_of_the_attack(says, one):
    """Rate, chance, the share beyond it and both ends of its interval stand in the sentence."""
    sentence = figures_sentence(one, says)
    stated = figures_of(sentence, says)
    meant = (one.targets.rate, one.chance.rate, one.risk, *one.interval)
    assert len(stated) == len(meant)
    assert all(low <= share <= high for (low, high), share in zip(stated, meant, strict=True))
    assert says.plural(one.attempts, one.unit) in sentence


@SPOKEN
@given(one=outcomes())
@settings(max_examples=examples(300))
def test_success_beyond_chance_is_judged_by_the_own_interval(says, one):
    """The release is said to help exactly where the interval of the attack lies above 0."""
    said, low = finding_sentence(one, says), one.interval[0]
    assert (said == BEYOND[says.code]) == (low > 0)
    assert said in {each[says.code] for each in (BEYOND, NONE, BASELINE, CONTROL)}
    if said == NONE[says.code]:
        # Chance is that of the same attack, or nothing succeeded at all.
        assert low == 0
        assert not one.targets.successes or not one.is_beside_another_attack
    if said == BASELINE[says.code]:
        assert one.other_attack
        assert one.chance == one.baseline
        assert low == 0
        assert one.upper_bound >= one.targets.rate - 1e-12
    if said == CONTROL[says.code]:
        assert one.chance.rate > one.targets.rate


@given(st.lists(outcomes(least=0), max_size=8, unique_by=lambda one: one.type))
@settings(max_examples=examples(100))
def test_each_attack_stands_under_the_sentence_that_is_true_of_it(results):
    """On a terminal attacks of one finding share its sentence; each that was tried stands once."""
    under = {}
    for note in finding_notes(results):
        sentence, _, names = note.rpartition(": ")
        under |= dict.fromkeys(names.removesuffix(".").split(", "), f"{sentence}.")
    tried = [one for one in results if one.attempts]
    assert under == {one.type: finding_sentence(one, ENGLISH) for one in tried}
    notes = [one for one in AttackResults(tuple(results)).tables()[0].notes if one != PERCENT]
    assert notes == finding_notes(results)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 3000), st.booleans())
@settings(max_examples=examples(200))
def test_nobody_is_told_of_no_success_where_another_attack_stands_for_chance(
    found, guessed, attempts, other
):
    """Without a control, a baseline that is another attack never shows that nothing was found."""
    rate = SuccessCount(found * attempts, attempts)
    one = AttackResult(
        "inference", "Who?", rate, SuccessCount(guessed * 100, 100, exact=True), other_attack=other
    )
    if other and found:
        assert finding_sentence(one, ENGLISH) != NONE["en"]


# --- limits -----------------------------------------------------------------------------


@given(outcomes(least=0), LIMITS)
@settings(max_examples=examples(300))
def test_a_limit_is_judged_by_the_ends_of_the_interval(one, limit):
    """Kept: surely at most; exceeded: surely above; else undecided, and not run is neither."""
    check = LimitCheck(one.type, limit, one)
    if not one.attempts:
        assert check.verdict == "not run"
        return
    low, high = one.interval
    assert (check.verdict == "exceeded") == (low > limit)
    assert (check.verdict == "kept") == (one.upper_bound <= limit)
    assert one.upper_bound >= high - 1e-12
    assert LimitCheck(one.type, 1.0, one).verdict == "kept"


@given(outcomes(), LIMITS, LIMITS)
@settings(max_examples=examples(200))
def test_a_higher_limit_is_never_harder_to_keep(one, limit, other):
    """What keeps a limit keeps every higher one; what exceeds a limit exceeds every lower one."""
    lower, higher = (LimitCheck(one.type, each, one).verdict for each in sorted((limit, other)))
    assert lower != "kept" or higher == "kept"
    assert higher != "exceeded" or lower == "exceeded"


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.booleans(), st.floats(0.001, 1))
@settings(max_examples=examples(300))
def test_a_limit_below_what_is_surely_found_is_not_kept(copied, guessed, other, control, less):
    """A share of persons is found for certain, the others are guessed: no baseline hides them.

    The rate is the expected one; the baseline is another attack, of any strength. The control
    has the same guesses and nobody to be found.
    """
    rate = SuccessCount(1000 * (copied + (1 - copied) * guessed), 1000)
    one = AttackResult(
        "inference",
        "Who?",
        rate,
        SuccessCount(other * 100, 100, exact=True),
        SuccessCount(1000 * guessed, 1000) if control else None,
        other_attack=True,
    )
    assert one.upper_bound >= copied - 1e-9
    if copied * less > 0:
        assert LimitCheck("inference", copied * (1 - less / 2), one).verdict != "kept"


@SPOKEN
@given(one=outcomes(), limit=LIMITS)
@settings(max_examples=examples(200))
def test_the_sentence_on_a_limit_shows_on_which_side_of_it_the_interval_is(says, one, limit):
    """The end that decides stands in the sentence beside the limit, on the side that is said."""
    check = LimitCheck(one.type, limit, one)
    sentence = limit_sentence(check, says, title_of(one.type, says))
    assert sentence.startswith(f"{title_of(one.type, says)}:")
    numbers = re.findall(r"[\d.,]+(?=\N{NO-BREAK SPACE}%)", sentence)
    *ends, asked = (
        float(one.replace(says.thousands, "").replace(says.decimal, ".")) / 100 for one in numbers
    )
    assert asked == pytest.approx(limit, rel=1e-5)
    meant = {"kept": [one.upper_bound], "exceeded": [one.interval[0]]}
    shown = meant.get(check.verdict, list(check.bounds))
    assert ends == pytest.approx(shown, abs=0.0006)
    if abs(limit - round(limit, 6)) < 1e-12:
        assert [end > asked for end in ends] == [end > limit for end in shown]


@SPOKEN
def test_a_limited_attack_that_was_not_run_says_why(says):
    """Where nothing was attempted the limit is unknown, with the reason if there is one."""
    nobody = SuccessCount(0, 0)
    idle = AttackResult("membership", "Who?", nobody, nobody, reason="there is no control")
    told = [
        limit_sentence(LimitCheck("membership", 0.2, one), says, "Membership")
        for one in (None, idle)
    ]
    assert "there is no control" not in told[0]
    assert "there is no control" in told[1]
    assert all("20\N{NO-BREAK SPACE}%" in one for one in told)


def test_the_worst_verdict_is_that_of_all_limits():
    """Exceeded before undecided, before not run, before kept; without a limit there is none."""

    def tried(right):
        return AttackResult("linkage", "Who?", SuccessCount(right, 1000), SuccessCount(0, 100))

    limits = {"linkage": 0.2, "inference": 0.5}
    for results, verdict in (
        ((), "not run"),
        ((tried(100),), "not run"),
        ((tried(200),), "undecided"),
        ((tried(600), tried(100)), "exceeded"),
    ):
        found = AttackResults(results, limits=limits)
        assert found.verdict == verdict
        assert found.to_dict()["limits"]["verdict"] == verdict
        assert len(found.checks) == max(len(results), 1) + 1
    kept = AttackResults((tried(100),), limits={"linkage": 0.2})
    assert kept.verdict == "kept"
    assert joint_verdict(check_limits(kept.results, {})) is None
    assert "limits" not in AttackResults((tried(100),)).to_dict()


def test_a_limit_holds_for_every_sensitive_attribute():
    """Of several attributes the one of the largest risk is told, and the limit judges all."""
    mild = AttackResult("inference", "Who?", SuccessCount(150, 1000), SuccessCount(50, 1000))
    often = SuccessCount(900, 1000)
    hidden = AttackResult("inference", "Who?", often, often, other_attack=True)
    told = worst_of([mild, hidden])
    assert told.targets == mild.targets
    assert LimitCheck("inference", 0.2, mild).verdict == "kept"
    assert LimitCheck("inference", 0.2, told).verdict == "undecided"
