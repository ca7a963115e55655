"""Hide a part of each value: characters, digits, ends of a range, days; or the whole value."""

from __future__ import annotations

from kanonym.transforms.action import Action
from kanonym.transforms.masking.bins import Bin
from kanonym.transforms.masking.keep import Keep
from kanonym.transforms.masking.mask_email import MaskEmail
from kanonym.transforms.masking.mask_iban import MaskIban
from kanonym.transforms.masking.mask_phone import MaskPhone
from kanonym.transforms.masking.redact import Redact
from kanonym.transforms.masking.rounding import Round
from kanonym.transforms.masking.shift_date import ShiftDate
from kanonym.transforms.masking.suppress import Suppress
from kanonym.transforms.masking.top_bottom import TopBottom
from kanonym.transforms.masking.truncate_date import TruncateDate

ACTIONS: tuple[type[Action], ...] = (
    Keep,
    Redact,
    Round,
    TopBottom,
    Bin,
    Suppress,
    TruncateDate,
    ShiftDate,
    MaskEmail,
    MaskPhone,
    MaskIban,
)
"""Every masking action."""
