"""The search of the site: what newcomers type leads to the page that answers.

It needs the built site (`just docs` builds it and then runs this), and a Chromium.
"""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "_build" / "html"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = pytest.mark.skipif(
    not (SITE / "searchindex.js").exists() or CHROMIUM is None,
    reason="the site is not built, or there is no Chromium",
)

QUESTIONS = {
    "pandas": ("faq",),
    "install": ("faq", "start"),
    "missing values": ("recipes", "faq"),
    "null": ("faq", "data", "recipes"),
    "postal codes": ("recipes",),
    "zip": ("recipes", "sign", "training"),
    "ages": ("recipes", "faq"),
    "income": ("recipes",),
    "dates": ("recipes", "data"),
    "icd-10": ("recipes",),
    "excel": ("recipes", "data"),
    "csv": ("data", "recipes"),
    "postgresql": ("recipes", "engines"),
    "duckdb": ("engines", "guides/warehouse", "faq"),
    "spark": ("engines", "guides/warehouse"),
    "docker": ("recipes",),
    "github actions": ("recipes",),
    "jupyter": ("faq",),
    "visits": ("recipes", "guides/hospital_visits"),
    "numbers": ("recipes",),
    "loss": ("recipes", "utility", "faq"),
    "too much information lost": ("faq", "recipes"),
    "verify": ("recipes", "cli"),
    "exit code": ("recipes", "cli"),
    "not assessed": ("faq", "concepts"),
    "pseudonym": ("recipes", "actions"),
    "undo": ("recipes", "faq"),
    "gdpr": ("sign",),
    "hipaa": ("sign",),
    "safe harbor": ("sign",),
    "legal": ("sign",),
    "anonymous in law": ("faq", "sign"),
    "report": ("sign", "faq"),
    "checklist": ("sign",),
    "quasi-identifiers": ("faq", "concepts"),
    "which k": ("faq", "guides/choose_a_model"),
    "differential privacy": ("differential_privacy", "faq"),
    "free text": ("faq", "actions"),
    "seed": ("faq", "actions", "policy"),
    "arx": ("guides/from_arx", "faq"),
    "train a model": ("faq", "training"),
    "license": ("faq",),
}
"""What is typed, and the pages that answer it."""


class Links(HTMLParser):
    """The pages that the text of a page links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pages: set[str] = set()
        text = (SITE / f"{page}.html").read_text("utf-8")
        self._folder = (SITE / page).parent
        self.feed(re.sub(r".*<article[^>]*>|</article>.*", "", text, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the pages of this site."""
        target = unquote((dict(attrs).get("href") or "").partition("#")[0])
        file = (self._folder / target).resolve()
        if tag == "a" and target.endswith(".html") and file.is_relative_to(SITE):
            self.pages.add(str(file.relative_to(SITE))[: -len(".html")])


@pytest.fixture(scope="module")
def first_hits():
    """Return the page that the search shows first for each question."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{(SITE / 'search.html').as_uri()}?q=kanonym")
        page.wait_for_function("Search.hasIndex()")
        hits = page.evaluate(
            "asked => asked.map(q => Search._performSearch(...Search._parseQuery(q)).at(-1)?.[0])",
            list(QUESTIONS),
        )
        browser.close()
    return dict(zip(QUESTIONS, hits, strict=True))


def test_at_least_forty_questions_are_asked():
    """The list does not shrink unseen."""
    assert len(QUESTIONS) >= 40


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_its_page_first(question, first_hits):
    """The first result answers, whatever else the search finds."""
    assert first_hits[question] in QUESTIONS[question]


def test_answers_are_two_clicks_away():
    """Each page that answers is linked from the first page, or from a page that it links."""
    once = Links("index").pages
    twice = once.union(*(Links(page).pages for page in once))
    assert {page for pages in QUESTIONS.values() for page in pages} <= twice


def test_records_of_decisions_are_not_searched(first_hits):
    """No question of a newcomer leads to a record of a decision."""
    assert not [page for page in first_hits.values() if str(page).startswith("decisions/")]
