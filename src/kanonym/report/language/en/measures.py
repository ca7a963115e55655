"""Measures of risk and utility, by their names in the JSON contract."""

from __future__ import annotations

from kanonym.report.language.speech import Sentences

WHO = {
    "prosecutor": ("of a known person", "records"),
    "journalist": ("of somebody in the population", "records"),
    "person": ("of a known person, persons counted", "persons"),
    "individual": ("with sampling weights", "records"),
    "household": ("of somebody of a household", "records"),
}

SENTENCES: Sentences = {
    "measure.k": "Records of the smallest class (k)",
    "measure.k_wildcard": "The same, a missing value matching every value",
    "measure.alpha": "Largest share of one value in a class (α)",
    "measure.l_distinct": "Fewest different values in a class (l)",
    "measure.l_entropy": "Least entropy l-diversity of a class",
    "measure.t_equal": "Largest distance of a class to the table (t)",
    "measure.t_ordered": "The same, with the order of values",
    "measure.t_hierarchical": "The same, with distances of a hierarchy",
    "measure.basic_beta": "Largest gain of a value in a class (β)",
    "measure.enhanced_beta": "The same, enhanced",
    "measure.delta_disclosure": "Largest log ratio of shares in class and table (δ)",
    **{
        f"measure.{who}_{key}": text.format(whose=whose, things=things)
        for who, (whose, things) in WHO.items()
        for key, text in {
            "highest": "Highest chance to find the record {whose}",
            "average": "Average chance to find the record {whose}",
            "expected": "Expected number of found {things} ({whose})",
            "at_risk": "Share of {things} above the threshold ({whose})",
            "number_at_risk": "Number of {things} above the threshold ({whose})",
        }.items()
    },
    "measure.average_risk": "Average chance to find a record",
    "measure.marketer": "Expected share of records found when all are looked for",
    "measure.uniques": "Records alone in their class",
    "measure.unique_share": "Share of records alone in their class",
    "measure.person_uniques": "Persons alone in a class",
    "measure.population_uniques_pitman": "Estimated population uniques (Pitman)",
    "measure.population_uniques_zayatz": "Estimated population uniques (Zayatz)",
    "measure.population_uniques_snb": "Estimated population uniques (negative binomial)",
    "measure.population_uniqueness": "Average chance to be unique in the population",
    "measure.population_correctness": "Average chance that a match is correct",
    "measure.suda_highest": "Highest score of a special unique (SUDA)",
    "measure.suda_mean": "Mean score of special uniques (SUDA)",
    "measure.dis_highest": "Highest chance that a unique match is correct (DIS)",
    "measure.gcp": "Range left open by released values (GCP)",
    "measure.loss": "Loss, geometric mean",
    "measure.loss_arithmetic": "Loss, arithmetic mean",
    "measure.average_class_size": "Average class size",
    "measure.discernibility": "Discernibility",
    "measure.non_uniform_entropy": "Non-uniform entropy",
    "measure.normalized_entropy": "Normalized entropy",
    "measure.precision": "Height of the hierarchies used (precision)",
    "measure.height": "Levels used (height)",
    "measure.kl_divergence": "Kullback–Leibler divergence",
    "measure.ambiguity": "Ambiguity",
    "measure.rmse": "Error of numbers (RMSE)",
    "measure.mse": "Squared error of numbers (MSE)",
    "measure.sse_sst": "Squared error by variance (SSE/SST)",
    "measure.il1s": "Error in standard deviations (IL1s)",
    "measure.eigenvalues": "Change of the eigenvalues of the covariance",
    "measure.unchanged_cells": "Cells released unchanged",
    "measure.total_variation": "Distributions: records that would have to move",
    "measure.hellinger": "Distributions: Hellinger distance",
    "measure.jensen_shannon": "Distributions: Jensen–Shannon distance",
    "measure.wasserstein": "Distributions: how far values move (Wasserstein)",
    "measure.pairwise_total_variation": "Pairs of columns: records that would have to move",
    "measure.correlation_difference": "Change of correlations",
    "measure.cramers_v_difference": "Change of associations of categories (Cramér’s V)",
    "measure.correlation_ratio_difference": "Change of correlation ratios",
    "measure.interval_overlap": "Overlap of confidence intervals of means and shares",
    "measure.interval_overlap_regression": "Overlap of confidence intervals of slopes",
    "measure.query_error": "Relative error of counting queries, median",
    "measure.pmse": "How well release and original are told apart (pMSE)",
    "measure.learning": "Quality of predictions learnt on the release",
    "threshold": "threshold: {share}",
    "better.lower": "less is better",
    "better.higher": "more is better",
}
