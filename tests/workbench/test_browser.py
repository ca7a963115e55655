"""The workbench in a real browser: the whole way, each screen looked at, the keyboard alone.

Pictures of the screens are kept in the folder that the variable KANONYM_ARTIFACTS names.
"""

from __future__ import annotations

import base64
import copy
import multiprocessing
import os
import re
import sys
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import polars as pl
import pytest

import kanonym as ka
from devtools import Browser
from kanonym.data.errors import DataError
from kanonym.data.files import write_table
from kanonym.data.patients import patients
from kanonym.pipeline import verify
from kanonym.policy import Policy
from kanonym.reporting.rendering.pdf import browser as installed
from workbench_servers import running

AXE = Path(__file__).parent / "axe" / "axe.min.js"
SCREENS = (
    "open",
    "columns",
    "hierarchies",
    "actions",
    "requirements",
    "run",
    "explore",
    "results",
    "records",
    "export",
    "history",
)
NARROW, WIDE = 360, 1440
IDLE = "document.readyState == 'complete' && !document.querySelector('[data-events]')"
COUNTED = (
    "!document.querySelector('#strip') || document.querySelector('#strip .met, #strip .unmet')"
)
TOLD = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
FAULTS = """
axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | ')))
"""


class Person:
    """Somebody at a browser that shows a workbench."""

    def __init__(self, browser, address):
        self.browser, self.told, self.asked = browser, [], []
        browser.look(WIDE)
        browser.go(address)
        self.wait("location.pathname.endsWith('/open')")
        self.at = browser.run("location.href").rpartition("/")[0]

    def wait(self, script):
        """Wait until a script's expression holds, and keep what the browser told meanwhile."""
        self.browser.until(script)
        self._keep()

    def show(self, screen):
        """Go to a screen, and wait until all of it is there."""
        self._keep()
        self.browser.go(f"{self.at}/{screen}")
        self.wait(f"{IDLE} && ({COUNTED})")

    def click(self, selector):
        """Click an element, and wait until the next page is there."""
        self.browser.run("document.querySelector('main').id = 'old'")
        self.browser.run(f"document.querySelector({selector!r}).click()")
        self.wait(f"document.querySelector('main#main') && {IDLE}")

    def tab_to(self, selector):
        """Press Tab until an element has the focus."""
        for _ in range(200):
            if self.browser.run(f"document.activeElement.matches({selector!r})"):
                return
            self.browser.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def key_to(self, selector, place):
        """Reach an element by Tab, press Enter, and wait for the next screen."""
        self.tab_to(selector)
        self.browser.press("Enter", text="\r")
        self.wait(f"location.pathname.endsWith('/{place}') && {IDLE}")

    def faults(self):
        """Return what axe finds serious or critical on the page."""
        self.browser.run(AXE.read_text("utf-8") + "; true")
        told = self.browser.call(
            "Runtime.evaluate", expression=FAULTS, returnByValue=True, awaitPromise=True
        )
        return told["result"]["value"]

    def _keep(self):
        for event in self.browser.events:
            if event["method"] in TOLD:
                self.told.append(str(event["params"]))
            if event["method"] == "Network.requestWillBeSent":
                self.asked.append(event["params"]["request"]["url"])
        self.browser.events.clear()


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory):
    """Give a folder with a table of invented patients, one name of which is a script."""
    folder = tmp_path_factory.mktemp("browser")
    table = patients(200)
    odd = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>"]
    names = pl.Series("name", [*odd, *table["name"][2:]])
    write_table(table.with_columns(names), folder / "patients.csv")
    return folder


@pytest.fixture(scope="module", name="person")
def fixture_person(folder, tmp_path_factory):
    """Give somebody who opened the table in a browser."""
    if sys.platform == "win32":
        pytest.skip("the pipe of the DevTools protocol needs a POSIX system")
    try:
        command = installed()
    except DataError as error:
        pytest.skip(f"no browser: {error}")
    table, project = folder / "patients.csv", folder / "project"
    with running(str(table), folder=project) as (_, addresses):
        browser = Browser(command, tmp_path_factory.mktemp("profile"))
        person = Person(browser, addresses[-1])
        person.wait("document.querySelector('.cells')")
        yield person
        browser.close()


SMALL = """
version: 1
attributes:
  sex: {role: quasi-identifier}
  birth_date: {role: quasi-identifier}
  diagnosis: {role: sensitive}
others: identifier
rows: persons
models: [{type: l-diversity, attribute: diagnosis, l: 2}]
algorithm: {type: mondrian}
"""


@pytest.fixture(scope="module", name="small")
def fixture_small(person, folder):
    """Give the same person at a small table, opened on the first page with a policy file."""
    write_table(patients(60), folder / "small.csv")
    (folder / "small.yaml").write_text(SMALL)
    at = urlsplit(person.at)
    person.browser.look(WIDE)
    person.browser.go(f"{at.scheme}://{at.netloc}/")
    named = {"path": "small.csv", "policy": "small.yaml", "folder": "small-project"}
    for name, file in named.items():
        box = f"document.querySelector('form[action=\"/open\"] [name={name}]')"
        person.browser.run(f"{box}.value = {str(folder / file)!r}")
    person.click("form[action='/open'] button.primary")
    small = copy.copy(person)
    small.at = person.browser.run("location.href").rpartition("/")[0]
    return small


def test_values_of_the_table_are_no_markup(person):
    """A script or an image that is written in a cell is shown as its text, and nothing runs."""
    person.show("open")
    shown = person.browser.run("document.querySelector('.cells').textContent")
    assert "<script>alert(1)</script>" in shown
    assert "<img src=x onerror=alert(2)>" in shown
    assert person.browser.run("document.querySelectorAll('main img, main script').length") == 0


def test_a_click_on_a_role_is_counted_at_once_and_undone(person):
    """A role is one click; the strip counts anew; undo brings back what was."""
    person.show("columns")
    before = person.browser.run("document.querySelector('#strip').textContent")
    person.click("#columns button.insensitive:not([aria-pressed=true])")
    person.wait(COUNTED)
    person.click("form[action$='/history/undo'] button")
    person.wait(COUNTED)
    assert person.browser.run("document.querySelector('#strip').textContent") == before


def test_the_filter_hides_other_columns(person):
    """Typing into the filter leaves the columns that match."""
    person.show("columns")
    person.browser.run(
        "(box => { box.value = 'birth'; box.dispatchEvent(new Event('input', {bubbles: true})) })"
        "(document.querySelector('[data-filter]'))"
    )
    shown = "document.querySelectorAll('#columns tbody tr:not([hidden])').length"
    assert person.browser.run(shown) == 1


def grouped(person):
    """Build groups of an occupation's values, and return the script that reads a value's group."""
    person.show("hierarchies?column=occupation&builder=groups")
    fill = "document.querySelector('[name=fan_outs]').value = '[3]'"
    person.browser.run(fill)
    person.click("form[action$='/hierarchies/build'] button")
    cell = "document.querySelector('#values tbody tr').cells[2].firstChild.textContent.trim()"
    return cell, "[...document.querySelectorAll('#values [data-into]')].at(-1)"


DRAG = """
(([row, cell]) => {
  const data = new DataTransfer();
  const fire = (kind, on) => on.dispatchEvent(
    new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data}));
  fire('dragstart', row); fire('dragover', cell); fire('drop', cell);
})
"""


def test_a_value_is_dragged_into_another_group(person):
    """A drop on a group moves the value there; undo brings it back."""
    own, other = grouped(person)
    target = person.browser.run(f"{other}.firstChild.textContent.trim()")
    assert person.browser.run(own) != target
    person.browser.run("document.querySelector('main').id = 'old'")
    person.browser.run(f"{DRAG}([document.querySelector('#values tbody tr'), {other}])")
    person.wait(f"document.querySelector('main#main') && {IDLE}")
    moved = (
        "[...document.querySelectorAll('#values tbody tr')]"
        f".filter(row => row.cells[2].textContent.includes({target!r})).length"
    )
    assert person.browser.run(moved) >= 2
    for _ in range(2):
        person.click("form[action$='/history/undo'] button")


def test_a_value_is_moved_by_keyboard(person):
    """Space ticks a value; Tab reaches the button of a group; Enter moves the value there."""
    grouped(person)
    groups = "new Set([...document.querySelectorAll('#values .into')].map(one => one.value)).size"
    before = person.browser.run(groups)
    person.browser.run("document.querySelector('#values [name=value]').focus()")
    person.browser.press(" ", text=" ")
    person.browser.run("document.querySelectorAll('#values .into:not([tabindex])')[1].id = 'to'")
    person.tab_to("#to")
    person.browser.run("document.querySelector('main').id = 'old'")
    person.browser.press("Enter", text="\r")
    person.wait(f"document.querySelector('main#main') && {IDLE}")
    assert person.browser.run("document.querySelector('.problem')") is None
    assert person.browser.run(groups) == before
    for _ in range(2):
        person.click("form[action$='/history/undo'] button")


def test_from_the_table_to_a_verified_release_by_keyboard_alone(person, folder):
    """Tab and Enter lead from the table to a written release, which another check verifies."""
    person.show("open")
    person.key_to("a.primary", "columns")
    person.key_to("a.primary", "requirements")
    person.key_to("a.primary", "run")
    person.tab_to("form[action$='/run/both'] button.primary")
    person.browser.press("Enter", text="\r")
    person.wait(f"document.querySelector('.verdict') && {IDLE}")
    person.key_to("a.primary", "results")
    person.key_to("a.primary", "export")
    person.tab_to("form[action$='/export/write'] button.primary")
    person.browser.press("Enter", text="\r")
    person.wait(f"document.querySelector('a[href$=\"report.html\"]') && {IDLE}")
    folders = (folder / "project" / "releases").iterdir()
    (place,) = (one for one in folders if one.name.isdecimal())
    policy = Policy.from_file(place / "policy.yaml")
    found = verify(ka.read_table(place / "released.csv"), policy)
    assert found.satisfied
    written = {"policy.yaml", "released.csv", "released.csv.manifest.json", "report.html"}
    assert written | {"release.json"} == {one.name for one in place.iterdir()}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screens_are_accessible(person, screen, scheme):
    """Axe finds nothing serious or critical, contrast included, in both themes."""
    person.browser.look(WIDE, scheme=scheme)
    person.show(screen)
    assert person.faults() == []


@pytest.mark.parametrize("screen", SCREENS)
def test_screens_fit_a_phone(person, screen):
    """At 360 pixels nothing is wider than the page, and axe finds nothing there, either."""
    person.browser.look(NARROW)
    person.show(screen)
    assert person.browser.run("document.documentElement.scrollWidth") <= NARROW
    step = "document.querySelector('nav a[aria-current]').getBoundingClientRect()"
    assert 0 <= person.browser.run(f"{step}.left") < person.browser.run(f"{step}.right") <= NARROW
    assert person.faults() == []


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("screen", SCREENS)
def test_screens_are_pictured(person, screen, language):
    """Each screen is kept as a picture, wide and narrow, light and dark, in each language."""
    if "KANONYM_ARTIFACTS" not in os.environ:
        pytest.skip("pictures are taken for the folder that KANONYM_ARTIFACTS names")
    folder = Path(os.environ["KANONYM_ARTIFACTS"]) / "workbench"
    folder.mkdir(parents=True, exist_ok=True)
    for width, scheme in product((WIDE, NARROW), ("light", "dark")):
        person.browser.look(width, scheme=scheme)
        person.show(screen)
        if person.browser.run("document.documentElement.lang") != language:
            person.click(f"form[action='/language'] button[value={language}]")
            person.wait(COUNTED)
        picture = folder / f"{screen}-{language}-{width}-{scheme}.png"
        person.browser.picture(picture)
        assert picture.stat().st_size > 5000
    person.click("form[action='/language'] button[value=en]")


def test_a_screen_is_printed_without_its_buttons(person):
    """On paper there is the content alone, in black on white, as a PDF of some pages."""
    person.browser.look(WIDE, media="print", scheme="dark")
    person.show("results")
    shown = "getComputedStyle(document.querySelector('{}')).{}"
    assert person.browser.run(shown.format("nav", "display")) == "none"
    assert person.browser.run(shown.format("main button", "display")) == "none"
    assert person.browser.run(shown.format("body", "backgroundColor")) == "rgb(255, 255, 255)"
    told = person.browser.call("Page.printToPDF", printBackground=True)
    assert base64.b64decode(told["data"]).startswith(b"%PDF")
    person.browser.look(WIDE)


def test_a_table_is_opened_with_a_policy_file(small, folder):
    """The policy that was named on the first page is the one at work, and is where it was."""
    assert Policy.from_file(folder / "small-project" / "policy.yaml") == Policy.from_text(SMALL)
    assert (folder / "small.yaml").read_text() == SMALL
    small.show("requirements")
    shown = small.browser.run("document.querySelector('#main').textContent")
    assert "“diagnosis” has at least 2 distinct values" in shown


def test_algorithms_are_compared_and_one_is_chosen(small):
    """The comparison ends in a picture; a click on a solution and a choice change the policy."""
    small.show("explore")
    small.click("form[action$='/explore/compare'] button")
    assert small.browser.run("document.querySelector('.problem')") is None
    assert small.browser.run("document.querySelectorAll('.dots svg a').length") > 1
    small.click("main tbody tr:last-child a")
    label = small.browser.run("document.querySelector('#chosen h2').textContent")
    small.click("#chosen button.primary")
    small.show("history")
    assert label in small.browser.run("document.querySelector('#main').textContent")


def test_a_release_is_attacked_and_assessed_to_the_end(small):
    """The results then have the attacks, each against chance, and the button is gone."""
    small.show("run")
    small.click("form[action$='/run/both'] button.primary")
    small.show("results")
    small.click("form[action$='/results/attack'] button")
    assert small.browser.run("document.querySelector('.problem')") is None
    assert small.browser.run("document.querySelector(\"form[action$='/attack']\")") is None
    shown = small.browser.run("document.querySelector('#main').textContent")
    assert "Attacks: success compared with chance" in shown


def test_a_pdf_of_the_report_is_made_on_the_page(small, folder):
    """A tick at PDF gives a report.pdf beside the release, with a link to it."""
    small.show("export")
    small.browser.run("document.querySelector('[name=report][value=pdf]').click()")
    small.click("form[action$='/export/write'] button.primary")
    assert small.browser.run("document.querySelector('.problem')") is None
    assert small.browser.run("document.querySelector('a[href$=\"report.pdf\"]') !== null")
    (report,) = (folder / "small-project" / "releases").glob("*/report.pdf")
    assert report.read_bytes().startswith(b"%PDF")


def test_a_cancel_ends_the_work(person):
    """A click on cancel ends the process, and the screen says so; what was made stays."""
    person.browser.look(WIDE)
    person.show("results")
    browser = person.browser
    browser.run("document.querySelector(\"form[action$='/results/attack'] button\").click()")
    person.wait("document.querySelector('.job button')")
    working = set(multiprocessing.active_children())  # other workbenches may be open
    browser.run("document.querySelector('.job button').click()")
    person.wait(f"document.querySelector('.problem') && {IDLE}")
    assert len(working - set(multiprocessing.active_children())) == 1
    shown = browser.run("document.querySelector('main').textContent")
    assert browser.run("document.querySelectorAll('.report').length") > 3, shown
    assert "Cancelled" in browser.run("document.querySelector('.problem').textContent")
    person.show("columns")
    assert browser.run("document.querySelectorAll('#columns tbody tr').length") == 7


def test_nothing_was_fetched_from_elsewhere_and_nothing_complained(person):
    """In all of this, no request left the page's origin, and the console stayed empty."""
    person.show("open")
    origin = urlsplit(person.at)
    foreign = {
        urlsplit(one).netloc
        for one in person.asked
        if one != "about:blank" and not one.startswith("data:")
    }
    assert foreign == {origin.netloc}
    assert person.told == []


def test_no_page_has_style_or_script_within(person):
    """The policy of content forbids them; no page tries."""
    for screen in SCREENS:
        person.show(screen)
        source = person.browser.run("document.body.outerHTML")
        assert not re.search(r"<style|<script|\sstyle=|\son[a-z]+=\"", source)
