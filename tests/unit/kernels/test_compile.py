"""Laws of compilation: where machine code is kept, when it is stale, who is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kanonym.kernels import compile as compilation
from kanonym.kernels import machine_code
from kanonym.kernels.ahead import KERNELS

INNER = """
from kanonym.kernels.compile import {how}

@{how}
def answer():
    return {answer}
"""
OUTER = """
from kanonym.kernels.compile import kernel
from kanonym.kernels.inner import answer

@kernel
def ask():
    return answer()
"""
RUN = """
from kanonym.kernels.compile import announce_compilation
from kanonym.kernels import outer
with announce_compilation(lambda: print("compiles", end=" ")):
    print(outer.ask(), end="")
"""

USUAL = """
from contextlib import suppress
from kanonym.cli import main
from kanonym.kernels.ahead import KERNELS, _member, _type

def run(*words):
    with suppress(SystemExit):
        main(["--quiet", "--threads", "1", *words])

run("demo", "--rows", "2000", "--directory", "demo")
for algorithm in ("segmentation", "full-domain"):
    requirements = ["-p", "demo/policy.yaml", "-t", "0.6", "--algorithm", algorithm]
    run("anonymize", "demo/patients.csv", *requirements, "-o", f"{algorithm}.csv")
for place, words in KERNELS.items():
    if tuple(map(_type, words.split())) in _member(place).dispatcher.overloads:
        print("called", place)
"""


@pytest.fixture
def installation(tmp_path):
    """Return a function that runs a kernel of a small installation in a new process."""
    package = tmp_path / "installed" / "kanonym"
    kernels = package / "kernels"
    kernels.mkdir(parents=True)
    for folder in (package, kernels):
        (folder / "__init__.py").touch()
    for module in (compilation, machine_code):
        shutil.copy(module.__file__, kernels)
    (kernels / "inner.py").write_text(INNER.format(answer=1, how="kernel"))
    (kernels / "outer.py").write_text(OUTER)
    (tmp_path / "tmp").mkdir()

    def run(script=RUN, **environment):
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        places = {
            "PYTHONPATH": str(package.parent),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TMPDIR": str(tmp_path / "tmp"),
        }
        done = subprocess.run(
            [sys.executable, "-B", "-c", script],
            env={**kept, **places, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.stderr
        return done.stdout

    run.kernels = kernels
    run.root = tmp_path
    return run


def block(directory: Path):
    """Put a file where a directory would have to be: nobody, not even root, can write there."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.touch()


def cached(directory: Path):
    """Say whether compiled code lies below a directory."""
    return any(directory.rglob("*.nbc"))


def test_second_process_loads_machine_code_without_the_compiler(installation):
    """The first process compiles and says so once; the next one loads little of numba, silently."""
    script = RUN + "import sys; print('', 'numba.np.linalg' in sys.modules, end='')"
    assert installation(script) == "compiles 1 True"
    assert installation(script) == "1 False"
    assert cached(installation.kernels / "__pycache__")


def test_a_kernel_links_one_that_was_loaded(installation):
    """Machine code of the disk has the intermediate code that a new kernel links."""
    alone = "from kanonym.kernels.inner import answer; answer()"
    assert not installation(alone)
    assert installation(f"{alone}\n{RUN}") == "compiles 1"


def test_read_only_installation_uses_the_users_cache(installation):
    """Where the package cannot be written, compiled code lies in the user's cache directory."""
    block(installation.kernels / "__pycache__")
    assert installation() == "compiles 1"
    assert installation() == "1"
    assert cached(installation.root / "cache" / "kanonym")


@pytest.mark.skipif(os.name == "nt", reason="Windows has one temporary directory a user")
def test_temporary_directory_comes_next(installation):
    """Without a user's cache directory, one in the temporary directory holds the code, private."""
    block(installation.kernels / "__pycache__")
    block(installation.root / "cache")
    assert installation() == "compiles 1"
    assert installation() == "1"
    place = installation.root / "tmp" / f"kanonym-{os.geteuid()}"
    assert cached(place)
    assert place.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has one temporary directory a user")
def test_nothing_writable_still_computes(installation):
    """Where no directory can be written, every process compiles for itself."""
    block(installation.kernels / "__pycache__")
    block(installation.root / "cache")
    block(installation.root / "tmp" / f"kanonym-{os.geteuid()}")
    assert installation() == "compiles 1"
    assert installation() == "compiles 1"


@pytest.mark.skipif(os.name == "nt", reason="permissions differ on Windows")
def test_directory_that_others_can_write_is_not_trusted(tmp_path):
    """Compiled code is never loaded from a directory in which another user could have put it."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert not machine_code._is_private(shared)  # noqa: SLF001
    assert machine_code._is_private(tmp_path / "new")  # noqa: SLF001


def test_users_own_choice_comes_first(installation):
    """NUMBA_CACHE_DIR decides where it is set."""
    chosen = installation.root / "chosen"
    installation(NUMBA_CACHE_DIR=str(chosen))
    assert cached(chosen)
    assert not cached(installation.kernels)


def test_changed_callee_reaches_the_kernels_that_call_it(installation):
    """A kernel whose callee in another module has changed is compiled again."""
    assert installation() == "compiles 1"
    for answer, how in ((2, "kernel"), (3, "part")):
        (installation.kernels / "inner.py").write_text(INNER.format(answer=answer, how=how))
        assert installation() == f"compiles {answer}"


def test_part_makes_no_machine_code_of_its_own():
    """What a kernel calls is linked into it, once for each type, and runs from Python, too."""

    @compilation.part
    def halve(x):
        return x / 2

    @compilation.kernel
    def halves(x, y):
        return halve(x) + halve(y)

    assert halves(3, 5.0) == 4.0
    assert len(halve.dispatcher.overloads) == 2
    assert not any(
        callable(compiled.entry_point) for compiled in halve.dispatcher.overloads.values()
    )
    assert halve(3) == 1.5


def test_code_that_was_cut_off_is_compiled_anew(installation):
    """A full disk may cut a file of machine code: it is replaced, and the kernel runs."""
    assert installation() == "compiles 1"
    for kind in ("nbi", "nbc"):
        files = list(installation.kernels.rglob(f"*.{kind}"))
        assert files
        for file in files:
            file.write_bytes(file.read_bytes()[:40])
        assert installation() == "compiles 1"
    assert installation() == "1"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no lock for kernels")
def test_kernels_that_start_together_are_compiled_once(installation):
    """Of two processes that need a kernel at once, one compiles it and the other waits."""
    with ThreadPoolExecutor(2) as pool:
        printed = sorted(pool.map(installation, [RUN] * 2))
    assert printed == ["1", "compiles 1"]


def test_code_of_a_read_only_installation_is_loaded(installation):
    """A user who cannot write to the package loads what was compiled there."""
    assert installation() == "compiles 1"
    forbids = "from kanonym.kernels import machine_code as m; m._is_writable = lambda _: False"
    assert installation(f"{forbids}\n{RUN}") == "1"


def test_kernels_that_are_compiled_ahead_are_those_that_commands_call(tmp_path):
    """Each kernel of the list is called by a usual command, with the types of the list."""
    ran = subprocess.run(
        [sys.executable, "-c", USUAL], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    called = {line.removeprefix("called ") for line in ran.stdout.splitlines()}
    assert called >= set(KERNELS)
