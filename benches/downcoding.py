"""What local recoding with k-anonymity tells of the labels one level below: Adult.

Needs ../shared/data beside the checkout. For each k: pairs of a class and an attribute with
labels below, the bits that a cell leaves open and those that the rule takes away, and in how
many pairs all counts are known, and all labels surely there; and how often that is wrong.

    python benches/downcoding.py [K ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import kanonym as ka
from kanonym.evaluation.attacks.matching.sizes import one_step

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "adult"


def main() -> None:
    """Print a line for each k."""
    frame = ka.read_table(FOLDER / "adult.csv")
    known = [name for name in frame.columns if name != "salary-class"]
    for k in [int(one) for one in sys.argv[1:]] or [2, 3, 5, 10]:
        release = ka.anonymize(
            frame,
            quasi_identifiers=known,
            others="insensitive",
            hierarchies={
                name: ka.hierarchy.from_file(FOLDER / f"hierarchy_{name}.csv") for name in known
            },
            algorithm=ka.LocalRecoding(),
            k=k,
        )
        problem, found = release.decision.refinement
        table = problem.table
        n = np.bincount(found.labels, table.weights, found.n_classes).astype(np.int64)
        totals = np.zeros(6)
        for a, domain in enumerate(table.domains):
            tree, level = domain.hierarchy.codes, found.levels[:, a]
            under = tree[np.maximum(level - 1, 0)[found.labels], table.codes[:, a]]
            first = np.unique(found.labels, return_index=True)[1]
            heads = table.codes[first, a]
            below = np.zeros(found.n_classes, np.int64)
            for c in np.flatnonzero(level > 0):
                own = tree[level[c]] == tree[level[c], heads[c]]
                below[c] = len(np.unique(tree[level[c] - 1, own]))
            held = np.unique(np.stack([found.labels, under]), axis=1)[0]
            occur = np.bincount(held, minlength=found.n_classes)
            step = one_step(n, below, k)
            several = below > 1
            wrong = step.present & (occur < below)
            totals += [
                several.sum(), (step.bits / n).sum(), (step.told / n).sum(),
                step.known.sum(), step.present.sum(), wrong.sum(),
            ]  # fmt: skip
        pairs, bits, told, exact, present, wrong = totals.tolist()
        print(
            f"k={k:<3} {pairs:>6.0f} pairs   {bits / pairs:.2f} bits open, {told / bits:.1%} told"
            f"   counts known {exact:.0f}   all labels present {present:.0f} (wrong: {wrong:.0f})",
            flush=True,
        )


if __name__ == "__main__":
    if FOLDER.exists():
        main()
    else:
        print(f"skipped: no {FOLDER}")
