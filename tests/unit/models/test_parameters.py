"""Laws of the models' parameters: what is refused, and how the message says so."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kanonym.data.errors import PolicyError
from kanonym.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    SampleUniqueness,
    TCloseness,
)

REFUSED = {
    "k=0": (lambda: KAnonymity(0), "k is 0; .* integer of at least 1"),
    "k negative": (lambda: KAnonymity(-3), "k is -3"),
    "k fraction": (lambda: KAnonymity(2.5), "k is 2.5"),
    "k text": (lambda: KAnonymity("5"), "k is '5'"),
    "k truth": (lambda: KAnonymity(True), "k is True"),  # noqa: FBT003
    "alpha 0": (lambda: AlphaKAnonymity(0, 2, "s"), "alpha is 0; .* above 0 and at most 1"),
    "alpha above 1": (lambda: AlphaKAnonymity(1.1, 2, "s"), "alpha is 1.1"),
    "alpha's k": (lambda: AlphaKAnonymity(0.5, 0, "s"), "k is 0"),
    "alpha's attribute": (lambda: AlphaKAnonymity(0.5, 2, ""), "attribute is ''"),
    "l below 1": (lambda: LDiversity("s", 0), "l is 0; .* integer of at least 1"),
    "l fraction": (lambda: LDiversity("s", 2.5), "l is 2.5; .* integer"),
    "entropy l below 1": (lambda: LDiversity("s", 0.5, "entropy"), "l is 0.5; .* at least 1"),
    "l NaN": (lambda: LDiversity("s", math.nan, "entropy"), "l is nan"),
    "kind": (lambda: LDiversity("s", 2, "recursiv"), "kind is 'recursiv'; .* distinct or entropy"),
    "no c": (lambda: LDiversity("s", 2, "recursive"), "recursive needs c"),
    "c 0": (lambda: LDiversity("s", 2, "recursive", 0), "c is 0; .* above 0"),
    "c without use": (lambda: LDiversity("s", 2, c=3), "c is 3; kind distinct has no c"),
    "attribute missing": (lambda: LDiversity(None, 2), "attribute is None"),
    "t negative": (lambda: TCloseness("s", -0.1), "t is -0.1; .* at least 0 and at most 1"),
    "t above 1": (lambda: TCloseness("s", 1.5), "t is 1.5"),
    "distance": (lambda: TCloseness("s", 0.1, "far"), "distance is 'far'"),
    "beta 0": (lambda: BetaLikeness("s", 0), "beta is 0; .* above 0"),
    "beta infinite": (lambda: BetaLikeness("s", math.inf), "beta is inf"),
    "beta's kind": (lambda: BetaLikeness("s", 1, "better"), "kind is 'better'"),
    "delta 0": (lambda: DeltaDisclosure("s", 0), "delta is 0; .* above 0"),
    "risk 0": (lambda: AverageRisk(0), "threshold is 0; .* above 0 and at most 1"),
    "risk above 1": (lambda: AverageRisk(1.1), "threshold is 1.1"),
    "uniqueness negative": (lambda: SampleUniqueness(-0.1), "threshold is -0.1; .* at least 0"),
    "uniqueness text": (lambda: PopulationUniqueness("5%", 9), "threshold is '5%'"),
    "nobody": (lambda: PopulationUniqueness(0.1, 0), "population is 0; .* integer of at least 1"),
    "half a person": (lambda: PopulationUniqueness(0.1, 9.5), "population is 9.5"),
    "estimator": (lambda: PopulationUniqueness(0.1, 9, "argus"), "estimator is 'argus'; .* pitman"),
    "k-map's k": (lambda: KMap(0, "r.csv"), "k-map: k is 0"),
    "no population": (lambda: KMap(2, None), "k-map: population is None; .* table, or the path"),
    "empty path": (lambda: KMap(2, ""), "k-map: population is ''"),
    "number of persons": (lambda: KMap(2, 1000), "k-map: population is 1000"),
    "minimum": (lambda: DeltaPresence(-1, 1, "r.csv"), "minimum is -1; .* at least 0"),
    "maximum": (lambda: DeltaPresence(0, 1.5, "r.csv"), "maximum is 1.5; .* at most 1"),
    "bounds": (lambda: DeltaPresence(0.5, 0.4, "r.csv"), "minimum is 0.5, above the maximum 0.4"),
    "presence of whom": (lambda: DeltaPresence(0, 1, None), "delta-presence: population is None"),
}


@pytest.mark.parametrize(("build", "message"), REFUSED.values(), ids=REFUSED)
def test_parameter_out_of_range_is_refused(build, message):
    """A parameter that makes no sense is an error that names it, its value and its range."""
    with pytest.raises(PolicyError, match=message):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: KAnonymity(1),
        lambda: KAnonymity(np.int64(3)),
        lambda: AlphaKAnonymity(1, 1, "s"),
        lambda: LDiversity("s", 1.5, "entropy"),
        lambda: LDiversity("s", 1, "recursive", np.float64(0.5)),
        lambda: TCloseness("s", 0),
        lambda: TCloseness("s", 1),
        lambda: AverageRisk(1),
        lambda: SampleUniqueness(0),
        lambda: PopulationUniqueness(1, np.int64(1), "snb"),
        lambda: DeltaPresence(0.5, 0.5, "r.csv"),
    ],
)
def test_end_of_a_range_is_accepted(build):
    """The ends of a parameter's range belong to it, and numpy's numbers are numbers."""
    assert build().required is not None


def test_models_are_values():
    """Models with equal parameters are equal, and can be keys."""
    assert LDiversity("s", 2) == LDiversity("s", l=2)
    assert len({TCloseness("s", 0.1), TCloseness("s", 0.1), TCloseness("s", 0.2)}) == 2
