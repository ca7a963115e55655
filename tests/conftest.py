"""Fixtures of all tests: the frame libraries as a parameter, and the shared data."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings

# A process of the tests has one core: threads that wait for each other take most of the time of a
# small model. It is read when scikit-learn is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from kanonym import engines
from kanonym.data.errors import DataError
from kanonym.reporting.rendering import pdf

# A time limit for an example, or for the drawing of it, would test the machine, not the law.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# By day every run draws the same examples, so that a change answers for what it changed.
settings.register_profile("default", max_examples=10, derandomize=True, **UNTIMED)
settings.register_profile("nightly", max_examples=200, **UNTIMED)
settings.load_profile("default")


def pytest_collection_modifyitems(config, items):
    """Leave tests marked `nightly` to `just nightly`."""
    if config.getoption("--hypothesis-profile") == "nightly":
        return
    left = [item for item in items if is_nightly(item)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not is_nightly(item)]


def is_nightly(item):
    """Tell whether a test is marked `nightly`, or `nightly(on=...)` with one of its parameters."""
    marker = item.get_closest_marker("nightly")
    if marker is None or "on" not in marker.kwargs:
        return marker is not None
    return marker.kwargs["on"] in item.callspec.params.values()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run the tests of a file in one process: they share fixtures and compiled kernels."""
    from xdist.scheduler import LoadGroupScheduling

    class FilesAndGroups(LoadGroupScheduling):
        """The tests of a file are a group where they are in no other."""

        def _split_scope(self, nodeid):
            scope = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if scope == nodeid else scope

    return FilesAndGroups(config, log)


# A shell that starts tests in the background has it ignored: what waits for it goes on for minutes.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Collecting makes objects that live to the end: each search for garbage would go through them.
gc.disable()


def pytest_collection_finish():
    """Leave what was collected out of later searches for garbage, which begin now."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish():
    """Let what was collected be freed in its order, which extension modules insist on."""
    gc.unfreeze()


PATIENCE = 60_000
"""Milliseconds that a page may take on a busy machine before a test fails."""

DRAWN_SEED = engines.local.draw_seed


@pytest.fixture(scope="session", autouse=True)
def one_order():
    """Let releases that ask for no seed have the same one, so that tests can compare their rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.engines.task.draw_private_seed", lambda: 1)
        patch.setattr("kanonym.engines.local.draw_seed", lambda: 1)
        yield


@pytest.fixture
def own_order(monkeypatch):
    """Let every release that asks for no seed draw one, as it does outside of tests."""
    monkeypatch.setattr("kanonym.engines.local.draw_seed", DRAWN_SEED)


def pandas_numpy(columns):
    """Make a pandas frame with NumPy dtypes, the default of pandas."""
    return pd.DataFrame(columns)


def pandas_pyarrow(columns):
    """Make a pandas frame whose columns are Arrow arrays."""
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


FRAMES = {
    "pandas-numpy": pandas_numpy,
    "pandas-pyarrow": pandas_pyarrow,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.fixture(params=FRAMES)
def frame(request):
    """Return a function that makes a frame from a dict of lists, one for each library."""
    return FRAMES[request.param]


@pytest.fixture(scope="session")
def shared_data():
    """Return the folder of real data beside the checkout, or skip where it is absent."""
    path = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the real data in ../shared/data beside the checkout")
    return path


@pytest.fixture(scope="session")
def browser():
    """Return the browser of this process, without a window, or skip where none can be driven."""
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright to drive a browser")
    try:
        command = pdf.browser()
    except DataError as error:
        pytest.skip(f"no browser: {error}")
    with driver.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=command)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """Return a page that shares no cookie and no cache with those of other tests."""
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
