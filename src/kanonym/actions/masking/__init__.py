"""Hide a part of each value: characters, digits, ends of a range, days; or the whole value."""

from __future__ import annotations

from kanonym.actions.base import Action
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
