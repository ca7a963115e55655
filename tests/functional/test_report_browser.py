"""The report in a real browser: nothing fetched, nothing wrong, readable on screens and paper.

Pictures of the pages are kept in the folder that the variable KANONYM_ARTIFACTS names.
"""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from report_parts import ATTACKS, COMPARISON

NARROW, WIDE = 360, 1600
PAPER = (703, 1046)
"""A4 without the margins of the page, in pixels of CSS."""
LEAST_CONTRAST = 4.5  # WCAG 2.2, criterion 1.4.3

CONTRAST = """
(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour).slice(0, 3).map(v => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const shown = element => {
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement && !(element instanceof SVGSVGElement);
    return drawn ? style.fill : style.backgroundColor;
  };
  const opaque = colour => colour !== 'none' && (parts(colour)[3] ?? 1) > 0;
  const below = (element, box) => {
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    for (const one of document.elementsFromPoint(x, y)) {
      if (one.tagName !== 'text' && !element.contains(one) && opaque(shown(one))) return shown(one);
    }
    for (let one = element; one; one = one.parentElement) {
      if (!(one instanceof SVGElement) && opaque(shown(one))) return shown(one);
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    const box = element.getBoundingClientRect();
    if (!text || !box.width || !box.height || !element.checkVisibility()) continue;
    element.scrollIntoView({block: 'center'});
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const paper = below(element, element.getBoundingClientRect());
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), text.slice(0, 40), ink, paper]);
  }
  return found;
})()
"""
HEIGHT = "one => one.getBoundingClientRect().height"
FIRST = f"({HEIGHT})(document.querySelector('.first'))"
OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
OVERFLOWING = """
[...document.querySelectorAll('body *')]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.chart'))
  .map(one => `${one.tagName} ${one.className?.baseVal ?? one.className} ${one.textContent}`)
  .map(text => text.slice(0, 60))
"""


def show(page, path, width=WIDE, height=900, media="screen"):
    """Load a report in a window of a size, or as it is printed."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(media=media)
    page.goto(path.as_uri())


@pytest.fixture(scope="module")
def release():
    """Give a release of invented patients, and what is known of it."""
    frame = patients(2000)
    policy = ka.Policy(
        attributes={
            "name": ka.Identifier(),
            "national_number": ka.Identifier(),
            "postal_code": ka.QuasiIdentifier(hierarchy=ka.hierarchy.masking()),
            "birth_date": ka.QuasiIdentifier(),
            "sex": ka.QuasiIdentifier(),
            "occupation": ka.QuasiIdentifier(),
            "diagnosis": ka.Sensitive(),
        },
        models=[ka.KAnonymity(5), ka.LDiversity("diagnosis", l=3)],
        suppression_limit=0.05,
    )
    made = ka.anonymize(frame, policy)
    assessed = ka.assess(frame, made.frame, policy)
    known = {
        "attacks": ATTACKS,
        "risk": assessed.risk,
        "utility": assessed.utility,
        "comparison": COMPARISON,
        "profile": ka.profile(frame),
    }
    return made, known


@pytest.fixture(scope="module", params=["en", "es", "en, nothing known"])
def report(request, release, browser, tmp_path_factory):
    """Give a page, and name and place of a report in each language, and of one that knows less."""
    made, known = release
    language, _, bare = request.param.partition(", ")
    path = tmp_path_factory.mktemp("report") / "report.html"
    made.report(path, language=language, **({} if bare else known))
    with browser.new_context() as context:
        yield context.new_page(), request.param.replace(", ", "-").replace(" ", "-"), path


def test_nothing_is_fetched_and_nothing_is_wrong(report):
    """The page asks for itself only, and the console stays empty."""
    page, _, path = report
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    show(page, path)
    page.evaluate(OPEN)
    assert asked == [path.as_uri()]
    assert complaints == []


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_the_page_fits_the_screen(report, width, tmp_path):
    """Nothing reaches over the right edge, folded or not; a picture of it is kept."""
    page, name, path = report
    show(page, path, width)
    folder = Path(os.environ.get("KANONYM_ARTIFACTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"report-{name}-{width}.png"
    page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 10_000
    page.evaluate(OPEN)
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_text_stands_out(report, width):
    """All text, in charts too, has a contrast of at least 4.5 to what is behind it."""
    page, _, path = report
    show(page, path, width)
    page.evaluate(OPEN)
    found = page.evaluate(CONTRAST)
    assert len(found) > 100
    assert [one for one in found if one[0] < LEAST_CONTRAST] == []


def test_every_picture_has_a_text_alternative(report):
    """Who does not see a chart is told what it shows, in the page's language."""
    page, name, path = report
    show(page, path)
    session = page.context.new_cdp_session(page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    pictures = [node for node in tree if node.get("role", {}).get("value") in ("image", "img")]
    drawn = page.evaluate("document.querySelectorAll('svg').length")
    shown = page.evaluate(
        "[...document.querySelectorAll('svg')].filter(one => one.checkVisibility()).length"
    )
    assert drawn >= shown > 3
    assert len(pictures) == shown
    assert all(len(node["name"]["value"]) > 20 for node in pictures)
    assert page.evaluate("document.documentElement.lang") == name[:2]


def test_the_first_page_is_one_sheet(report):
    """Printed on A4, the answers stand on the first page, and details begin on the second."""
    page, _, path = report
    show(page, path, *PAPER, media="print")
    assert page.evaluate(FIRST) <= PAPER[1]
    assert page.evaluate("getComputedStyle(document.querySelector('.first')).breakAfter") == "page"


def test_it_is_signed_on_paper_only(report):
    """Name, date and signature have a line below the printed first page, none on a screen."""
    page, _, path = report
    shown = "document.querySelector('.first .signed').checkVisibility()"
    show(page, path)
    assert not page.evaluate(shown)
    show(page, path, *PAPER, media="print")
    assert page.evaluate(shown)


def test_nothing_is_cut_on_paper(report):
    """On A4 no table and no chart reaches over the margin, and no chart is longer than a page."""
    page, _, path = report
    show(page, path, *PAPER, media="print")
    assert page.evaluate(OVERFLOWING) == []
    assert (
        0
        < max(page.evaluate(f"[...document.querySelectorAll('figure svg')].map({HEIGHT})"))
        < PAPER[1]
    )


def test_a_crowded_first_page_is_one_sheet(page, tmp_path):
    """Many attributes, requirements and attacks still leave one page."""
    rows = 400
    columns = {f"a rather long name of column {i}": [j % 3 for j in range(rows)] for i in range(30)}
    secrets = {f"secret {i}": [(j + i) % 7 for j in range(rows)] for i in range(6)}
    made = ka.anonymize(
        pl.DataFrame({**columns, **secrets}),
        quasi_identifiers=list(columns),
        sensitive=list(secrets),
        k=5,
        l=3,
        t=0.9,
    )
    path = tmp_path / "report.html"
    made.report(path, attacks=ATTACKS, title="A rather long title of a report " * 3)
    show(page, path, *PAPER, media="print")
    assert page.evaluate(FIRST) <= PAPER[1]


@pytest.mark.usefixtures("browser")
def test_the_pdf_is_printed(release, tmp_path):
    """`report.pdf` is a PDF of several pages."""
    made, known = release
    path = tmp_path / "report.pdf"
    made.report(path, **known)
    data = path.read_bytes()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") > 3
