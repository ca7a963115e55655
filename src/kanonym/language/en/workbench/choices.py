"""What models promise, what differential privacy excludes, when an algorithm is chosen."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.model.k-anonymity": (
        "Whoever knows somebody’s quasi-identifiers finds at least k records that could be theirs."
    ),
    "wb.model.k-anonymity.not": (
        "If all of them share one diagnosis, it is known. Add l-diversity or t-closeness."
    ),
    "wb.model.alpha-k-anonymity": (
        "As k-anonymity; and no sensitive value has more than the share alpha of a class."
    ),
    "wb.model.alpha-k-anonymity.not": (
        "Rare values may still be much more frequent than in the table."
    ),
    "wb.model.l-diversity": (
        "Each class has several well-represented sensitive values: nobody’s value is certain."
    ),
    "wb.model.l-diversity.not": (
        "A value may be far more likely than in the table, and different values may mean the same."
    ),
    "wb.model.t-closeness": (
        "In no class do the sensitive values differ much from the whole table: belonging to a "
        "class tells little."
    ),
    "wb.model.t-closeness.not": "It sets no class size: combine it with k-anonymity.",
    "wb.model.beta-likeness": "No sensitive value becomes much more likely than in the table.",
    "wb.model.beta-likeness.not": "Values may become much less likely. It sets no class size.",
    "wb.model.delta-disclosure": "Each sensitive value stays about as likely as in the table.",
    "wb.model.delta-disclosure.not": "It is hard to satisfy, and costs much information.",
    "wb.model.average-risk": "On average, the chance of finding a person’s record is limited.",
    "wb.model.average-risk.not": "Some records may be unique: single people are not protected.",
    "wb.model.sample-uniqueness": "Few records are unique in the release.",
    "wb.model.sample-uniqueness.not": "Those that are unique are not protected.",
    "wb.model.population-uniqueness": "By estimate, few records are unique in the population.",
    "wb.model.population-uniqueness.not": (
        "It is an estimate that treats the table as a random sample."
    ),
    "wb.model.k-map": "Every record matches at least k people of a population table.",
    "wb.model.k-map.not": (
        "Whoever knows that somebody is in the table may still find the record."
    ),
    "wb.model.delta-presence": (
        "Nobody can be sure that a person of the population is in the table."
    ),
    "wb.model.delta-presence.not": "Sensitive values are not looked at.",
    "wb.model.km-anonymity": (
        "Whoever knows up to m items of a person finds at least k records that could be theirs."
    ),
    "wb.model.km-anonymity.not": (
        "Quasi-identifiers are not looked at, nor items that all these records share."
    ),
    "wb.model.k-km-anonymity": (
        "Each class has k records, and in it known items have k records, too."
    ),
    "wb.model.k-km-anonymity.not": (
        "An item that all records of a class share is learned. Small classes lose many items."
    ),
    "wb.model.differential-privacy": (
        "Whatever anybody learns from the release, they would learn almost the same if any one "
        "record were not in the table."
    ),
    "wb.model.differential-privacy.not": (
        "What holds for many people is still learned. Each further release of the same table adds "
        "its ε. Many records are left out, and no other requirement may stand beside it."
    ),
    "wb.export.unseeded": (
        "This makes a release by the same policy. The policy has no seed, so its records come in "
        "another order, and what is drawn at random differs."
    ),
    "wb.algorithm.auto": (
        "Tries segmentation, Mondrian and, in small tables, k-member, and keeps what loses least. "
        "The usual choice."
    ),
    "wb.algorithm.mondrian": (
        "Cuts the table again and again. Fast at any size; classes do not overlap."
    ),
    "wb.algorithm.segmentation": "Orders the records and cuts the order. Loses little.",
    "wb.algorithm.full-domain": (
        "Generalizes every value of a column to the same level. Choose it if analysts need one "
        "scale."
    ),
    "wb.algorithm.local-recoding": (
        "Labels of hierarchies, but each class at its own level: less loss than full-domain."
    ),
    "wb.algorithm.cell-suppression": (
        "Releases original values, with some cells blank, as statistical offices do."
    ),
    "wb.algorithm.mdav": "Microaggregation: numbers stay numbers, each the mean of its class.",
    "wb.algorithm.ona": "Microaggregation that improves its classes step by step.",
    "wb.algorithm.mona": "As ona, for large tables.",
    "wb.algorithm.kdtree": "Halves the records again and again, one column after the other.",
    "wb.algorithm.k-member": "Adds the nearest records to a class, one by one. Small tables only.",
    "wb.algorithm.kmeans": "Clusters of k-means; their size follows from the data.",
    "wb.algorithm.individual-ranking": (
        "Microaggregates each column by itself. It gives no k-anonymity of records."
    ),
}
