"""How likely a person is re-identified."""

from __future__ import annotations

from kanonym.evaluation.risk.assessment import RiskAssessment, measure_risk
from kanonym.evaluation.risk.individual import (
    HouseholdRisk,
    PopulationUniques,
    estimated_population,
    household_risk,
    individual_risk,
    population_uniques,
)
from kanonym.evaluation.risk.presets import ENTRIES, PRESETS, Preset, Verdict

__all__ = [
    "ENTRIES",
    "PRESETS",
    "HouseholdRisk",
    "PopulationUniques",
    "Preset",
    "RiskAssessment",
    "Verdict",
    "estimated_population",
    "household_risk",
    "individual_risk",
    "measure_risk",
    "population_uniques",
]
