"""What the trial asks of releases: privacy models as policies have them, by name."""

from __future__ import annotations

ABOUT_S = {"attribute": "s"}
SICK = {"*": {"viral": ["hiv", "flu"], "healthy": ["none"]}}
"""The hierarchy of the sensitive attribute, for the hierarchical distance."""

MODELS = {
    "k-anonymity": [{"type": "k-anonymity", "k": 2}],
    "k-anonymity 5": [{"type": "k-anonymity", "k": 5}],
    "k-anonymity of persons": [{"type": "k-anonymity", "k": 2, "entity": "person"}],
    "k-anonymity of persons by site": [
        {"type": "k-anonymity", "k": 2, "entity": ["site", "number"]}
    ],
    "l distinct": [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", **ABOUT_S, "l": 2}],
    "l entropy": [{"type": "l-diversity", **ABOUT_S, "l": 1.3, "kind": "entropy"}],
    "l recursive": [{"type": "l-diversity", **ABOUT_S, "l": 2, "kind": "recursive", "c": 3}],
    "alpha-k": [{"type": "alpha-k-anonymity", "alpha": 0.95, "k": 2, **ABOUT_S}],
    "t equal": [{"type": "k-anonymity", "k": 2}, {"type": "t-closeness", **ABOUT_S, "t": 0.3}],
    "t ordered": [
        {"type": "k-anonymity", "k": 2},
        {"type": "t-closeness", **ABOUT_S, "t": 0.3, "distance": "ordered"},
    ],
    "t hierarchical": [
        {"type": "k-anonymity", "k": 2},
        {"type": "t-closeness", **ABOUT_S, "t": 0.2, "distance": "hierarchical"},
    ],
    "t largest difference": [
        {"type": "k-anonymity", "k": 2},
        {"type": "t-closeness", **ABOUT_S, "t": 0.3, "distance": "largest-difference"},
    ],
    "t kullback-leibler": [
        {"type": "k-anonymity", "k": 2},
        {"type": "t-closeness", **ABOUT_S, "t": 0.4, "distance": "kullback-leibler"},
    ],
    "beta basic": [{"type": "beta-likeness", **ABOUT_S, "beta": 2}],
    "beta enhanced": [{"type": "beta-likeness", **ABOUT_S, "beta": 2, "kind": "enhanced"}],
    "delta-disclosure": [{"type": "delta-disclosure", **ABOUT_S, "delta": 3}],
    "average-risk": [{"type": "average-risk", "threshold": 0.4}],
    "sample-uniqueness": [{"type": "sample-uniqueness", "threshold": 0.1}],
    **{
        f"uniqueness {estimator}": [
            {
                "type": "population-uniqueness",
                "threshold": 0.1,
                "population": 1000 if estimator == "pitman" else 200,
                "estimator": estimator,
            }
        ]
        for estimator in ("pitman", "zayatz", "snb", "dankar")
    },
    "k-map": [{"type": "k-map", "k": 4}],
    "delta-presence": [{"type": "delta-presence", "minimum": 0, "maximum": 0.7}],
    "delta-presence low": [{"type": "delta-presence", "minimum": 0.05, "maximum": 0.8}],
}
"""A policy's models by a name; those that count a population get it from the trial."""

OF_PERSONS = ("k-map", "delta-presence", "delta-presence low")
"""Those that count a population table."""
COUNTING = tuple(name for name, models in MODELS.items() if "entity" in models[0])
"""Those that count the persons of the table."""


def with_population(models, population):
    """Return models with a population table where they count one."""
    counting = ("k-map", "delta-presence")
    return [{**one, "population": population} if one["type"] in counting else one for one in models]
