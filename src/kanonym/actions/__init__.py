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
        "FF1": "kanonym.actions.pseudonymization.ff1",
        "After": "kanonym.actions.base",
        "Bin": "kanonym.actions.masking.numbers",
        "CorrelatedNoise": "kanonym.actions.perturbation.noise",
        "Fake": "kanonym.actions.pseudonymization.fake",
        "GaussianNoise": "kanonym.actions.perturbation.noise",
        "Keep": "kanonym.actions.masking.masks",
        "KeyedHash": "kanonym.actions.pseudonymization.keyed_pseudonyms",
        "LaplaceNoise": "kanonym.actions.perturbation.noise",
        "MaskEmail": "kanonym.actions.masking.masks",
        "MaskIban": "kanonym.actions.masking.masks",
        "MaskPhone": "kanonym.actions.masking.masks",
        "Pram": "kanonym.actions.perturbation.pram",
        "RandomizedResponse": "kanonym.actions.perturbation.pram",
        "RankSwap": "kanonym.actions.perturbation.swapping",
        "Redact": "kanonym.actions.masking.masks",
        "Round": "kanonym.actions.masking.numbers",
        "ScrubText": "kanonym.actions.free_text.scrub_text",
        "ShiftDate": "kanonym.actions.masking.dates",
        "Shuffle": "kanonym.actions.perturbation.swapping",
        "Suppress": "kanonym.actions.masking.masks",
        "Surrogate": "kanonym.actions.pseudonymization.keyed_pseudonyms",
        "Swap": "kanonym.actions.perturbation.swapping",
        "TopBottom": "kanonym.actions.masking.numbers",
        "TruncateDate": "kanonym.actions.masking.dates",
        "estimated_shares": "kanonym.actions.perturbation.pram",
    },
)
