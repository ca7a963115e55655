"""Explore: other solutions as a picture that can be clicked, and the choice of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.workbench.pages import dots_svg
from kanonym.workbench.project.history import Form, is_private, with_parts
from kanonym.workbench.view import Screen, View
from kanonym.workbench.work.facts import Solution

LISTED = 40


async def show(view: View) -> dict[str, Any]:
    """Return the solutions that were found, and the one that was clicked."""
    project, exploration = view.project, view.project.exploration
    private = is_private(project.form)
    if exploration is None or private:
        return {"found": None, "private": private}
    chosen, found = _place(view, "solution"), exploration.solutions
    best = sorted(range(len(found)), key=lambda i: (not found[i].front, not found[i].satisfied, i))
    knees = [place for place in best if found[place].knee]
    others = [place for place in (_place(view, "beside"), *knees, *best) if place != chosen]
    beside = next((place for place in others if place is not None), None)
    pair = [found[place] for place in (chosen, beside) if place is not None]
    axes = exploration.axes[view.session.language]
    offered = [is_offered(one, project.explored, project.form) for one in found]
    return {
        "found": exploration,
        "private": private,
        "chosen": chosen,
        "beside": beside,
        "pair": pair,
        "offered": offered,
        "listed": [(place, found[place]) for place in best[:LISTED]],
        "axes": axes,
        "reason": exploration.reason.get(view.session.language, ""),
        "picture": dots_svg(exploration.solutions, chosen, axes, view.says, view.place("explore")),
        "current": project.explored == project.form,
    }


async def compare(view: View) -> str | None:
    """Make many releases and compare them."""
    _check(view)
    view.project.explore("compare")
    return None


async def lattice(view: View) -> str | None:
    """Evaluate the lattice."""
    _check(view)
    view.project.explore("lattice")
    return None


async def choose(view: View) -> str | None:
    """Go on with one of the solutions, and make its release."""
    exploration, place = view.project.exploration, _place(view, "solution")
    if exploration is None or place is None:
        raise PolicyError("there is no such solution")
    chosen = exploration.solutions[place]
    if not is_offered(chosen, view.project.explored, view.project.form):
        raise PolicyError(
            view.says.text(_("It does not satisfy the policy as it is now. Compare again."))
        )
    models = [_sized(one, chosen.size) for one in view.project.form.get("models", ())]
    form = with_parts(view.project.form, {**chosen.parts, "models": models})
    view.project.change(form, _("Solution: {solution}"), solution=chosen.label)
    view.project.make_release(view.session.language)
    return "results"


def _place(view: View, name: str) -> int | None:
    """Return the place of the solution that a form or an address names; None where it does not."""
    exploration, asked = view.project.exploration, view.asked(name)
    if exploration is None or not asked.isdecimal() or int(asked) >= len(exploration.solutions):
        return None
    return int(asked)


def is_offered(one: Solution, explored: Form, form: Form) -> bool:
    """Whether a solution satisfies the policy at work, all but its method the same as then."""
    least = max((model.get("k", 0) for model in form.get("models", ())), default=0)
    apart = (*one.parts, "models")
    before, now = (
        {key: part for key, part in each.items() if key not in apart} for each in (explored, form)
    )
    models, own = (
        [_sized(model, one.size) for model in each.get("models", ())] for each in (explored, form)
    )
    is_enough = one.size is None or one.size >= least
    return one.satisfied and is_enough and before == now and models == own


def _sized(model: Mapping[str, Any], size: int | None) -> dict[str, Any]:
    """Return a model that asks for another size of classes, where it asks for one."""
    return {**model, "k": size} if size is not None and "k" in model else dict(model)


def _check(view: View) -> None:
    """Refuse a policy that has faults, and one that allows no choice by what was found."""
    view.project.policy()
    if is_private(view.project.form):
        raise PolicyError(
            view.says.text(
                _(
                    "Nothing is compared under differential privacy: a choice by what the table "
                    "gives would tell of it. Choose the levels by what is known without the table, "
                    "or give the requirement a search_epsilon, by which they are drawn."
                )
            )
        )


SCREEN = Screen("explore", show, {"compare": compare, "lattice": lattice, "choose": choose})
