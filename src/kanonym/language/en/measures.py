"""Measures of risk and utility, by their names in the JSON contract."""

from __future__ import annotations

from kanonym.language.speech import Sentences

WHO = {
    "prosecutor": ("prosecutor", "records"),
    "journalist": ("journalist", "records"),
    "person": ("counting people", "people"),
    "individual": ("sampling weights", "records"),
    "household": ("household", "records"),
}

SENTENCES: Sentences = {
    "measure.k": "Records in the smallest class (k)",
    "measure.k_wildcard": "The same, if a missing value matches every value",
    "measure.suppressed": "Records that are * in every quasi-identifier",
    "measure.k_unsuppressed": "Records in the smallest class of the others",
    "measure.anonymity_set": "Average class size",
    "measure.alpha": "Largest share of one value in a class (α)",
    "measure.l_distinct": "Fewest distinct values in a class (l)",
    "measure.l_entropy": "Lowest entropy l-diversity of a class",
    "measure.t_equal": "Largest distance between a class and the table (t)",
    "measure.t_ordered": "The same, with ordered distance",
    "measure.t_hierarchical": "The same, with hierarchical distance",
    "measure.basic_beta": "Largest gain of a value in a class (β)",
    "measure.enhanced_beta": "The same, enhanced",
    "measure.delta_disclosure": "Largest log ratio of shares in class and table (δ)",
    **{
        f"measure.{who}_{key}": text.format(whose=whose, things=things)
        for who, (whose, things) in WHO.items()
        for key, text in {
            "highest": "Highest chance of finding a person’s record ({whose})",
            "average": "Average chance of finding a person’s record ({whose})",
            "expected": "Expected number of {things} found ({whose})",
            "at_risk": "Share of {things} above the threshold ({whose})",
            "number_at_risk": "Number of {things} above the threshold ({whose})",
        }.items()
    },
    "measure.average_risk": "Average chance of finding a record",
    "measure.marketer": "Expected share of records found if all are attacked (marketer)",
    "measure.known_items_highest": (
        "Highest probability of picking a person’s record, if items are known, too"
    ),
    "measure.uniques": "Records alone in their class",
    "measure.unique_share": "Share of records alone in their class",
    "measure.person_uniques": "People alone in a class",
    "measure.population_uniques_pitman": "Estimated population uniques (Pitman)",
    "measure.population_uniques_zayatz": "Estimated population uniques (Zayatz)",
    "measure.population_uniques_snb": "Estimated population uniques (negative binomial)",
    "measure.population_uniques_dankar": "Estimated population uniques (Dankar’s rule)",
    "measure.suda_highest": "Highest score of a special unique (SUDA)",
    "measure.suda_mean": "Mean score of special uniques (SUDA)",
    "measure.dis_highest": "Highest chance that a unique match is correct (DIS)",
    "measure.span_loss": "Range covered by released values (span loss)",
    "measure.gcp": "Certainty penalty (GCP)",
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
    "measure.item_loss": "Items: loss (NCP)",
    "measure.item_ncp": "Items: loss as Terrovitis counts it",
    "measure.items_dropped": "Items: share that is dropped",
    "measure.item_labels": "Items: distinct labels",
    "measure.frequent_itemsets_lost": "Items: frequent itemsets that are lost (tKd)",
    "measure.item_pair_error": "Items: relative error of pairs",
    "measure.rmse": "Error of numbers (RMSE)",
    "measure.mse": "Squared error of numbers (MSE)",
    "measure.sse_sst": "Squared error relative to variance (SSE/SST)",
    "measure.il1s": "Error in standard deviations (IL1s)",
    "measure.eigenvalues": "Change of the eigenvalues of the covariance",
    "measure.unchanged_cells": "Cells released unchanged",
    "measure.total_variation": "Distributions: share of records that would have to change",
    "measure.hellinger": "Distributions: Hellinger distance",
    "measure.jensen_shannon": "Distributions: Jensen–Shannon distance",
    "measure.wasserstein": "Distributions: how far values move (Wasserstein)",
    "measure.pairwise_total_variation": (
        "Pairs of columns: share of records that would have to change"
    ),
    "measure.k_marginal": "Pairs of columns: K-marginal score",
    "measure.correlation_difference": "Change of correlations",
    "measure.cramers_v_difference": "Change of associations of categories (Cramér’s V)",
    "measure.correlation_ratio_difference": "Change of correlation ratios",
    "measure.interval_overlap": "Overlap of confidence intervals of means and shares",
    "measure.interval_overlap_regression": "Overlap of confidence intervals of slopes",
    "measure.query_error": "Relative error of counting queries (median)",
    "measure.pmse": "Distinguishability of release and original (pMSE)",
    "measure.detection": "Distinguishability of records of release and original (AUC)",
    "measure.accuracy": "Accuracy of predictions learned from the release",
    "measure.learning": "Quality of predictions learned from the release",
    "threshold": "threshold: {share}",
    "measure.also": "also: {names}",
    "better.lower": "lower is better",
    "better.higher": "higher is better",
}
