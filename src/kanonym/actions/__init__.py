"""What is done to single columns: masking, perturbation, pseudonyms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading.lazy_names import lazy_names

if TYPE_CHECKING:
    from kanonym.actions.base import After
    from kanonym.actions.free_text.scrub_text import ScrubText
    from kanonym.actions.masking.bins import Bin
    from kanonym.actions.masking.keep import Keep
    from kanonym.actions.masking.mask_email import MaskEmail
    from kanonym.actions.masking.mask_iban import MaskIban
    from kanonym.actions.masking.mask_phone import MaskPhone
    from kanonym.actions.masking.redact import Redact
    from kanonym.actions.masking.rounding import Round
    from kanonym.actions.masking.shift_date import ShiftDate
    from kanonym.actions.masking.suppress import Suppress
    from kanonym.actions.masking.top_bottom import TopBottom
    from kanonym.actions.masking.truncate_date import TruncateDate
    from kanonym.actions.perturbation.correlated_noise import CorrelatedNoise
    from kanonym.actions.perturbation.noise import GaussianNoise, LaplaceNoise
    from kanonym.actions.perturbation.pram import Pram
    from kanonym.actions.perturbation.randomized_response import (
        RandomizedResponse,
        estimated_shares,
    )
    from kanonym.actions.perturbation.rank_swap import RankSwap
    from kanonym.actions.perturbation.shuffle import Shuffle
    from kanonym.actions.perturbation.swap import Swap
    from kanonym.actions.pseudonymization.fake import Fake
    from kanonym.actions.pseudonymization.ff1 import FF1
    from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
    from kanonym.actions.pseudonymization.surrogate import Surrogate

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
        "Bin": "kanonym.actions.masking.bins",
        "CorrelatedNoise": "kanonym.actions.perturbation.correlated_noise",
        "Fake": "kanonym.actions.pseudonymization.fake",
        "GaussianNoise": "kanonym.actions.perturbation.noise",
        "Keep": "kanonym.actions.masking.keep",
        "KeyedHash": "kanonym.actions.pseudonymization.keyed_hash",
        "LaplaceNoise": "kanonym.actions.perturbation.noise",
        "MaskEmail": "kanonym.actions.masking.mask_email",
        "MaskIban": "kanonym.actions.masking.mask_iban",
        "MaskPhone": "kanonym.actions.masking.mask_phone",
        "Pram": "kanonym.actions.perturbation.pram",
        "RandomizedResponse": "kanonym.actions.perturbation.randomized_response",
        "RankSwap": "kanonym.actions.perturbation.rank_swap",
        "Redact": "kanonym.actions.masking.redact",
        "Round": "kanonym.actions.masking.rounding",
        "ScrubText": "kanonym.actions.free_text.scrub_text",
        "ShiftDate": "kanonym.actions.masking.shift_date",
        "Shuffle": "kanonym.actions.perturbation.shuffle",
        "Suppress": "kanonym.actions.masking.suppress",
        "Surrogate": "kanonym.actions.pseudonymization.surrogate",
        "Swap": "kanonym.actions.perturbation.swap",
        "TopBottom": "kanonym.actions.masking.top_bottom",
        "TruncateDate": "kanonym.actions.masking.truncate_date",
        "estimated_shares": "kanonym.actions.perturbation.randomized_response",
    },
)
