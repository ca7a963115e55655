"""The catalogues of translations: what the sources say goes in, and they are compiled.

`python scripts/messages.py`, or `just messages`: new sentences come without a translation, and
those that nobody says any more go. `--check` writes nothing, and ends with 1 where a sentence is
missing, unused or untranslated, or where the compiled catalogue is not that of the text.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from kanonym import language

SOURCES = Path(language.__file__).parents[1]
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
KEYWORDS = {**DEFAULT_KEYWORDS, "Message": None, "finding_kind": (3,)}
LOCALES = Path(language.__file__).parent / "locale"


def template() -> Catalog:
    """Return what the sources and templates say."""
    catalog = Catalog(project="kanonym", charset="utf-8", fuzzy=False)
    for _, _, message, _, context in extract_from_dir(SOURCES, METHODS, keywords=KEYWORDS):
        catalog.add(message, context=context)
    return catalog


def faults(text: Path) -> list[str]:
    """Return what is wrong with a catalogue."""
    said = set(entries(template()))
    known = entries(read_po(io.BytesIO(text.read_bytes())))
    compiled = entries(read_mo(io.BytesIO(text.with_suffix(".mo").read_bytes())))
    wrong = {
        "missing": said - set(known),
        "unused": set(known) - said,
        "untranslated": {key for key, told in known.items() if not all(told)},
        "not compiled": {key for key, told in known.items() if compiled.get(key) != told},
    }
    return [f"{what}: {key}" for what, keys in wrong.items() for key in sorted(keys, key=str)]


def entries(catalog: Catalog) -> dict[Any, tuple[str, ...]]:
    """Return the translations by context and text, one or by number."""
    return {(one.context, _tuple(one.id)): _tuple(one.string) for one in catalog if one.id}


def _tuple(texts: Any) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts or ())


def update(text: Path) -> None:
    """Write a catalogue anew, with the translations that it has, and compile it."""
    catalog = read_po(io.BytesIO(text.read_bytes()))
    catalog.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    with text.open("wb") as file:
        write_po(file, catalog, width=100)
    with text.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalog)


def main() -> int:
    """Update or check every catalogue."""
    checks = "--check" in sys.argv[1:]
    wrong = []
    for text in sorted(LOCALES.glob("*/LC_MESSAGES/*.po")):
        if checks:
            wrong += [f"{text.name}: {fault}" for fault in faults(text)]
        else:
            update(text)
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
