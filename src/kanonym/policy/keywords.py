"""The short forms of a policy: keywords of Python functions, and options of commands.

Each is declared once: its type, its range, its help and its short option.
"""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, TypeVar, get_type_hints

from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.algorithms.base import Algorithm
    from kanonym.algorithms.itemsets.base import ItemAlgorithm
    from kanonym.data.hierarchy import HierarchySource
    from kanonym.models.base import PrivacyModel
else:  # loading them takes a second, which `kanonym --help` has not
    Algorithm = ItemAlgorithm = HierarchySource = PrivacyModel = Any

Function = TypeVar("Function", bound=Callable[..., Any])

QuasiIdentifiers = Annotated[
    Sequence[str], Option("Quasi-identifiers.", "A,B", "-q", kind="columns")
]
NOTHING = "none"
"""What `sensitive` says where no attribute is."""
SensitiveAttributes = Annotated[
    Sequence[str] | Literal["none"],
    Option("Sensitive attributes; none states that there is none.", "C", "-s", kind="columns"),
]
Sets = Annotated[
    Sequence[str] | Mapping[str, str | None],
    Option(
        "Set of items per person, such as diagnoses: a column of lists, or of texts with a "
        "separator; may be repeated.",
        "COLUMN[=SEPARATOR]",
        kind="sets",
        rare=True,
    ),
]
Identifiers = Annotated[Sequence[str], Option("Identifiers: dropped.", "A,B", "-i", kind="columns")]
Hierarchies = Annotated[
    Mapping[str, HierarchySource | str | os.PathLike[str]] | None,
    Option("Hierarchy file of a column; may be repeated.", "COLUMN=FILE", kind="files"),
]
Others = Annotated[str | None, Option("Role of all other columns, such as insensitive.", "ROLE")]
Missing = Annotated[
    Sequence[str | int | float] | Mapping[str, Sequence[str | int | float]],
    Option(
        "Words and codes that are missing values, such as -9, in all columns or in one; may be "
        "repeated. NA, unknown and the like need not be named beside numbers and dates.",
        "[COLUMN=]A,B",
        kind="words",
        rare=True,
    ),
]
K = Annotated[int | None, Option("k-anonymity: records per class.", "K", "-k", least=1)]
Entity = Annotated[
    str | Sequence[str] | None,
    Option(
        "With -k: column, or columns, that identify people with several records; k counts people.",
        "A,B",
        kind="columns",
    ),
]
Rows = Annotated[
    Literal["persons"] | None,
    Option("persons: each record is a person, although an identifier repeats.", "persons"),
]
M = Annotated[
    int | None,
    Option(
        "With -k and --set: items that an intruder knows; k then counts records that have them, "
        "in each class of quasi-identifiers.",
        "M",
        "-m",
        rare=True,
        least=0,
    ),
]
L = Annotated[
    int | float | None, Option("l-diversity: sensitive values per class.", "L", "-l", least=1)
]
T = Annotated[
    float | None, Option("t-closeness: largest distance to the table", "T", "-t", least=0, most=1)
]
Models = Annotated[
    Sequence[PrivacyModel | Mapping[str, Any]],
    Option(
        "Model as in a policy: '{type: k-map, k: 5, population: all.csv}'; may be repeated.",
        "{type: …}",
        kind="parts",
    ),
]
AlgorithmForm = Annotated[
    Algorithm | Mapping[str, Any] | str | None,
    Option(
        "mondrian (default), auto, full-domain or another; or '{type: kmeans, clusters: 4}'.",
        "NAME",
        kind="part",
        group="method",
    ),
]
ItemAlgorithmForm = Annotated[
    ItemAlgorithm | Mapping[str, Any] | str | None,
    Option(
        "How the items of sets are recoded: apriori (default), optimal-cut, lra, vpa; with "
        "parameters '{type: apriori, drop: false}'.",
        "NAME",
        kind="part",
        group="method",
        rare=True,
    ),
]
RecodingName = Annotated[
    Literal["interval", "range", "set", "hierarchy", "mean", "median", "mode", "balanced"] | None,
    Option(
        "Recoding: interval, range, set, hierarchy, mean, median, mode or balanced.",
        "NAME",
        group="method",
        rare=True,
    ),
]
SuppressionLimit = Annotated[
    float | None,
    Option(
        "Maximum share of records to suppress.", "SHARE", group="method", least=0, most=1, default=0
    ),
]
AttackLimits = Annotated[
    Mapping[str, float] | None,
    Option(
        "Largest tolerated risk of an attack (its success beyond chance), above 0 and at most 1; "
        "may be repeated.",
        "ATTACK=RISK",
        kind="shares",
        rare=True,
    ),
]
Seed = Annotated[
    int | None,
    Option(
        "Random seed of the row order and of actions; default: a new one each time.",
        "N",
        group="output",
        least=0,
    ),
]
Minimality = Annotated[
    Literal["chance", "none"] | None,
    Option(
        "What refused classes tell intruders: chance (default) hides it, none does not.",
        "NAME",
        group="method",
        rare=True,
    ),
]
PrivateSeed = Annotated[
    Mapping[str, str | os.PathLike[str]] | None,
    Option(
        "File, or env:VARIABLE, with the seed of what is left to chance; default: a new one each "
        "time.",
        "FILE",
        kind="secret",
        group="method",
        rare=True,
    ),
]
KeepOrder = Annotated[
    bool | None, Option("Keep the row order of the input.", group="output", rare=True)
]
KeepIntegers = Annotated[
    bool | None,
    Option("Round means and medians of whole numbers to whole numbers.", group="output", rare=True),
]


class Keywords(TypedDict, total=False):
    """What `Policy.from_columns`, `anonymize` and others take in place of a policy, or with one."""

    quasi_identifiers: QuasiIdentifiers
    sensitive: SensitiveAttributes
    identifiers: Identifiers
    sets: Sets
    others: Others
    missing: Missing
    k: K
    m: M
    entity: Entity
    rows: Rows
    l: L
    t: T
    alpha: float | None
    beta: float | None
    delta: float | None
    models: Models
    hierarchies: Hierarchies
    suppression_limit: SuppressionLimit
    attack_limits: AttackLimits
    algorithm: AlgorithmForm
    item_algorithm: ItemAlgorithmForm
    recoding: RecodingName
    minimality: Minimality
    private_seed: PrivateSeed
    seed: Seed
    keep_order: KeepOrder
    keep_integers: KeepIntegers


KEYWORDS: dict[str, Any] = get_type_hints(Keywords, include_extras=True)
"""The annotation of each keyword."""


MEANINGS = """
quasi_identifiers : list of columns. What others may know of a person.
sensitive : list of columns. What nobody shall learn.
identifiers : list of columns. What identifies a person: dropped.
sets : columns. Sets of items: columns of lists, or {column: separator} of texts.
others : role. Of all other columns, such as "insensitive"; without it they are an error.
missing : list, or {column: list}. Words and codes that are missing values, such as -9.
hierarchies : {column: hierarchy or file}. Of quasi-identifiers, sensitive attributes and sets.
k : int. k-anonymity: records of each class; not needed where the algorithm makes own groups.
m : int. With k and sets, k^m-anonymity: items that an intruder knows.
entity : column or list. With k: the identifier that tells persons apart; k counts persons.
rows : "persons". Each record is a person, although an identifier repeats.
l : int. Distinct l-diversity of each sensitive attribute.
t : float. t-closeness, by the equal distance, of each sensitive attribute.
alpha : float. With k: (α, k)-anonymity of each sensitive attribute.
beta : float. Basic β-likeness of each sensitive attribute.
delta : float. δ-disclosure privacy of each sensitive attribute.
models : list of models. Further ones, as objects or in their YAML form.
suppression_limit : float. Share of the records that may be suppressed; 0 by default.
attack_limits : {attack: risk}. The largest tolerated risk, which reports and `attack` judge.
algorithm : algorithm, name or form. `mondrian` by default; `auto`, `full-domain`, …
item_algorithm : algorithm, name or form. Of sets; `apriori` by default.
recoding : name. `interval`, `range`, `set`, `hierarchy`, `mean`, `median`, `mode` or `balanced`.
minimality : "chance" or "none". Whether chance hides what sensitive values forbade.
private_seed : {"file": path} or {"env": name}. The seed of that chance; drawn anew by default.
seed : int. Of the order of the records and of actions; drawn anew by default.
keep_order : bool. Release the records in the order of the input.
keep_integers : bool. Round means and medians of whole numbers to whole numbers.
"""
"""The keywords for readers of `help`, a line each: the type, and what is stated."""


def stated_values(
    *,
    quasi_identifiers: QuasiIdentifiers | None = None,
    sensitive: SensitiveAttributes | None = None,
    identifiers: Identifiers | None = None,
    sets: Sets | None = None,
    others: Others | None = None,
    missing: Missing | None = None,
    k: K | None = None,
    m: M | None = None,
    entity: Entity | None = None,
    rows: Rows | None = None,
    l: L | None = None,
    t: T | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    delta: float | None = None,
    models: Models | None = None,
    hierarchies: Hierarchies | None = None,
    suppression_limit: SuppressionLimit | None = None,
    attack_limits: AttackLimits | None = None,
    algorithm: AlgorithmForm | None = None,
    item_algorithm: ItemAlgorithmForm | None = None,
    recoding: RecodingName | None = None,
    minimality: Minimality | None = None,
    private_seed: PrivateSeed | None = None,
    seed: Seed | None = None,
    keep_order: KeepOrder | None = None,
    keep_integers: KeepIntegers | None = None,
    **unknown: Any,
) -> dict[str, Any]:
    """Return the keywords that have a value, unknown ones included.

    They are spelt out here once more for editors that read `**short` through to this call (Jedi).
    """
    values = locals()
    values |= values.pop("unknown")
    return {name: value for name, value in values.items() if value is not None}


def takes_keywords(function: Function) -> Function:
    """Spell out the keywords of a function that ends with `**short`, where `help` shows them.

    They stand in its signature, and in its docstring in the place of the entry `short`. Type
    checkers read `Unpack[Keywords]`.
    """
    signature = inspect.signature(function)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    spelt = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in KEYWORDS
    ]
    function.__signature__ = signature.replace(parameters=[*own, *spelt])  # type: ignore[attr-defined]

    def entries(place: re.Match[str]) -> str:
        return textwrap.indent(MEANINGS[1:], place[1])

    function.__doc__ = re.sub(
        r"^( +)short\n(?:\1 +.*\n)+", entries, function.__doc__ or "", flags=re.MULTILINE
    )
    return function
