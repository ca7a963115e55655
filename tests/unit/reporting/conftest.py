"""Makes small releases by hand, so that reports are tested without an algorithm."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from kanonym.data.errors import Message
from kanonym.data.partition import Partition
from kanonym.data.table import encode
from kanonym.engines.decision import EncodedDecision
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.record_risk import ProsecutorRisk
from kanonym.metrics.release_loss import measure_utility
from kanonym.recoding.recode import recode
from kanonym.reporting import Cover, KnownResults, summarize
from kanonym.verification.verdict import ModelCheck, Part, Verification

CHECKED = (ModelCheck("k-anonymity", None, 2, 2, True),)  # noqa: FBT003


def divided(columns, labels, recodings=None, hierarchies=None):
    """Return table, partition and recoded attributes of records with given classes.

    columns: quasi-identifiers by name. labels: class of each record, -1 suppressed.
    """
    series = [pl.Series(name, values) for name, values in columns.items()]
    hierarchies = hierarchies or {}
    table = encode([(one, hierarchies.get(one.name)) for one in series], [], len(labels))
    labels = np.array(labels, np.int32)
    partition = Partition(labels, int(labels.max(initial=-1)) + 1, by_row=True)
    recodings = recodings or {}
    chosen = [
        recodings.get(domain.name, "set" if domain.kind == "nominal" else "interval")
        for domain in table.domains
    ]
    if not chosen:
        return table, partition, ()
    costs = certainty_costs(table.domains, chosen)
    dtypes = [one.dtype for one in series]
    return table, partition, recode(table, partition, chosen, costs, dtypes)


PARTS = tuple(
    Part(name, "checked", Message("k-anonymity, counted"))
    for name in ("identity", "attributes", "persons")
)


def summary_of(
    columns,
    labels,
    *,
    recodings=None,
    hierarchies=None,
    models=({"type": "k-anonymity", "k": 2},),
    checks=CHECKED,
    roles=None,
    attributes=None,
    algorithm=None,
    rectangles=None,
    title="Patients 2024",
    findings=(),
    largest_shares=(),
    language="en",
    purpose="",
    author="",
    date=datetime.date(2024, 5, 1),
    actions=None,
    provenance=None,
    limits=None,
    **known,
):
    """Return the summary of records with given classes; `known` is what else is known."""
    table, partition, recoded = divided(columns, labels, recodings, hierarchies)
    sizes = np.bincount(partition.labels[partition.labels >= 0], minlength=partition.n_classes)
    of_size, n_of_size = np.unique(sizes, return_counts=True)
    rows = int(sizes.sum())
    roles = roles or dict.fromkeys(columns, "quasi-identifier")
    release = SimpleNamespace(
        policy=SimpleNamespace(
            entities=[one["entity"] for one in models if one.get("entity")],
            to_dict=lambda: {
                "version": 1,
                "attributes": attributes or {},
                "models": list(models),
                "suppression_limit": 0.5,
            },
            seed=7,
            repeatable=True,
            attack_limits=limits or {},
            algorithm=SimpleNamespace(lattice=None),
        ),
        schema=SimpleNamespace(
            attributes={
                name: SimpleNamespace(role=role, action=(actions or {}).get(name, ()))
                for name, role in roles.items()
            }
        ),
        decision=EncodedDecision.of(table, partition, recoded),
        verification=Verification(
            rows,
            partition.n_classes,
            tuple(checks),
            (),
            0,
            dict(zip(of_size.tolist(), n_of_size.tolist(), strict=True)),
            tuple(largest_shares),
            tuple(findings),
            PARTS,
        ),
        utility=measure_utility(table, partition, recoded, sizes),
        risk=ProsecutorRisk.from_sizes(sizes),
        rows_in=len(labels),
        suppressed=len(labels) - rows,
        columns=[name for name, role in roles.items() if role != "identifier"],
        algorithm=algorithm or {"type": "mondrian", "classes": partition.n_classes},
        seconds={"encode": 0.01, "algorithm": 0.02},
    )
    return summarize(
        release,
        Cover.of(title, purpose, author, language, date),
        KnownResults(**known),
        rectangles=rectangles,
        provenance=provenance,
    )


@pytest.fixture(name="divided", scope="session")
def divided_fixture():
    """Give `divided`."""
    return divided


@pytest.fixture(name="summary_of", scope="session")
def summary_of_fixture():
    """Give `summary_of`."""
    return summary_of
