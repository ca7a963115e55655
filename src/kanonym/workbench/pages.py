"""Pages from templates: plain HTML that works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from kanonym.data.errors import gettext as _
from kanonym.language import LANGUAGES, Translator, translator
from kanonym.policy.writing import flow_text
from kanonym.workbench.charts import bars_svg
from kanonym.workbench.words import WORDS

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
