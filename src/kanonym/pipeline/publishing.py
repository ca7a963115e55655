"""From a decision to a published release: staged, verified from what was written, published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kanonym.actions.registry import has_late_actions
from kanonym.data.errors import DataError, InfeasibleError
from kanonym.engines.base import Input
from kanonym.verification.release_view import ReleaseView, verify_release
from kanonym.verification.verdict import ModelCheck, Verification


class Published(NamedTuple):
    """What came of an input."""

    frame: Any
    view: ReleaseView
    verification: Verification
    staged: Any


def publish(source: Input, decision: Any, *, required: bool = True) -> Published:
    """Stage what was decided, verify what was written, and publish it; required: if models hold."""
    staged = source.stage(decision)
    try:
        with source.watch.stage("verify"):
            view = source.view(decision, staged)
            verification = verify_release(view)
            _require_records(verification.rows, decision.rows_out)
            if required:
                _require_satisfied(view, verification)
        return Published(staged.publish(), view, verification, staged)
    except BaseException:
        staged.discard()
        raise


def _require_records(written: int, counted: int) -> None:
    if written != counted:
        raise DataError(
            f"{counted} records were counted for the release, and {written} were written. Nothing "
            "is released. If others write to the table, work on a copy; else a join or a view "
            "gives other rows each time"
        )


def _require_satisfied(view: ReleaseView, verification: Verification) -> None:
    # A seed voids what a mechanism promises, and nothing else: the verdict says so.
    failing = [one for one in verification.checks if not (one.satisfied or one.repeatable)]
    if not failing:
        return
    changed = [name for name, one in view.attributes.items() if has_late_actions(one.action)]
    refuse_linked_rows(failing)
    reason = "This is a defect of kanonym: please report it"
    if any(check.guarantee == "population" for check in failing):
        reason = (
            "A label that stands for different values at several levels of its hierarchy is "
            "read at the lowest: give each level labels of its own"
        )
    if changed:
        reason = (
            f"Actions with `when: after` split equivalence classes ({', '.join(changed)}): "
            f"remove them, or apply them before the algorithm"
        )
    failed = ", ".join(check.type for check in failing)
    raise InfeasibleError(
        f"the recoded table fails {failed} in {verification.n_violating} classes; "
        f"nothing is released. {reason}"
    )


def refuse_linked_rows(failing: Sequence[ModelCheck], what: str = "") -> None:
    """Refuse a release of which a column links rows of persons, if too few are alike."""
    linked = [check for check in failing if check.linked_by]
    if not linked:
        return
    columns = ", ".join(dict.fromkeys(name for check in linked for name in check.linked_by))
    raise InfeasibleError(
        f"{what}{columns} tells whose rows are whose, so k counts persons with all their rows, and "
        f"the fewest persons who are alike in all rows are {linked[0].achieved:g}, not "
        f"{linked[0].required:g}. Nothing is released. Drop {columns}; or release it as linked "
        "tables (docs: linked tables), which limit the rows of a person (cap, merge, band) and "
        "generalize until persons are alike in all rows"
    )
