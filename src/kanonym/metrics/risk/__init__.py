"""How likely a person is re-identified."""

from __future__ import annotations

from kanonym.metrics.risk.assessment import RiskAssessment, measure_risk
from kanonym.metrics.risk.entities import PersonRisk, person_risk
from kanonym.metrics.risk.entries import ENTRIES
from kanonym.metrics.risk.individual import (
    HouseholdRisk,
    estimated_population,
    household_risk,
    individual_risk,
)
from kanonym.metrics.risk.population import PopulationUniques, population_uniques
from kanonym.metrics.risk.presets import PRESETS, Preset, Verdict
from kanonym.metrics.risk.sizes import RecordRisk, Risk, journalist, marketer, prosecutor

__all__ = [
    "ENTRIES",
    "PRESETS",
    "HouseholdRisk",
    "PersonRisk",
    "PopulationUniques",
    "Preset",
    "RecordRisk",
    "Risk",
    "RiskAssessment",
    "Verdict",
    "estimated_population",
    "household_risk",
    "individual_risk",
    "journalist",
    "marketer",
    "measure_risk",
    "person_risk",
    "population_uniques",
    "prosecutor",
]
