"""What is done to single columns: masking, perturbation, pseudonyms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.actions.base import After
    from kanonym.actions.free_text.scrub_text import ScrubText
    from kanonym.actions.masking.dates import ShiftDate, TruncateDate
    from kanonym.actions.masking.masks import Keep, MaskEmail, MaskIban, MaskPhone, Redact, Suppress
    from kanonym.actions.masking.numbers import Bin, Round, TopBottom
    from kanonym.actions.perturbation.noise import CorrelatedNoise, GaussianNoise, LaplaceNoise
    from kanonym.actions.perturbation.pram import Pram, RandomizedResponse, estimated_shares
    from kanonym.actions.perturbation.swapping import RankSwap, Shuffle, Swap
    from kanonym.actions.pseudonymization.fake import Fake
    from kanonym.actions.pseudonymization.ff1 import FF1
    from kanonym.actions.pseudonymization.keyed_pseudonyms import KeyedHash, Surrogate

__all__ = [
    "FF1",
    "After",
    "Bin",
    "CorrelatedNoise",
    "Fake",
    "GaussianNoise",
    "Keep",
    "KeyedHash",
    "LaplaceNoise",
    "MaskEmail",
    "MaskIban",
    "MaskPhone",
    "Pram",
    "RandomizedResponse",
    "RankSwap",
    "Redact",
    "Round",
    "ScrubText",
    "ShiftDate",
    "Shuffle",
    "Suppress",
    "Surrogate",
    "Swap",
    "TopBottom",
    "TruncateDate",
    "estimated_shares",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.actions.pseudonymization.ff1": "FF1",
        "kanonym.actions.base": "After",
        "kanonym.actions.masking.numbers": "Bin Round TopBottom",
        "kanonym.actions.perturbation.noise": "CorrelatedNoise GaussianNoise LaplaceNoise",
        "kanonym.actions.pseudonymization.fake": "Fake",
        "kanonym.actions.masking.masks": "Keep MaskEmail MaskIban MaskPhone Redact Suppress",
        "kanonym.actions.pseudonymization.keyed_pseudonyms": "KeyedHash Surrogate",
        "kanonym.actions.perturbation.pram": "Pram RandomizedResponse estimated_shares",
        "kanonym.actions.perturbation.swapping": "RankSwap Shuffle Swap",
        "kanonym.actions.free_text.scrub_text": "ScrubText",
        "kanonym.actions.masking.dates": "ShiftDate TruncateDate",
    },
)
