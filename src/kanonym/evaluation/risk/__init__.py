"""How likely a person is re-identified."""

from __future__ import annotations

from kanonym.evaluation.risk.assessment import RiskAssessment, measure_risk
from kanonym.evaluation.risk.entries import ENTRIES
from kanonym.evaluation.risk.individual import (
    HouseholdRisk,
    estimated_population,
    household_risk,
    individual_risk,
)
from kanonym.evaluation.risk.population import PopulationUniques, population_uniques
from kanonym.evaluation.risk.presets import PRESETS, Preset, Verdict

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
