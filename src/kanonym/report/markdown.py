"""The report as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kanonym.report import wording

if TYPE_CHECKING:
    from kanonym.report.choice import Choice, Neighbour
    from kanonym.report.summary import Summary

_SPECIAL = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\`*_[]|~#"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def render_json(summary: Summary) -> str:
    """Write a summary as one JSON object, a line for each part; infinite numbers are null."""
    parts = (
        f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False, allow_nan=False)}"
        for name, part in summary.to_dict().items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def render_markdown(summary: Summary) -> str:
    """Write a summary as Markdown with tables; names and values are escaped.

    The rectangles of the HTML report have no counterpart here.
    """
    released = (
        f"{wording.things(summary.rows_in, 'record')} in, {wording.count(summary.rows_out)} "
        f"released, {wording.count(summary.suppressed)} suppressed."
    )
    policy = json.dumps(summary.policy, ensure_ascii=False, indent=2).replace("`", "\\u0060")
    parts = [
        f"# {_text(summary.title)}",
        f"**{wording.VERDICTS[summary.satisfied]}.** {released}",
        "## What was asked",
        _table(
            ("role", "attributes", "released"),
            [
                (role, wording.names(summary.named(role)), fate)
                for role, fate in wording.fates(summary.algorithm).items()
                if summary.named(role)
            ],
        ),
        wording.CLASS,
        _list([one.sentence for one in summary.requirements] or [wording.NOTHING]),
        "## Answer",
        *_requirements(summary),
        _list(summary.answer),
        "## Price",
        _list(summary.price),
        "## What this does not protect against",
        "\n".join(f"- **{_text(heading)}.** {_text(said)}" for heading, said in summary.limits),
        "## Class sizes",
        _table(
            ("records in the class", "classes", "records"),
            zip(
                summary.class_sizes.labels,
                map(wording.count, summary.class_sizes.classes),
                map(wording.count, summary.class_sizes.records),
                strict=True,
            ),
        ),
        "## Loss by attribute",
        _table(
            ("attribute", "recoding", "loss (NCP)", "RMSE", "values before", "values released"),
            [
                (
                    one.name,
                    one.recoding,
                    wording.percent(one.ncp),
                    "" if one.rmse is None else wording.value(one.rmse),
                    wording.count(one.values),
                    wording.count(one.released_values),
                )
                for one in summary.attributes
            ],
        ),
        *_choice(summary.choice),
        "## Distributions before and after",
        *_marginals(summary),
        "## How it was made",
        _table(
            ("", ""),
            [
                ("algorithm", wording.listed(summary.algorithm)),
                ("seed", str(summary.seed)),
                ("seconds", wording.durations(summary.seconds)),
                ("versions", wording.listed(summary.versions)),
            ],
        ),
        f"```json\n{policy}\n```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _requirements(summary: Summary) -> Iterable[str]:
    if summary.requirements:
        yield _table(
            ("requirement", "required", "achieved", "met"),
            [
                (
                    " ".join(filter(None, (one.type, one.kind, one.attribute))),
                    f"{one.symbol} {one.relation} {wording.value(one.required)}",
                    wording.value(one.achieved),
                    "–" if one.achieved is None else "yes" if one.satisfied else "NO",
                )
                for one in summary.requirements
            ],
        )


def _choice(choice: Choice | None) -> Iterable[str]:
    if choice is None:
        return
    header = ["attribute", "level", "most frequent label"]
    header += [
        f"{way}: {what}"
        for way in ("finer", "coarser")
        for what in (choice.metric, "suppressed", "satisfies")
    ]
    yield "## The chosen node among its neighbours"
    yield _list(choice.sentences)
    rows = [
        (
            price.attribute,
            f"{price.level} of {price.highest}",
            "–" if price.example is None else price.example,
            *_beside(price.finer),
            *_beside(price.coarser),
        )
        for price in choice.prices
    ]
    yield _table(header, rows)
    yield wording.CHOICE


def _beside(node: Neighbour | None) -> tuple[str, str, str]:
    if node is None:
        return "–", "", ""
    satisfied = "yes" if node.satisfied else "NO"
    return wording.value(node.score), wording.count(node.suppressed), satisfied


def _marginals(summary: Summary) -> Iterable[str]:
    yield wording.MARGINALS.format(floor=summary.floor)
    for one in summary.marginals:
        yield f"### {_text(one.name)}"
        rows = zip(
            one.labels, map(wording.count, one.before), map(wording.count, one.after), strict=True
        )
        yield _table(("value", "records before", "records after"), rows)


def _text(text: str) -> str:
    """Escape what Markdown or HTML would read as markup."""
    return " ".join(text.split()).translate(_SPECIAL)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {_text(item)}" for item in items)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
