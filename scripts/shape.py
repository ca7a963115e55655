"""Figures of the source tree: python scripts/shape.py [--check] [FOLDER].

Lines by folder, modules and their lengths, folders with more than 15 files, functions with more
than 80 lines or more than eight parameters, functions named by a bare participle (`told`,
`values_kept`), variables that do not say what they hold (`one`), classes of one name, lines of
imports, `isinstance` and `getattr` about concrete kinds, `Any` in public signatures, `noqa`.

With `--check` the exit code is 1 where a figure exceeds that of `budget.toml` beside this file:
what grows is written down there, with the reason in the commit.
"""

from __future__ import annotations

import ast
import statistics
import sys
import tomllib
from collections import Counter
from pathlib import Path

MOST_FILES, MOST_LINES = 15, 80
TESTS = Path(__file__).parents[1] / "tests"
KINDS = ("algorithms", "models", "actions", "recoding", "engines", "attacks")
"""Folders whose classes are concrete kinds: a flow that asks for one has an undeclared trait."""

VERDICTS = ("required", "achieved", "satisfied", "released")
"""Participles that the field uses as nouns: a model's figures, and the side beside an original."""
IRREGULAR = (
    " broken built caught chosen dealt done drawn fallen felt found given gone grown heard "
    "held hidden kept known laid lost made meant met paid rebuilt redrawn rewritten said "
    "seen sent shown spent spoken stood taken taught thought thrown told torn undrawn unfit "
    "unknown unseen untold won worn written "
)
NO_PARTICIPLES = (
    "embed",
    "exceed",
    "feed",
    "hundred",
    "need",
    "proceed",
    "seed",
    "speed",
    "succeed",
)
IDIOM = {"one", "found", "held", "asked", "says", "told", "known"}
"""Names of variables where a noun exists."""
OUTSIDE_CORE = {
    *("workbench", "sigo", "linked", "series", "synthesis", "differential_privacy", "audit"),
    *("minimization", "comparison"),
}
"""Extensions and what they need of their own, which the budget of the core leaves out."""
PREDICATES = ("does", "has", "is", "was")
PREPOSITIONS = ("apart", "as", "at", "by", "from", "of", "off", "on", "out")


def print_folders(root: Path) -> None:
    """Print the lines of folders, the lengths of modules, and folders of many files."""
    lengths = {file: file.read_text(encoding="utf-8").count("\n") for file in root.rglob("*.py")}
    for folder, lines in sorted(_lines_by_folder(lengths, root).items()):
        print(f"{lines:8,} {folder}")
    longest = max(lengths, key=lengths.__getitem__)
    print(f"{statistics.median(lengths.values()):8,.0f} median, {lengths[longest]} {longest}")
    for folder, number in sorted(Counter(file.parent for file in lengths).items()):
        if number > MOST_FILES:
            print(f"{number:8,} files in {folder}")


def _lines_by_folder(lengths: dict[Path, int], root: Path) -> Counter[str]:
    """Return the lines of each folder directly below the root."""
    by_folder: Counter[str] = Counter()
    for file, lines in lengths.items():
        by_folder[file.relative_to(root).parts[0]] += lines
    return by_folder


def measure(root: Path) -> Counter[str]:
    """Return the figures of all modules below a folder."""
    files = sorted(root.rglob("*.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    trees = {file: ast.parse(text) for file, text in texts.items()}
    lengths = {file: text.count("\n") for file, text in texts.items()}
    by_folder = _lines_by_folder(lengths, root)
    kinds = _kinds(trees, root)
    found: Counter[str] = Counter()
    for file, tree in trees.items():
        outside = file.relative_to(root).parts[0] not in KINDS
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found["functions named by a bare participle"] += _is_bare_participle(node.name)
                long = (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES
                found["functions over 80 lines"] += long and "kernels" not in file.parts
                parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                found["functions of more than eight parameters"] += len(parameters) > 8
                found["Any in public signatures"] += _anys(node)
            elif isinstance(node, ast.Call):
                found["isinstance on concrete kinds"] += outside and _asks(node, kinds)
                found["getattr with a default"] += _called(node) == ("getattr", 3)
    found["noqa"] = sum(text.count("# noqa") for text in texts.values())
    found["lines"] = sum(lengths.values())
    found["lines of the core"] = found["lines"] - sum(by_folder[name] for name in OUTSIDE_CORE)
    found["modules"] = len(files)
    found["lines of tests"] = sum(
        file.read_text(encoding="utf-8").count("\n") for file in TESTS.rglob("*.py")
    )
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    found["lines of imports"] = sum(
        (node.end_lineno or 0) - node.lineno + 1
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    found["variables of idiom words"] = sum(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in IDIOM
        for node in nodes
    )
    classes = Counter(
        node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    found["classes that share a name"] = sum(
        number for name, number in classes.items() if number > 1 and not name.startswith("_")
    )
    return found


def check(found: Counter[str]) -> list[str]:
    """Return what exceeds the budget, a line each."""
    budget = tomllib.loads((Path(__file__).parent / "budget.toml").read_text(encoding="utf-8"))
    return [
        f"{name}: {found[name]:,}, and the budget is {most:,} (scripts/budget.toml)"
        for name, most in budget.items()
        if found[name] > most
    ]


def _is_bare_participle(name: str) -> bool:
    """Say whether a name is a participle that says neither of what nor by whom.

    One word (`told`), one behind a plural or `as` (`values_kept`), or one before a preposition
    (`told_of`).
    """
    words = name.strip("_").split("_")
    if len(words) == 1 or (words[0].endswith("s") and words[0] not in PREDICATES):
        return _is_participle(words[-1])
    return len(words) == 2 and words[1] in PREPOSITIONS and _is_participle(words[0])


def _is_participle(word: str) -> bool:
    """Say whether a word is a participle, and none that the field uses as a noun."""
    regular = word.endswith("ed") and word not in NO_PARTICIPLES
    return (regular or f" {word} " in IRREGULAR) and word not in VERDICTS


def _kinds(trees: dict[Path, ast.Module], root: Path) -> set[str]:
    """Return the classes that have a `type` of their own in folders of kinds."""
    return {
        node.name
        for file, tree in trees.items()
        if file.relative_to(root).parts[0] in KINDS
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(part, ast.AnnAssign)
            and isinstance(part.target, ast.Name)
            and part.target.id == "type"
            and part.value is not None
            for part in node.body
        )
    }


def _called(node: ast.Call) -> tuple[str, int]:
    """Return the name of a function that is called, and the number of its arguments."""
    return (node.func.id if isinstance(node.func, ast.Name) else "", len(node.args))


def _asks(node: ast.Call, kinds: set[str]) -> bool:
    """Say whether a call asks for a concrete kind."""
    if _called(node) != ("isinstance", 2):
        return False
    return bool(kinds & {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)})


def _anys(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many parameters and results of a public function are of type Any."""
    if node.name.startswith("_"):
        return 0
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    annotations = [one.annotation for one in every] + [node.returns]
    return sum(isinstance(one, ast.Name) and one.id == "Any" for one in annotations)


def main(words: list[str]) -> int:
    """Print the figures, or with `--check` what exceeds the budget; return the exit code."""
    folders = [word for word in words if word != "--check"]
    root = Path(folders[0] if folders else "src/kanonym")
    if "--check" in words:
        exceeded = check(measure(root))
        for line in exceeded:
            print(line)
        return int(bool(exceeded))
    print_folders(root)
    for name, number in sorted(measure(root).items()):
        print(f"{number:8,} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
