"""Run: the algorithm with its options, progress, cancel."""

from __future__ import annotations

from typing import Any

from kanonym.data.errors import DataError, KanonymError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.schema import RECODINGS, Role
from kanonym.differential_privacy.ledger import read_ledger
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.workbench.forms import (
    Field,
    check_typed,
    fields_of,
    number_of,
    parse_fields,
    summary_of,
    with_sent,
)
from kanonym.workbench.project.history import columns_of, is_private, with_parts
from kanonym.workbench.view import Screen, View

FIRST = ("auto", "mondrian", "segmentation", "full-domain", "local-recoding", "mdav")
"""Algorithms that are shown before the others."""


async def show(view: View) -> dict[str, Any]:
    """Return the algorithms, and the options of the chosen one."""
    form = view.project.form
    own = dict(form.get("algorithm") or {"type": "mondrian"})
    kind = view.sent.get("type") or view.request.query_params.get("algorithm", own["type"])
    if kind not in ALGORITHMS:
        kind = own["type"]
    given = own if kind == own["type"] else {}
    inputs, limit = _inputs(view, kind, given), f"{100 * form.get('suppression_limit', 0.0):g}"
    recoding, keep_order = form.get("recoding", ""), form.get("keep_order", False)
    if "type" in view.sent:  # refused: the form stays as it was filled in
        inputs, limit = (
            with_sent(inputs, view.sent, view.faults),
            view.sent.get("suppression_limit", limit),
        )
        recoding, keep_order = view.sent.get("recoding", ""), "keep_order" in view.sent
    return {
        "faults": view.project.faults,
        "impossible": await _impossible(view),
        "kinds": [*FIRST, *(algorithm for algorithm in ALGORITHMS if algorithm not in FIRST)],
        "first": FIRST,
        "kind": kind,
        "chosen": own["type"],
        "summary": summary_of(ALGORITHMS[kind]),
        "wording": getattr(ALGORITHMS[kind], "summary", ""),
        "inputs": inputs,
        "recodings": RECODINGS,
        "recoding": recoding,
        "limit": limit,
        "seed": form.get("seed"),
        "private": is_private(form),
        **_ledger(view),
        "keep_order": keep_order,
    }


async def save(view: View) -> str | None:
    """Take over the algorithm and the options."""
    kind, sent = view.sent.get("type", ""), view.sent
    if kind not in ALGORITHMS:
        raise PolicyError(f"there is no algorithm {kind!r}")
    algorithm = {"type": kind, **parse_fields(_inputs(view, kind, {}), sent)}
    check_typed(algorithm, ALGORITHMS)
    parts = {
        "algorithm": algorithm,
        "recoding": sent.get("recoding") or None,
        "suppression_limit": _share(sent.get("suppression_limit", "0")),
        "keep_order": True if "keep_order" in sent else None,
    }
    ledger = sent.get("ledger", "").strip()
    if ledger:
        view.project.set_ledger(ledger)
    view.project.change(
        with_parts(view.project.form, parts), _("Algorithm {algorithm}"), algorithm=kind
    )
    return None


async def start(view: View) -> str | None:
    """Make a release."""
    view.project.policy()
    view.project.make_release(view.session.language)
    return None


async def save_and_start(view: View) -> str | None:
    """Take over the options, and make a release."""
    await save(view)
    return await start(view)


async def _impossible(view: View) -> list[tuple[str, float]]:
    """Return the models that no release of the table can satisfy, with the best that one can."""
    try:
        violations = await view.project.answers.violations(view.project.form)
    except KanonymError:
        return []
    return [(model.type, model.best) for model in violations.models if model.best is not None]


def _ledger(view: View) -> dict[str, Any]:
    """Return the ledger that a run spends from, and what the table has spent by it."""
    place = view.project.ledger
    shown = view.sent.get("ledger") or str(place)
    try:
        return {"ledger": shown, "spent": read_ledger(place).total}
    except DataError as error:
        return {"ledger": shown, "spent": None, "unreadable": str(error)}


def _share(text: str) -> float:
    return number_of("suppression_limit", text.strip().removesuffix("%") or "0", 0, 100) / 100


def _inputs(view: View, kind: str, given: dict[str, Any]) -> list[Field]:
    form = view.project.form
    others = [role for role in Role if role not in (Role.QUASI_IDENTIFIER, Role.SET)]
    columns = {"target": [name for role in others for name in columns_of(form, role)]}
    return fields_of(ALGORITHMS[kind], given, columns)


SCREEN = Screen("run", show, {"save": save, "start": start, "both": save_and_start})
