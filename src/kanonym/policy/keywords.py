"""The short forms of a policy: keywords of Python functions, and options of commands.

Each is declared once: its type, its range, its help and its short option.
"""

from __future__ import annotations

import inspect
import os
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
SensitiveAttributes = Annotated[
    Sequence[str], Option("Sensitive attributes.", "C", "-s", kind="columns")
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
        "Maximum share of records to suppress.",
        "SHARE",
        group="method",
        least=0,
        most=1,
        default=0,
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
    """What `Policy.from_columns`, `anonymize` and others take in place of a policy, or with one.

    `docs/policy.md` says what each means.
    """

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


def takes_keywords(function: Function) -> Function:
    """Spell out the keywords in the signature of a function that ends with `**short`.

    Editors, `help` and reference pages then show them; type checkers read `Unpack[Keywords]`.
    """
    signature = inspect.signature(function)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    spelt = [
        inspect.Parameter(name, keyword, default=None, annotation=annotation)
        for name, annotation in KEYWORDS.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *spelt])  # type: ignore[attr-defined]
    return function
