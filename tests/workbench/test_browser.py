"""The workbench in a real browser: the whole way, each screen looked at, the keyboard alone.

Pictures of the screens are kept in the folder that the variable KANONYM_ARTIFACTS names.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from kanonym.data.files import write_table
from kanonym.pipeline import verify
from kanonym.policy import Policy
from kanonym.workbench.screens import SCREENS
from kanonym.workbench.screens.results import TABS
from workbench_servers import Visitor, act, idle, opened, release, running, state_of

AXE = Path(__file__).parent / "axe" / "axe.min.js"
NAMES = [screen.name for screen in SCREENS]
PLACES = [*NAMES, *(f"results?tab={tab}" for tab in TABS)]
NARROW, WIDE = 360, 1440
WHOLE = "html.scripts:not(:has([data-events]))"
"""A document that was read to its end, and shows no work that is under way."""
COUNTED = f"{WHOLE}:not(:has(#strip:not(:has(.met, .unmet))))"
"""One whose strip has its number, too."""
FAULTS = """
axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | ')))
"""
STYLE = "(element, name) => getComputedStyle(element)[name]"


class Person:
    """Somebody at a page of the browser that shows a project.

    Attributes
    ----------
    page, at
        The page, and the address that those of the project begin with.
    requests, complaints
        Addresses that the page asked for, and what its console has.

    """

    def __init__(self, page, at):
        self.page, self.at, self.requests, self.complaints = page, at, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.look(WIDE)

    def look(self, width, **media):
        """Give the window a width, and show pages with a colour scheme or as printed."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(**media)

    def show(self, screen):
        """Go to a screen, and wait until all of it is there."""
        self.page.goto(f"{self.at}/{screen}")
        self.wait(COUNTED)

    def wait(self, document=WHOLE):
        """Wait for a document that took the place of the one before."""
        self.page.locator(f"{document} main#main").wait_for()

    @contextmanager
    def leaving(self):
        """Do something that leads to another document, and wait for that one."""
        self.page.locator("main").evaluate("main => { main.id = 'old' }")
        yield
        self.wait()

    def click(self, selector):
        """Click the only element of a kind, and wait until the next document is there."""
        with self.leaving():
            self.page.locator(selector).click()

    def tab_to(self, selector):
        """Press Tab until an element of a kind has the focus."""
        for _ in range(200):
            if self.page.locator(selector).and_(self.page.locator(":focus")).count():
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def enter(self, selector, place):
        """Reach an element by Tab, press Enter, and wait for the screen that it leads to."""
        self.tab_to(selector)
        with self.leaving():
            self.page.keyboard.press("Enter")
        assert urlsplit(self.page.url).path.endswith(f"/{place}")

    def text(self, selector):
        """Return the text of the only element of a kind."""
        return self.page.locator(selector).text_content()

    def number(self, selector):
        """Return how many elements of a kind there are."""
        return self.page.locator(selector).count()

    def faults(self):
        """Return what axe, which the page loaded, finds serious or critical."""
        return self.page.evaluate(FAULTS)


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory):
    """Give a folder with a table of invented patients, two names of which are scripts."""
    folder = tmp_path_factory.mktemp("browser")
    table = patients(200)
    odd = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>"]
    names = pl.Series("name", [*odd, *table["name"][2:]])
    write_table(table.with_columns(names), folder / "patients.csv")
    write_table(patients(60), folder / "small.csv")
    (folder / "small.yaml").write_text(SMALL)
    return folder


@pytest.fixture(scope="module", name="visitor")
def fixture_visitor(folder):
    """Give somebody who opened the table without a browser, and wrote a release with a report."""
    table = folder / "patients.csv"
    with running(str(table), folder=folder / "project") as (_, addresses):
        visitor = Visitor.enter(addresses[-1])
        visitor.at = visitor.place.rpartition("/")[0]
        idle(visitor)
        release(visitor)
        act(visitor, "export/write", format=".csv", report="html")
        idle(visitor)
        yield visitor


@pytest.fixture(name="person")
def fixture_person(page, visitor):
    """Give the visitor a page; nothing it does asks other servers or fills the console."""
    host = f"http://127.0.0.1:{visitor.port}"
    name, _, value = visitor.cookie.partition("=")
    page.context.add_cookies([{"name": name, "value": value, "url": host}])
    person = Person(page, host + visitor.at)
    yield person
    assert {urlsplit(url).netloc for url in person.requests} <= {urlsplit(host).netloc, ""}
    assert all(urlsplit(url).scheme in ("http", "data") for url in person.requests)
    assert person.complaints == []


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


@pytest.fixture(scope="module", name="small_project")
def fixture_small_project(visitor, folder):
    """Give the visitor at a project of a small table, opened with a policy file."""
    small = Visitor(visitor.port, visitor.cookie)
    named = {"path": "small.csv", "policy": "small.yaml", "folder": "small-project"}
    sent = {name: str(folder / file) for name, file in named.items()}
    opened(small, small.send("POST", "/open", sent))
    return small


@pytest.fixture(name="small")
def fixture_small(person, small_project):
    """Give the person at the small project; the end undoes all."""
    state = state_of(small_project)
    person.at = f"http://{urlsplit(person.at).netloc}{small_project.at}"
    yield person
    act(small_project, "history/restore", number=state)


def test_the_announced_address_opens_a_session(page):
    """Who follows it in a browser comes to the first page, where a table is opened."""
    with running() as (_, addresses):
        page.goto(addresses[-1])
        page.locator("html.scripts form[action='/open']").wait_for()
        assert urlsplit(page.url).path == "/"


def test_values_of_the_table_are_no_markup(person):
    """A script or an image that is written in a cell is shown as its text, and nothing runs."""
    person.show("open")
    shown = person.text(".cells")
    assert "<script>alert(1)</script>" in shown
    assert "<img src=x onerror=alert(2)>" in shown
    assert person.number("main img, main script") == 0


def test_a_click_on_a_role_is_counted_at_once_and_undone(person):
    """A role is one click; the strip counts anew; undo brings back what was."""
    person.show("columns")
    before = person.text("#strip")
    person.click("tr[data-text^=sex] button.insensitive[aria-pressed=false]")
    person.wait(COUNTED)
    assert person.text("#strip") != before
    person.click("form[action$='/history/undo'] button")
    person.wait(COUNTED)
    assert person.text("#strip") == before


def test_the_filter_hides_other_columns(person):
    """Typing into the filter leaves the columns that match."""
    person.show("columns")
    person.page.locator("[data-filter]").fill("birth")
    assert person.page.locator("#columns tbody tr:visible th").all_inner_texts() == [
        "birth_date\ndate"
    ]


def test_a_click_on_a_language_changes_the_words(person):
    """A screen stays where it is and speaks the other language, and the first one again."""
    person.show("columns")
    for language, heading in (("es", "Columnas"), ("en", "Columns")):
        person.click(f"form[action='/language'] button[value={language}]")
        assert person.text("h1") == heading
        assert person.page.url == f"{person.at}/columns"


@pytest.fixture(name="groups")
def fixture_groups(person, visitor):
    """Give a function that returns the groups of an occupation's values; the end undoes all."""
    state = state_of(visitor)
    person.show("hierarchies?column=occupation&builder=groups")
    person.page.locator("[name=fan_outs]").fill("[3]")
    person.click("form[action$='/hierarchies/build'] button")
    rows = person.page.locator("#values tbody tr")
    cells = "rows => rows.map(row => [...row.cells].slice(1, 3).map(one => one.firstChild.data))"
    yield lambda: {value: group.strip() for value, group in rows.evaluate_all(cells)}
    act(visitor, "history/restore", number=state)


def first_and_other(groups):
    """Return the first value, the place of the first one of another group, and that group."""
    first = next(iter(groups))
    for place, group in enumerate(groups.values()):
        if group != groups[first]:
            return first, place, group
    raise AssertionError("all values are in one group")


def test_a_value_is_dragged_into_another_group(person, groups):
    """A drop on a group moves the value there, and no other value."""
    before = groups()
    first, place, other = first_and_other(before)
    rows = person.page.locator("#values tbody tr")
    with person.leaving():
        rows.first.locator("td").nth(1).drag_to(rows.nth(place).locator("[data-into]"))
    assert groups() == {**before, first: other}


def test_a_value_is_moved_by_keyboard(person, groups):
    """Space ticks a value; Tab reaches the button of a group; Enter moves the value there."""
    before = groups()
    first, _, other = first_and_other(before)
    person.tab_to("#values [name=value]")
    person.page.keyboard.press("Space")
    person.enter(f"#values .into[value='1:{other}']", "hierarchies")
    assert person.number(".problem") == 0
    assert groups() == {**before, first: other}


def test_from_the_start_to_a_verified_release_by_keyboard_alone(person, folder, tmp_path):
    """Tab, Enter and names lead from the first page to a release, which another check verifies."""
    page = person.page
    page.goto(f"http://{urlsplit(person.at).netloc}/")
    person.tab_to("#path")
    page.keyboard.type(str(folder / "patients.csv"))
    person.tab_to("summary")
    page.keyboard.press("Enter")
    person.tab_to("#folder")
    page.keyboard.type(str(tmp_path / "project"))
    person.enter("form[action='/open'] button", "open")
    person.enter("a.primary", "columns")
    person.enter("a.primary", "requirements")
    person.enter("a.primary", "run")
    person.enter("form[action$='/run/both'] button.primary", "run")
    assert page.locator(".verdict").is_visible()
    person.enter("a.primary", "results")
    person.enter("a.primary", "export")
    person.enter("form[action$='/export/write'] button.primary", "export")
    assert page.locator("a[download][href$='report.html']").is_visible()
    (place,) = (tmp_path / "project" / "releases").glob("[0-9]*")
    policy = Policy.from_file(place / "policy.yaml")
    found = verify(ka.read_table(place / "released.csv"), policy)
    assert found.satisfied
    written = {"policy.yaml", "released.csv", "released.csv.manifest.json", "report.html"}
    assert written | {"release.json"} == {one.name for one in place.iterdir()}


def test_screens_are_accessible(person):
    """Axe finds nothing serious or critical on any screen, contrast included, in both themes."""
    person.page.add_init_script(path=AXE)
    found = {}
    for screen in PLACES:
        person.show(screen)
        for scheme in ("light", "dark"):
            person.look(WIDE, color_scheme=scheme)
            found[screen, scheme] = person.faults()
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_screens_fit_a_phone(person):
    """At 360 pixels nothing is wider than a screen, and axe finds nothing there, either."""
    person.page.add_init_script(path=AXE)
    person.look(NARROW)
    for screen in PLACES:
        person.show(screen)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= NARROW, screen
        step = person.page.locator("nav a[aria-current=page]").bounding_box()
        assert 0 <= step["x"] < step["x"] + step["width"] <= NARROW, screen
        assert person.faults() == [], screen


@pytest.fixture(params=["en", "es"])
def language(request, visitor):
    """Give a language, and show the pages in it meanwhile."""
    visitor.send("POST", "/language", {"language": request.param})
    yield request.param
    visitor.send("POST", "/language", {"language": "en"})


@pytest.mark.nightly
@pytest.mark.skipif(
    "KANONYM_ARTIFACTS" not in os.environ,
    reason="pictures are taken for the folder that KANONYM_ARTIFACTS names",
)
def test_screens_are_pictured(person, language):
    """Each screen is kept as a picture, wide and narrow, light and dark, in each language."""
    folder = Path(os.environ["KANONYM_ARTIFACTS"]) / "workbench"
    folder.mkdir(parents=True, exist_ok=True)
    for width, scheme, screen in product((WIDE, NARROW), ("light", "dark"), NAMES):
        person.look(width, color_scheme=scheme)
        person.show(screen)
        assert person.page.locator("html").get_attribute("lang") == language
        picture = folder / f"{screen}-{language}-{width}-{scheme}.png"
        person.page.screenshot(path=picture, full_page=True)
        assert picture.stat().st_size > 5000


def test_a_screen_is_printed_without_its_buttons(person):
    """On paper there is the content alone, in black on white, as a PDF of some pages."""
    person.look(WIDE, media="print", color_scheme="dark")
    person.show("results?tab=models")
    assert not person.page.locator(".frame > nav").is_visible()
    assert person.number("main button") > 0
    assert person.number("main button:visible") == 0
    paper = person.page.locator("body").evaluate(STYLE, "backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert person.page.pdf(print_background=True).startswith(b"%PDF")


def test_a_table_is_opened_with_a_policy_file(small, folder):
    """The policy that was named on the first page is the one at work, and is where it was."""
    assert Policy.from_file(folder / "small-project" / "policy.yaml") == Policy.from_text(SMALL)
    assert (folder / "small.yaml").read_text() == SMALL
    small.show("requirements")
    assert "“diagnosis” has at least 2 distinct values" in small.text("main")


def test_the_focus_is_where_a_person_goes_on(small):
    """It stays at a role that was set; an error has it at its field, in view; offline is told."""
    small.show("columns")
    button = small.page.locator("#columns button[aria-pressed=false]").last
    value = button.get_attribute("value")
    with small.leaving():
        button.click()
    small.page.locator(f"button[value='{value}']:focus").wait_for()
    small.click("form[action$='/history/undo'] button")
    small.page.goto(f"{small.at}/run?algorithm=kmeans")
    small.page.locator("#field-suppression_limit").fill("150")
    with small.leaving():
        small.page.locator("form[action$='/run/both'] button.primary").click()
    invalid = small.page.locator("#field-suppression_limit[aria-invalid=true]:focus")
    invalid.wait_for()
    assert invalid.bounding_box()["y"] < small.page.viewport_size["height"]
    with small.leaving():
        small.page.reload()
    assert small.number("h1") == 1
    small.page.context.set_offline(True)
    small.page.locator(".frame nav a").first.click()
    small.page.locator("#gone:not([hidden]):focus").wait_for()
    small.page.context.set_offline(False)
    small.complaints.clear()  # the browser tells of the refused form, and that it was offline


def test_algorithms_are_compared_and_one_is_chosen(small):
    """The comparison ends in a picture; a click on a solution and a choice change the policy."""
    small.show("explore")
    small.click("form[action$='/explore/compare'] button")
    assert small.number(".problem") == 0
    assert small.number(".dots svg a") > 1
    assert small.number(".dots circle.knee") == small.number("main tbody b.met") <= 1
    small.click("main > .scroll tbody tr:last-child a")
    label = small.text("#chosen h2")
    assert small.number("#chosen thead th.number") == 2
    shown = small.text("#chosen table")
    assert "loss of birth_date" in shown
    assert "worst class: share of one value of diagnosis" in shown
    with small.leaving():
        small.page.locator("#beside").select_option(index=1)
    assert small.number("#chosen thead th.number") == 2
    small.click("#chosen button.primary")
    assert urlsplit(small.page.url).path.endswith("/results")
    assert small.number(".verdict.failed") == 0
    small.show("history")
    assert label in small.text("main")


def test_a_release_is_attacked_and_assessed_to_the_end(small, small_project):
    """The results then have the attacks, each against chance, and the button is gone."""
    release(small_project)
    small.show("results")
    assert "none was tried yet" in small.text(".tiles")
    small.enter(".tiles a[href$='tab=attacks']", "results")
    small.click("form[action$='/results/attack'] button")
    assert small.number(".problem, form[action$='/attack']") == 0
    assert "Attacks: success compared with chance" in small.text("main")
    assert "by chance" in small.text(".tiles")


def test_results_put_the_table_beside_its_release(small, small_project, folder):
    """Records, pairs of columns and risk are shown before and after, as the library counts them."""
    release(small_project)
    small.show("results?tab=records")
    assert small.number("main table tbody tr") == 40
    assert small.number("main table mark") > 0
    small.page.locator(".pager a").click()
    small.page.wait_for_url("**row=40")
    small.show("results?tab=pairs&first=sex&second=diagnosis")
    table = ka.read_table(folder / "small.csv")
    head = small.page.locator("section table").first.locator("thead th").all_inner_texts()
    row = small.page.locator("section table").first.locator("tbody tr").first
    sex, number = row.locator("th, td").all_inner_texts()[:2]
    assert int(number) == table.filter(sex=sex, diagnosis=head[1]).height
    with small.leaving():
        small.page.locator("#second").select_option("birth_date")
    assert "birth_date" in small.text("section:nth-of-type(1) thead")
    small.show("results?tab=risk&population=10")
    assert "but the population only 10" in small.text("#population-fault")
    small.show("results?tab=risk&population=none")
    assert small.number("#population[aria-invalid=true]") == 1
    small.show("results?tab=risk&population=600")
    assert "population uniques" in small.page.locator("main table").first.inner_text()
    alone = table.group_by("birth_date").len().filter(pl.col("len") == 1).height
    cells = small.page.locator("tr", has=small.page.locator("th:text-is('birth_date')"))
    assert cells.locator("td").nth(2).inner_text() == str(alone)


def test_a_pdf_of_the_report_is_made_on_the_page(small, small_project, folder):
    """A tick at PDF gives a report.pdf beside the release, with a link to it."""
    release(small_project)
    small.show("export")
    small.page.locator("[name=report][value=pdf]").check()
    small.click("form[action$='/export/write'] button.primary")
    assert small.number(".problem") == 0
    assert small.number("a[download][href$='report.pdf']") == 1
    (report,) = (folder / "small-project" / "releases").glob("*/report.pdf")
    assert report.read_bytes().startswith(b"%PDF")


def test_a_cancel_ends_the_work(person):
    """A click on cancel ends the process, and the screen says so; what was made stays."""
    person.show("results?tab=attacks")
    person.page.locator("form[action$='/results/attack'] button").click()
    cancel = person.page.locator(".job button")
    cancel.wait_for()
    person.page.locator("[data-words]", has_text="Attack: ").wait_for()
    assert re.match(r"\d+ s", person.text("[data-seconds]"))
    working = set(multiprocessing.active_children())  # other workbenches may be open
    with person.leaving():
        cancel.click()
    assert "Cancelled" in person.text(".problem")
    assert len(working - set(multiprocessing.active_children())) == 1
    assert person.number(".report") > 2
    person.show("columns")
    assert person.number("#columns tbody tr") == 7


def test_no_page_has_style_or_script_within(person):
    """The policy of content forbids them; no page tries."""
    for screen in PLACES:
        person.show(screen)
        source = person.page.locator("body").evaluate("body => body.outerHTML")
        assert not re.search(r"<style|<script|\sstyle=|\son[a-z]+=\"", source)
