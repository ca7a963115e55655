"""Question, answer, price and limits of a release in sentences for readers without statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

NAMES_SHOWN = 12
FATE = {
    "identifier": "left out",
    "quasi-identifier": "made coarser",
    "sensitive": "unchanged",
    "insensitive": "unchanged",
    "identifier, changed": "replaced",
    "quasi-identifier, changed": "changed, made coarser",
    "sensitive, changed": "changed",
    "insensitive, changed": "changed",
}
"""What happens to the attributes of each role; `changed` are those that have actions."""
BLANKED = "true, or left blank"
"""What happens to quasi-identifiers where cells are suppressed."""
VERDICTS = {
    True: "Policy satisfied",
    False: "Policy NOT satisfied",
    None: "No privacy model was required",
}
"""How a policy came out, in a few words."""
NOTHING = "No privacy model was required, so nothing is promised."
"""Of policies whose algorithm forms groups by its own parameters."""
CLASS = (
    "Quasi-identifiers are what somebody may know of a person. All released records that agree in "
    "them form a class: nobody can tell them apart by that knowledge."
)
MARGINALS = (
    "Before: the original table; values that fewer than {floor} records have share a bar. "
    "After: what the release still tells, each class spread evenly over its released value; "
    "suppressed records are missing."
)
CHOICE = (
    "Level 0 leaves values as they are, the highest level is “*”. Finer and coarser: the same "
    "release with that one level changed, and all records suppressed whose class then fails. A "
    "level finer keeps more of its attribute, but more records may have to be suppressed, or too "
    "many."
)

Parameters = Mapping[str, Any]
_PERCENT = "\N{NO-BREAK SPACE}%"


def count(number: float) -> str:
    """Write a number of things: `30,162`."""
    return f"{number:,.0f}"


def things(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: `1 class`, `222 classes`."""
    return f"{count(number)} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """Write a share of 0 to 1 in percent, never rounded to 0 or to 100 unless it is."""
    if 0 < share < 0.001:
        return f"under 0.1{_PERCENT}"
    if 0.999 < share < 1:
        return f"over 99.9{_PERCENT}"
    return f"{round(100 * share, 1):g}{_PERCENT}"


def value(number: float | None) -> str:
    """Write a measured value: integers whole, others with four significant digits."""
    if number is None:
        return "–"
    if not math.isfinite(number):
        return "unbounded"
    return count(number) if float(number).is_integer() else f"{number:.4g}"


def names(listed: Sequence[str]) -> str:
    """Write names as an enumeration, long ones cut: `age, sex and 288 more`."""
    if len(listed) > NAMES_SHOWN:
        return f"{', '.join(listed[:NAMES_SHOWN])} and {count(len(listed) - NAMES_SHOWN)} more"
    return " and ".join(filter(None, [", ".join(listed[:-1]), *listed[-1:]]))


def listed(parts: Parameters) -> str:
    """Write keys and values in a line: `type mondrian, levels (age 2, sex 0)`."""
    return ", ".join(f"{key} {_told(part)}" for key, part in parts.items())


def _told(part: Any) -> str:
    """Write a value of any kind for a reader."""
    if isinstance(part, bool):
        return "yes" if part else "no"
    if isinstance(part, Mapping):
        return f"({listed(part)})"
    if isinstance(part, list | tuple):
        return f"({', '.join(map(_told, part))})"
    return f"{part:.4g}" if isinstance(part, float) else str(part)


def durations(seconds: Mapping[str, float]) -> str:
    """Write seconds by stage in a line."""
    return ", ".join(f"{stage} {spent:.2f}" for stage, spent in seconds.items())


def _of_size(k: int, entity: str | None) -> str:
    """Say what k-anonymity asks: of records, or of the persons that an entity tells apart."""
    if entity is None:
        return (
            f"Every record must look the same as at least {things(k - 1, 'other')}"
            f": each class has at least {things(k, 'record')}."
        )
    return (
        f"Every record must look the same as those of at least {things(k - 1, 'other person')}: "
        f"each class has records of at least {things(k, 'person')}, told apart by {entity}."
    )


def requirement(type_: str, attribute: str | None, required: float, given: Parameters) -> str:
    """Say what a privacy model asks of the release."""
    if attribute is None and type_ != "k-anonymity":
        return _of_risk(type_, required, given)
    asked = value(required)
    of = f"“{attribute}”"
    kind = given.get("kind")
    match type_, kind:
        case "k-anonymity", _:
            return _of_size(int(required), None if attribute is None else of)
        case "alpha-k-anonymity", _:
            return (
                f"Each class has at least {value(given.get('k', 1))} records, and no value of {of} "
                f"makes up more than {percent(required)} of a class."
            )
        case "l-diversity", "entropy":
            return f"In every class, {of} is at least as varied as {asked} equally frequent values."
        case "l-diversity", "recursive":
            rank = _ordinal(int(given.get("l", 2)))
            return (
                f"In every class, the most frequent value of {of} has fewer records than {asked} "
                f"times those of the {rank} most frequent value and all rarer ones together."
            )
        case "l-diversity", _:
            return f"In every class, {of} takes at least {asked} different values."
        case "t-closeness", _:
            return (
                f"In every class, the values of {of} are distributed much as in the whole table: "
                f"at most {asked} away, on a scale from 0 (the same) to 1."
            )
        case "beta-likeness", _:
            more = ", and frequent values less than that" if kind == "enhanced" else ""
            return (
                f"In no class is a value of {of} more than {value(1 + required)} times as frequent "
                f"as in the whole table{more}."
            )
        case "delta-disclosure", _:
            return (
                f"In every class, each value of {of} that occurs is less than "
                f"{value(2**required)} times as frequent as in the whole table, and more than "
                f"1/{value(2**required)} times."
            )
    return f"The model {type_} on {of} holds with the value {asked}."


def _of_risk(type_: str, required: float, given: Parameters) -> str:
    """Say what a model asks that looks at the whole table or at a population."""
    match type_:
        case "average-risk":
            return (
                f"There are at most {percent(required)} as many classes as records: a person’s "
                "record is picked with at most this chance, on average over all records."
            )
        case "sample-uniqueness":
            return f"At most {percent(required)} of the records are alone in their class."
        case "population-uniqueness":
            return (
                "The table is taken for a random sample of "
                f"{things(int(given.get('population', 0)), 'person')}. By estimate, at most "
                f"{percent(required)} of them are the only one with their quasi-identifiers."
            )
        case "k-map":
            return (
                "Every record could be that of at least "
                f"{things(int(required), 'person')} of the population."
            )
        case "delta-presence":
            least = given.get("minimum", 0)
            bounds = f"from {percent(least)} to" if least else "of at most"
            return (
                "Whoever finds a person in the population learns that their record is released "
                f"with a probability {bounds} {percent(required)}."
            )
    return f"The model {type_} holds with the value {value(required)}."


def relation(type_: str, given: Parameters) -> str:
    """Write how the achieved value must compare with the required one."""
    if type_ == "delta-disclosure" or given.get("kind") == "recursive":
        return "<"
    return "≥" if type_ in ("k-anonymity", "l-diversity", "k-map") else "≤"


def symbol(type_: str, given: Parameters) -> str:
    """Write the letter of a model's value."""
    if given.get("kind") == "recursive":
        return "c"
    letters = {
        "k-anonymity": "k",
        "alpha-k-anonymity": "α",
        "l-diversity": "l",
        "t-closeness": "t",
        "beta-likeness": "β",
        "delta-disclosure": "δ",
        "average-risk": "risk",
        "sample-uniqueness": "share",
        "population-uniqueness": "share",
        "k-map": "k",
        "delta-presence": "δ",
    }
    return letters.get(type_, "")


def answer(
    *,
    satisfied: bool | None,
    rows_out: int,
    n_classes: int,
    smallest: int,
    highest: float,
    average: float,
) -> tuple[str, ...]:
    """Say whether the requirements hold and what an intruder can still do."""
    if not rows_out:
        return ("No record was released: there is nothing to find out, and nothing to use.",)
    found = {
        True: "The released table satisfies every requirement.",
        False: "The released table does NOT satisfy every requirement. Do not publish it.",
        None: f"{NOTHING} The release happens to be {count(smallest)}-anonymous.",
    }
    classes = (
        f"The {things(rows_out, 'released record')} form {things(n_classes, 'class', 'classes')}; "
        f"the smallest has {things(smallest, 'record')}."
    )
    chance = (
        "Somebody who knows all quasi-identifiers of a person in the table picks that person’s "
        f"record with a chance of at most {_one_in(highest)}, {_one_in(average)} on average."
    )
    return (
        f"{found[satisfied]} This was checked on the released values themselves.",
        classes,
        chance,
    )


def price(
    *,
    rows_in: int,
    suppressed: int,
    limit: float,
    gcp: float,
    ncp: Mapping[str, float],
) -> tuple[str, ...]:
    """Say what the protection cost."""
    if not rows_in:
        return ("The original table holds no record.",)
    if suppressed:
        left_out = (
            f"{count(suppressed)} of {things(rows_in, 'record')} ({percent(suppressed / rows_in)}) "
            f"{'was' if suppressed == 1 else 'were'} left out (suppressed); "
            f"{percent(limit)} were allowed."
        )
    else:
        left_out = f"No record was left out: all {count(rows_in)} are in the release."
    if not ncp:
        return (left_out,)
    lost = (
        f"A released value leaves open, on average, {percent(gcp)} of its attribute’s whole range "
        f"(GCP {value(round(gcp, 4))}; 0: nothing is lost, 1: everything)."
    )
    sentences = [left_out, lost]
    most, least = max(ncp, key=ncp.__getitem__), min(ncp, key=ncp.__getitem__)
    if ncp[most] > ncp[least]:
        sentences.append(
            f"“{most}” lost most ({percent(ncp[most])}), “{least}” least ({percent(ncp[least])})."
        )
    return tuple(sentences)


def fates(algorithm: Parameters) -> dict[str, str]:
    """Return what happens to the attributes of each role."""
    return {**FATE, "quasi-identifier": BLANKED} if "cells" in algorithm else FATE


def blanked(algorithm: Parameters, rows: int) -> tuple[str, ...]:
    """Say how many cells were suppressed, if any could be."""
    if "cells" not in algorithm or not rows:
        return ()
    cells, every = algorithm["suppressed_cells"], rows * len(algorithm["cells"])
    share = f"{count(cells)} of {things(every, 'cell')} of quasi-identifiers"
    return (f"{share} ({percent(cells / every)}) are left blank; all others are true.",)


def counting(nulls: str | None, subsets: int | None) -> str:
    """Say how k was counted, where it is not by the classes; else nothing."""
    ways = []
    if nulls == "wildcard":
        ways.append("a suppressed (empty) cell counts as any value")
    if subsets is not None:
        ways.append(f"every {subsets} quasi-identifiers are looked at by themselves")
    if not ways:
        return ""
    return (
        f"For the requirement, {' and '.join(ways)}. The classes and chances here take an empty "
        "cell for a value of its own, and all quasi-identifiers together."
    )


def search(account: Parameters) -> tuple[str, ...]:
    """Say what a search of the lattice found, and whether it is proven to be the best."""
    metric, score = account["metric"], value(account["score"])
    found = f"The chosen node has a score of {score} by the metric “{metric}”; less is better."
    size = account.get("lattice_size", 1)
    if size == 1:
        return found, "The levels were given: there was nothing to search."
    nodes = things(size, "node")
    if account.get("optimal"):
        return found, f"No other of the lattice’s {nodes} that satisfy the policy scores less."
    proof = f"Of the lattice’s {nodes}, {count(account.get('nodes_checked', 0))} were looked at."
    if account.get("interrupted"):
        proof += " The search was stopped by its user."
    if "gap" in account:
        proof += (
            f" That this is the best is not proven: another may score up to "
            f"{value(account['gap'])} less, but none less than {value(account['lower_bound'])}."
        )
    return found, proof


def limits(
    roles: Mapping[str, str],
    protected: Sequence[str],
    actions: Sequence[tuple[str, str, str, str]] = (),
) -> tuple[tuple[str, str], ...]:
    """Say what the release does not protect against: `(heading, sentence)` each.

    Parameters
    ----------
    roles
        The role of each attribute, as in `FATE`.
    protected
        Sensitive attributes that a model looks at.
    actions
        What was done value by value: the attribute, the action, what it protects and what not.

    """
    having = {
        "sensitive": [name for name, its in roles.items() if its.startswith("sensitive")],
        "insensitive": [name for name, its in roles.items() if its == "insensitive"],
    }
    unprotected = [name for name in having["sensitive"] if name not in protected]
    said: dict[str, str] = {}
    if unprotected:
        said["Secrets that a class shares"] = (
            f"No requirement was put on {names(unprotected)}. Where all records of a class agree "
            "on a value, it is disclosed for everybody in the class."
        )
    elif not having["sensitive"]:
        said["Secrets that a class shares"] = (
            "No attribute was declared sensitive, so only the size of classes was looked at."
        )
    said["Other knowledge"] = "An intruder is taken to know at most the quasi-identifiers."
    if having["insensitive"]:
        said["Other knowledge"] += (
            f" If somebody can look up one of {names(having['insensitive'])}, which are released "
            "unchanged, the protection does not hold."
        )
    said["Ruling out"] = (
        "Who can rule out some values for a person learns more from a class than these numbers "
        "say. This is not differential privacy."
    )
    said["Being in the table"] = "That a person is in the table is not hidden."
    said["Several releases"] = (
        "Two releases about the same people can be combined and then protect less."
    )
    for name, action, protects, exposes in actions:
        said[f"{name}: {action}"] = f"{protects} {exposes}"
    said["Several records a person"] = (
        "One record counts as one person: records of one person can fill a class."
    )
    said["The law"] = (
        "Whether this is anonymous in law depends on who receives it and what else they have. The "
        "numbers are evidence for that judgement."
    )
    return tuple(said.items())


def _ordinal(number: int) -> str:
    teens = number % 100 // 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _one_in(risk: float) -> str:
    if risk >= 1:
        return "1 in 1 (certain)"
    return f"1 in {count(1 / risk)} ({percent(risk)})" if risk else "0"
