# `just` lists the recipes. They use the tools on the path: `uv sync --locked --extra dev`
# and `uv run just check`, or activate an environment made with `pip install -e '.[dev]'`.

_default:
    @just --list

# everything a change must pass, without building a fresh environment as .ci/run does
check: lint test

# run the tests; arguments go to pytest: just test -k mondrian
test *args:
    pytest -n auto {{ args }}

# all tests with eight times as many drawn examples, and those that take too long for every change
nightly *args:
    pytest -n auto --hypothesis-profile=nightly {{ args }}

# style, types, layers, and a sentence for every test
lint:
    ruff check
    ruff format --check
    mypy
    lint-imports --no-logo
    interrogate tests

# rewrite the code in the house style
format:
    ruff check --fix
    ruff format

# speed and information loss, as ratios against a peer in the same run
bench *names="benches/*.py":
    for bench in {{ names }}; do python "$bench"; done

# the whole job on generated patients
demo:
    kanonym demo

# write uv.lock again, with the newest versions that pyproject.toml allows
lock:
    uv lock --upgrade
