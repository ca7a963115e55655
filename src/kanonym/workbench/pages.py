"""Pages from templates: plain HTML that works without scripts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.sentences import title_of
from kanonym.language import LANGUAGES, Translator, translator
from kanonym.models import MODELS
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.policy.writing import flow_text

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.workbench.work.facts import Solution


WIDTH, HEIGHT, GAP = 160, 36, 1
FRAME = (720, 380, 68, 44)
"""Of a picture of solutions: width, height, and room on the left and below."""
SCALED = 20.0
"""From this ratio of the largest value to the smallest, or to 1, the axis is logarithmic."""


def bars_svg(labels: Sequence[str], counts: Sequence[int], alternative: str) -> Markup:
    """Return a histogram; each bar has its label and number as a tooltip."""
    most = max(counts, default=0) or 1
    step = WIDTH / max(len(counts), 1)
    parts = []
    for place, (label, number) in enumerate(zip(labels, counts, strict=True)):
        height = 0 if not number else max(HEIGHT * number / most, 1)
        parts.append(
            f'<rect x="{place * step:.1f}" y="{HEIGHT - height:.1f}" '
            f'width="{max(step - GAP, 1):.1f}" height="{height:.1f}">'
            f"<title>{escape(label)}: {number:,}</title></rect>"
        )
    return Markup(  # noqa: S704 - labels are escaped, all else are numbers
        f'<svg class="bars" role="img" aria-label="{escape(alternative)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
    )


def dots_svg(
    solutions: Sequence[Solution],
    chosen: int | None,
    axes: tuple[str, str],
    says: Translator,
    place: str,
) -> Markup:
    """Return solutions by privacy and loss; each is a link that chooses it."""
    width, height, left, below = FRAME
    x = _scale([one.privacy for one in solutions], left, width - 14)
    y = _scale([one.loss for one in solutions], height - below, 12)
    order = sorted(
        range(len(solutions)), key=lambda i: (solutions[i].front, solutions[i].knee, i == chosen)
    )
    foot = height - below
    parts = [f'<path class="axis" d="M{left} 0V{foot}H{width}"/>']
    parts += [
        _tick(x(v), foot + 16, says.value(v)) for v in _ticks([s.privacy for s in solutions], x, 52)
    ]
    parts += [
        _tick(left - 6, y(v) + 4, says.value(v), "end")
        for v in _ticks([s.loss for s in solutions], y, 40)
    ]
    parts.append(_tick((left + width) / 2, height - 8, axes[0]))
    parts.append(_tick(left + 6, 12, axes[1], "start"))
    for i in order:
        solution = solutions[i]
        kind = "front" if solution.front else "holds" if solution.satisfied else "fails"
        kind += " chosen" if i == chosen else " knee" if solution.knee else ""
        privacy, loss = says.value(solution.privacy), says.value(solution.loss)
        told = f"{solution.label}: {axes[0]} {privacy}, {axes[1]} {loss}"
        if solution.knee:
            word = says.text(_("recommended"))
            told += f" ({word})"
            parts.append(_tick(x(solution.privacy), y(solution.loss) - 14, word))
        parts.append(
            f'<a href="{escape(place)}?solution={i}#chosen" aria-label="{escape(told)}">'
            f'<circle class="{kind}" cx="{x(solution.privacy):.1f}" cy="{y(solution.loss):.1f}" '
            f'r="{8 if i == chosen else 6}"><title>{escape(told)}</title></circle></a>'
        )
    return Markup(  # noqa: S704 - labels are escaped, all else are numbers
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"{''.join(parts)}</svg>"
    )


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _ticks(values: Sequence[float], place: Callable[[float], float], gap: float) -> list[float]:
    """Return values that are written on an axis: both ends, and others a gap from their like."""
    found = sorted({min(values), max(values)}) if values else []
    for value in sorted(set(values)):
        if all(abs(place(value) - place(other)) >= gap for other in found):
            found.append(value)
    return found


def _scale(values: Sequence[float], start: float, stop: float) -> Callable[[float], float]:
    """Return what places a value between two ends, with some room at both."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    logarithmic = low >= 0 and high > SCALED * max(low, 1.0)
    place = math.log1p if logarithmic else float
    first, last = place(low), place(high)
    room = (stop - start) * 0.04
    whole = (last - first) or 1.0
    return lambda value: start + room + (stop - start - 2 * room) * (place(value) - first) / whole


WORDS = {
    "role": {
        "identifier": _("identifier"),
        "quasi-identifier": _("quasi-identifier"),
        "sensitive": _("sensitive"),
        "insensitive": _("insensitive"),
        "set": _("set of items"),
    },
    "when": {
        "before": _("before the algorithm, on the values of the table"),
        "after": _("after the algorithm, on the released values"),
    },
    "family": {
        "masking": _("Masking"),
        "pseudonymization": _("Pseudonyms"),
        "perturbation": _("Noise and exchange"),
        "free_text": _("Free text"),
    },
    "type": {
        "text": _("text"),
        "categories": _("categories"),
        "ordered categories": _("ordered categories"),
        "integer": _("integer"),
        "real number": _("real number"),
        "yes or no": _("yes or no"),
        "date": _("date"),
        "time": _("time"),
        "date and time": _("date and time"),
        "duration": _("duration"),
        "other": _("other"),
    },
    "explore": {"lattice": _("Combinations of levels"), "comparison": _("Compared releases")},
    "screen": {
        "open": _("Open"),
        "columns": _("Columns"),
        "requirements": _("Requirements"),
        "run": _("Run"),
        "results": _("Results"),
        "export": _("Export"),
        "history": _("History"),
        "actions": _("Actions"),
        "explore": _("Explore"),
        "records": _("Records"),
        "hierarchies": _("Hierarchies"),
    },
    "job": {
        "open": _("Reading the table"),
        "release": _("Making the release"),
        "hold": _("Making the release again, to look at its records"),
        "attack": _("Attacking and assessing the release"),
        "write": _("Writing the files"),
        "fit": _("Keeping the recoding"),
        "batch": _("Releasing the next batch"),
        "explore": _("Looking for other solutions"),
        "accuracy": _("Training models on the release"),
    },
    "stage": {
        "read": _("Reading the table"),
        "columns": _("Looking at the columns"),
        "sets": _("Looking for columns that tell people apart together"),
        "encode": _("Preparing the values"),
        "algorithm": _("Dividing the records into classes"),
        "recode": _("Generalizing the values"),
        "verify": _("Checking the released values"),
        "compare": _("Comparing releases"),
        "assess": _("Measuring risk and utility"),
        "models": _("Training models"),
        "report": _("Making the report"),
        "write": _("Writing the files"),
    },
    "read_as": {
        "text": _("text"),
        "date": _("date"),
        "number": _("number"),
        "time": _("time"),
        "ordered": _("bands"),
    },
    "cell": {
        "bound": _("{text} → an open end of the order"),
        "missing": ngettext(
            "{text} → missing (1 cell, in row {row})",
            "{text} → missing ({cells} cells, the first in row {row})",
        ),
        "exception": ngettext(
            "{text} → an exception (1 cell, in row {row}): a value of its own, in no range",
            "{text} → an exception ({cells} cells, the first in row {row}): a value of its own, "
            "in no range",
        ),
    },
    "verdict": {
        "satisfied": _("All requirements are satisfied"),
        "satisfied with findings": _("All requirements are satisfied, but read the findings"),
        "not assessed": _("All requirements are satisfied, but not everything was assessed"),
        "violated": _("A requirement is violated"),
        "not private": _("Not private: a seed was given"),
        "nothing required": _("Nothing was required"),
    },
    "part": {
        "identity": _("Identity"),
        "attributes": _("Attributes"),
        "persons": _("Persons"),
        "checked": _("checked"),
        "by construction": _("by construction"),
        "not assessed": _("not assessed"),
        "violated": _("violated"),
    },
    "recoding": {
        "hierarchy": _("labels of this hierarchy"),
        "interval": _("intervals, or labels of the hierarchy for texts"),
        "range": _("two columns: lowest and highest value"),
        "set": _("sets of values"),
        "mean": _("means"),
        "median": _("medians"),
        "mode": _("most frequent values"),
    },
    "builder": {
        "intervals": _("Numbers: intervals, wider from level to level; width: [5, 10, 20]."),
        "groups": _("Values in their order, some at a time; fan_outs: [3, 2]."),
        "masking": _("Codes: one more character hidden at every level."),
        "dates": _("Dates: months, quarters, years, decades."),
        "prefix": _("Texts: those that begin alike."),
        "frequency": _("Rare values together."),
        "flat": _("The value, or *."),
    },
}


REASONS = {
    "start": _("To the first page"),
    "missing": _(
        "There is no such page. After a restart of the workbench, projects are opened again on the "
        "first page."
    ),
    "internal": _(
        "This did not work, through a fault of kanonym ({kind}). The project is as it was saved "
        "last. Go to the first page and open it again."
    ),
    "large": _(
        "That is too large: at most {most} MB are taken from a browser. Nothing was changed. On "
        "the first page, name the path of the file on this machine, and do not upload it."
    ),
    "used": _(
        "This address was used already, or is not complete. Take the newest one that kanonym "
        "workbench printed in the terminal."
    ),
    "session": _(
        "This page belongs to a session of kanonym workbench. Open the newest address that it "
        "printed in the terminal; each address works once."
    ),
    "dead": _(
        "The workbench does not answer: it was ended. What was saved is kept. Start kanonym "
        "workbench again, and open the address that it prints."
    ),
}
"""Why there is nothing to show."""


@cache
def environment(says: Translator) -> Environment:
    """Return the templates, with the words and numbers of a language."""
    environment = Environment(
        loader=PackageLoader("kanonym.workbench"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        **says.template_functions(),
        "says": says,
        "languages": LANGUAGES,
        "words": WORDS,
        "bars": bars_svg,
    }
    environment.filters |= {
        "count": says.count,
        "percent": says.percent,
        "value": says.value,
        "names": says.names,
        "attack": partial(title_of, says=says),
        "kind": partial(_kind_title, says),
        "step": partial(told_step, says),
        "translated": says.translate,
        "plain": flow_text,
        "quoted": lambda text: quote(str(text), safe=""),
    }
    return environment


def told_step(says: Translator, sentence: str) -> tuple[str, str]:
    """Return what is done now in words, and what else a sentence of progress says, in English."""
    stage, _mark, rest = sentence.partition(": ")
    if stage in ATTACKS:
        return says.text(_("Attack: {attack}"), attack=title_of(stage, says)), rest
    known = WORDS["stage"].get(stage)
    return ("", sentence) if known is None else (says.text(known), rest)


def _kind_title(says: Translator, name: str) -> str:
    """Return the name of a privacy model or an algorithm in words."""
    kind = MODELS.get(name) or ALGORITHMS.get(name)
    return says.translate(getattr(kind, "title", "") or name)


def page(template: str, language: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """Return a page."""
    found = environment(translator(language)).get_template(template)
    return HTMLResponse(found.render(language=language, **facts), status)


def language_of(headers: Mapping[str, str]) -> str:
    """Return the first language that a browser prefers and the pages have."""
    for one in headers.get("accept-language", "").split(","):
        code = one.strip().partition(";")[0].partition("-")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


def told_page(key: str, language: str, status: int, **facts: Any) -> HTMLResponse:
    """Return a page that says why there is nothing to show, and what to do."""
    told = translator(language).text(REASONS[key], **facts)
    return page("told.html", language, status, told=told)
