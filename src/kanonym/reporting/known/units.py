"""In what each figure of a report is counted: keys of the catalogues, `unit.…`."""

from __future__ import annotations

from collections.abc import Mapping

WHO = {
    "prosecutor": "records",
    "journalist": "records",
    "person": "persons",
    "individual": "records",
    "household": "records",
}
_OF_WHO = {
    "highest": "probability",
    "average": "probability",
    "expected": "{}",
    "at_risk": "share-of-{}",
    "number_at_risk": "{}",
}

MEASURES: Mapping[str, str] = {
    **{
        f"{who}_{key}": unit.format(counted)
        for who, counted in WHO.items()
        for key, unit in _OF_WHO.items()
    },
    "k": "records",
    "k_wildcard": "records",
    "anonymity_set": "records-per-class",
    "alpha": "share-of-class",
    "l_distinct": "values",
    "l_entropy": "effective-values",
    "t_equal": "share-of-records",
    "t_ordered": "share-of-order",
    "t_hierarchical": "share-of-height",
    "basic_beta": "relative-gain",
    "enhanced_beta": "relative-gain",
    "delta_disclosure": "logarithm",
    "average_risk": "probability",
    "marketer": "share-of-records",
    "uniques": "records",
    "unique_share": "share-of-records",
    "person_uniques": "persons",
    "population_uniques_pitman": "persons",
    "population_uniques_zayatz": "persons",
    "population_uniques_snb": "persons",
    "population_uniques_dankar": "persons",
    "copula_uniqueness": "share-of-population",
    "copula_correctness": "probability",
    "suda_highest": "score",
    "suda_mean": "score",
    "dis_highest": "probability",
    "span_loss": "share-of-range",
    "gcp": "share-of-range",
    "loss": "share-of-domain",
    "loss_arithmetic": "share-of-domain",
    "average_class_size": "records-per-class",
    "discernibility": "pairs",
    "non_uniform_entropy": "bits",
    "normalized_entropy": "share-of-entropy",
    "precision": "share-of-height",
    "height": "levels",
    "kl_divergence": "bits",
    "ambiguity": "combinations",
    "rmse": "units",
    "mse": "squared-units",
    "sse_sst": "percent-of-variance",
    "il1s": "deviations",
    "eigenvalues": "relative-differences",
    "unchanged_cells": "share-of-cells",
    "total_variation": "share-of-records",
    "hellinger": "share-of-distance",
    "jensen_shannon": "share-of-distance",
    "wasserstein": "share-of-range",
    "pairwise_total_variation": "share-of-records",
    "k_marginal": "points-of-thousand",
    "correlation_difference": "coefficients",
    "cramers_v_difference": "coefficients",
    "correlation_ratio_difference": "coefficients",
    "interval_overlap": "share-of-interval",
    "interval_overlap_regression": "share-of-interval",
    "query_error": "relative-error",
    "pmse": "squared-probability",
    "detection": "area",
    "learning": "share-of-advantage",
    "accuracy": "share-of-predictions",
}
"""The unit of each measure of risk and utility, by its name in the JSON contract."""
