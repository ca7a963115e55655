# `just` lists the recipes. They use the tools on the path: activate an environment made with
# `pip install -e '.[dev]'`, or with the exact versions of requirements-dev.txt.

_default:
    @just --list

# everything a change must pass, without building a fresh environment as .ci/run does
check: lint test

# run the tests; arguments go to pytest: just test -k mondrian
test *args:
    pytest -n auto {{ args }}

# all tests with twenty times as many drawn examples, and those that take too long for every change
nightly *args:
    pytest -n auto --hypothesis-profile=nightly {{ args }}

# style, types, layers, and a sentence for every test
lint:
    ruff check
    ruff format --check
    mypy
    lint-imports --no-logo
    interrogate tests
    python scripts/shape.py --check
    python scripts/messages.py --check
    python scripts/page_types.py

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

# write requirements-dev.txt again, with the newest versions that pyproject.toml allows; needs uv
lock:
    uv pip compile pyproject.toml --extra dev --extra spark --extra stat --universal --python-version 3.11 \
        --generate-hashes --custom-compile-command "just lock" --no-emit-index-url --upgrade --quiet -o requirements-dev.txt

# the site in docs/_build/html, from scratch: a warning, a broken link, a lost question or a wide page is an error
docs:
    rm -rf docs/_build docs/reference
    sphinx-build --fail-on-warning --keep-going --quiet --jobs auto -d docs/_build/doctrees docs docs/_build/html
    python scripts/site_links.py docs/_build/html
    pytest -q -n0 tests/functional/test_site_search.py tests/functional/test_site_width.py

# take the pictures of docs/workbench.md again; needs Chromium
pictures:
    KANONYM_ARTIFACTS=.artifacts pytest -q --hypothesis-profile=nightly tests/workbench/test_browser.py -k pictured
    for screen in columns hierarchies actions requirements records; do \
        cp ".artifacts/workbench/$screen-en-1440-light.png" "docs/pictures/workbench-$screen.png"; done

# run the blocks of pages, and write what they print into them again
pages *pages="docs/stories/*.md docs/guides/*.md":
    python tests/pages.py {{ pages }}

# collect what is said into the catalogues of translations, and compile them
messages:
    python scripts/messages.py

# figures of the source tree: lines, lengths, folders, isinstance, Any, noqa
shape *folder:
    python scripts/shape.py {{ folder }}
