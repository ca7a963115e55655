"""What a manifest tells of a release beside its figures: the search, and the order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanonym.engines.decision import Decision
from kanonym.policy import Policy

if TYPE_CHECKING:
    from kanonym.release import Release

SEARCHED = ("nodes_checked", "lower_bound", "gap")
"""What an account tells of a search that looked at all records."""


def account_of(decision: Decision, policy: Policy) -> dict[str, Any]:
    """Return what the algorithm tells of its search, and of which records the score is."""
    account, search = dict(decision.account), policy.algorithm.lattice
    suppressed = decision.rows_in - decision.rows_out
    if search is None or "score" not in account or not suppressed:
        return account
    own = decision.encoded().released
    if own is decision:
        return account
    from kanonym.algorithms.full_domain import score_of_released  # noqa: PLC0415 - loads much

    score = score_of_released(search, own.table, own.account["levels"], suppressed)
    return {**account, **({"score_of": "all records"} if score is None else {"score": score})}


def published_account(release: Release[Any]) -> dict[str, Any]:
    """Return `Release.algorithm` as a manifest and a report tell it.

    How far a search had to go, and in how many levels, depends on every record, suppressed ones
    included: levels are counted as the released records have them.
    """
    account = release.algorithm
    if not release.suppressed:
        return account
    hidden = [*SEARCHED, *(["score", "score_of"] if "score_of" in account else [])]
    if account.get("lattice_size") != 1:  # else the policy says all levels
        hidden.append("lattice_size")
    if "levels" in release.decision.account:
        own = release.decision.encoded().released
        account |= {"levels": own.account["levels"], "highest_levels": highest_levels(own)}
    return {name: value for name, value in account.items() if name not in hidden}


def highest_levels(decision: Decision) -> dict[str, int]:
    """Return the level of the root, by quasi-identifier with a hierarchy."""
    return {
        domain.name: domain.hierarchy.n_levels - 1
        for domain in decision.encoded().table.domains
        if domain.hierarchy is not None
    }


def order_text(policy: Policy, *, on_engine: bool, private: bool) -> str:
    """Return what a manifest says of the order of the records."""
    if on_engine:
        return "by the released values; no seed is used"
    if private:
        return "shuffled"
    if policy.keep_order:
        return "that of the input, which can reveal identities"
    if policy.seed is None:
        return (
            "shuffled by a random seed that was not stored: the same command gives another "
            "order, and other random values of actions"
        )
    return (
        "shuffled by the seed: whoever has it can restore the order by released values, and "
        "reproduce the random values of actions. Protect this file like the table"
    )


def chance_text(policy: Policy) -> str | None:
    """Return what a manifest says of decisions that were left to chance; None without any."""
    if not policy.leaves_to_chance:
        return None
    if policy.private_seed is None:
        return (
            "by a private seed that was drawn for this release and not stored: the same command "
            "may give other classes"
        )
    return "by the custodian's private seed: whoever has it can undo what chance hides"
