"""Pages from templates: plain HTML that works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import LANGUAGES, Translator, translator
from kanonym.policy.writing import flow_text
from kanonym.workbench.charts import bars_svg

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
    "explore": {
        "lattice": _("Evaluate all combinations of levels"),
        "comparison": _("Compared releases"),
    },
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
        "translated": says.translate,
        "plain": flow_text,
        "quoted": lambda text: quote(str(text), safe=""),
    }
    return environment


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
