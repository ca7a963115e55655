"""Rounds the figures of a report, so that none of them shows fewer than k persons.

See docs/decisions/0020-report-figures.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanonym.metrics.coverage import Coverage
    from kanonym.metrics.release_loss import InformationLoss

FINEST = 0.001
"""Finest step of a share: a report shows tenths of a percent."""
_STEPS = (1, 2, 5)


def round_count(number: float, base: int) -> int:
    """Round a number of records to a multiple of `base`, halves up."""
    return base * math.floor(number / base + 0.5)


def step_of_shares(rows: int, floor: int) -> float:
    """Return the step to which shares are rounded: `floor` persons, as 1, 2 or 5 times 10^-n.

    At least 0.001: a report shows tenths of a percent.
    """
    least = max(floor / max(rows, 1), FINEST)
    power = math.floor(math.log10(least))
    steps = (digit * 10.0**exponent for exponent in (power, power + 1) for digit in _STEPS)
    return min(next(round(step, 9) for step in steps if step >= least * (1 - 1e-9)), 0.5)


def round_share(share: float, step: float = FINEST) -> float:
    """Round a share to a multiple of `step`."""
    return round(round(share / step) * step, 9) if math.isfinite(share) else share


def round_amount(amount: float, step: float) -> float:
    """Round a number to as many digits as shares have with `step`, one to three."""
    if not amount or not math.isfinite(amount):
        return amount
    digits = max(1, min(3, math.floor(-math.log10(step) + 1e-9)))
    return float(f"{amount:.{digits}g}")


def coarse_amount(amount: float | None, step: float) -> float | None:
    """Round a number that may be missing, as `round_amount` does."""
    return None if amount is None else round_amount(amount, step)


def coarse_utility(utility: InformationLoss, step: float) -> dict[str, Any]:
    """Return the losses in tenths of a percent, and errors in few digits."""
    form = dict(utility.to_dict())
    for name in ("span_loss", "gcp", "loss", "loss_arithmetic"):
        if form.get(name) is not None:
            form[name] = round_share(form[name])
    covered = coarse_coverage(utility, step)
    form["coverage"] = {name: coverage.to_dict() for name, coverage in covered.items()}
    form["ncp"] = {name: round_share(loss) for name, loss in form["ncp"].items()}
    form["rmse"] = {name: round_amount(error, step) for name, error in form["rmse"].items()}
    return form


def coarse_coverage(utility: InformationLoss, step: float) -> dict[str, Coverage]:
    """Return what labels cover: shares in tenths of a percent, numbers in few digits."""
    return {
        name: replace(
            coverage,
            loss=round_share(coverage.loss),
            span=round_share(coverage.span),
            listed=round_share(coverage.listed),
            values=round_amount(coverage.values, step),
        )
        for name, coverage in utility.coverage.items()
    }


def coarse_account(algorithm: Mapping[str, Any], floor: int) -> dict[str, Any]:
    """Return what the algorithm tells, with numbers of suppressed cells rounded."""
    account = dict(algorithm)
    if "cells" in account:
        account["cells"] = {name: round_count(n, floor) for name, n in account["cells"].items()}
        account["suppressed_cells"] = round_count(account["suppressed_cells"], floor)
        for name in ("lower_bound", "gap"):
            if name in account:
                account[name] = round_count(account[name], floor)
    return account
