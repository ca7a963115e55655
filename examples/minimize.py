"""From a trained model to the data that it needs, and to records that tell people's secrets apart.

A model is trained. The data that it needs is minimized until its predictions would suffer: people
now share what is known of them, but in these large classes they share their sensitive values,
too. Records are added until the values of a class differ again. Each step is measured.

    python examples/minimize.py                        diabetes, iris, breast cancer and sleep
    python examples/minimize.py adult ADULT.csv        a census
    python examples/minimize.py --charts FOLDER        a chart of each, as SVG

The first three tables come with scikit-learn. ADULT.csv is separated by semicolons and has the
columns age, sex, race, education, marital-status, native-country, workclass, occupation and
salary-class.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
from sklearn.base import is_classifier
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import kanonym as ka

TARGETS = (0.95, 0.98)
"""Relative accuracies that minimization is to keep."""

STEPS = ("original", "minimized", "injected")


@dataclass(frozen=True)
class Case:
    """A table, a model of one of its columns, and what is known and what is private.

    known: the features to be minimized, by which an intruder tells people apart. private: the
    sensitive column. wanted: what injection is asked for, as `ka.inject` takes it.
    """

    name: str
    table: pd.DataFrame
    label: str
    model: Any
    known: list[str]
    private: str
    wanted: dict[str, float]


@dataclass(frozen=True)
class Chapter:
    """What a table is like after one step.

    size and diversity are smallest, mean and largest over the classes of people whose known
    features are equal: their records, and different private values in percent of these, the
    extended l-diversity. l: the fewest different private values of a class. gcp: share of
    the known features' precision that is lost. kept: agreement with the model's own predictions
    from full data (R² of numbers), of people it was neither trained nor minimized on. score: how
    right it is about these. refused: why nothing was added.
    """

    case: str
    target: float
    step: str
    records: int
    classes: int
    size: tuple[float, float, float]
    diversity: tuple[float, float, float]
    l: int
    gcp: float | None = None
    kept: float | None = None
    score: float | None = None
    distance: float | None = None
    detection: float | None = None
    refused: str = ""


def diabetes() -> Case:
    """Return 442 patients; their body mass index is known, in whole units, a blood value is not."""
    table = load_diabetes(as_frame=True, scaled=False).frame
    table["bmi"] = table["bmi"].round().astype(int)
    table = table.rename(columns={"s2": "low-density lipoproteins", "target": "progression"})
    model = GradientBoostingRegressor(max_depth=2, random_state=0)
    private = "low-density lipoproteins"
    return Case("diabetes", table, "progression", model, ["bmi"], private, {"diversity": 90})


def iris() -> Case:
    """Return 150 flowers, of which the width of a petal is known."""
    table = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
    model = RandomForestClassifier(random_state=0)
    known, private = ["petal width (cm)"], "sepal length (cm)"
    return Case("iris", table, "species", model, known, private, {"diversity": 50})


def breast_cancer() -> Case:
    """Return 569 tumours in whole units; the outline of the largest cells is known."""
    table = load_breast_cancer(as_frame=True).frame.round(0)
    table = table.rename(columns={"target": "benign"})
    model = RandomForestClassifier(random_state=0)
    known, private = ["worst perimeter"], "mean area"
    return Case("breast cancer", table, "benign", model, known, private, {"diversity": 76})


def sleep() -> Case:
    """Return 374 people; who they are is known, a disorder of their sleep is private."""
    table = pd.read_csv(Path(__file__).parent / "data" / "sleep.csv")
    known, private = ["age", "sex"], "disorder"
    return Case(
        "sleep",
        table,
        "quality",
        model_of_words(table, "quality"),
        known,
        private,
        {"size": 10, "l": 3},
    )


def model_of_words(table: pd.DataFrame, label: str) -> Any:
    """Return boosted trees that take texts as codes."""
    words = [name for name in table.select_dtypes(exclude="number") if name != label]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(
        make_column_transformer((codes, words), remainder="passthrough"),
        HistGradientBoostingClassifier(random_state=0),
    )


def adult(file: str | Path) -> Case:
    """Return the census; five attributes of a person are known, the occupation is private."""
    table = pd.read_csv(file, sep=";")
    model = model_of_words(table, "salary-class")
    known = ["age", "sex", "race", "education", "marital-status"]
    return Case("adult", table, "salary-class", model, known, "occupation", {"size": 50, "l": 8})


def story(case: Case) -> Iterator[Chapter]:
    """Train, minimize, measure, inject, and measure again, for each target."""
    features = [name for name in case.table.columns if name != case.label]
    train, test = train_test_split(case.table, test_size=0.3, random_state=0)
    case.model.fit(train[features], train[case.label])
    own = case.model.predict(test[features])
    agreement: Callable[[Any, Any], float] = (
        accuracy_score if is_classifier(case.model) else r2_score
    )
    for target in TARGETS:
        score = agreement(test[case.label], own)
        yield Chapter(**measured(case, case.table, target, "original"), kept=1.0, score=score)
        minimizer = ka.Minimizer(case.model, target, features=case.known)
        minimizer.fit(train[features])
        minimized = case.table.copy()
        minimized[features] = minimizer.transform(case.table[features])
        found = case.model.predict(minimized.loc[test.index, features])
        yield Chapter(
            **measured(case, minimized, target, "minimized"),
            gcp=minimizer.gcp_,
            kept=agreement(own, found),
            score=agreement(test[case.label], found),
        )
        yield injected(case, minimized, target)


def injected(case: Case, minimized: pd.DataFrame, target: float) -> Chapter:
    """Add what is wanted to a minimized table, or say why it cannot be had."""
    try:
        found = ka.inject(
            minimized, quasi_identifiers=case.known, sensitive=[case.private], seed=0, **case.wanted
        )
    except ka.InfeasibleError as refusal:
        part = measured(case, minimized, target, "injected")
        return Chapter(**part, refused=str(refusal))
    return Chapter(
        **measured(case, found.frame, target, "injected"),
        distance=found.distance.value,
        detection=found.detection.value,
    )


def measured(case: Case, table: pd.DataFrame, target: float, step: str) -> dict[str, Any]:
    """Measure the classes of people whose known features are equal."""
    found = ka.measure(table, quasi_identifiers=case.known, sensitive=[case.private])
    private = found.attributes[case.private]
    size, diversity = found.anonymity_set, private.diversity_percent
    return {
        "case": case.name,
        "target": target,
        "step": step,
        "records": len(table),
        "classes": found.classes,
        "size": (size.min, size.mean, size.max),
        "diversity": (diversity.min, diversity.mean, diversity.max),
        "l": private.l_distinct,
    }


def chart(chapters: list[Chapter]) -> alt.HConcatChart:
    """Draw anonymity set size and extended l-diversity after each step: mean, least and most."""
    rows = [
        {
            "target": f"keep {chapter.target:.0%}",
            "step": chapter.step,
            "measure": name,
            "least": least,
            "mean": mean,
            "most": most,
        }
        for chapter in chapters
        if not chapter.refused
        for name, (least, mean, most) in (("size", chapter.size), ("diversity", chapter.diversity))
    ]
    table = pd.DataFrame(rows)
    step = alt.X("step:N", sort=list(STEPS), title=None, axis=alt.Axis(labelAngle=0))
    color = alt.Color("target:N", title="relative accuracy")
    beside = alt.XOffset("target:N")

    def panel(measure: str, title: str, scale: alt.Scale) -> alt.LayerChart:
        base = alt.Chart(table[table["measure"] == measure], title=title, width=280, height=220)
        place = alt.Y("least:Q", title=None, scale=scale)
        rule = base.mark_rule().encode(x=step, xOffset=beside, color=color, y=place, y2="most:Q")
        ends = base.mark_tick(width=9, thickness=2)
        point = base.mark_point(filled=True, size=70, opacity=1)
        return alt.layer(
            rule,
            ends.encode(x=step, xOffset=beside, color=color, y=place),
            ends.encode(x=step, xOffset=beside, color=color, y=alt.Y("most:Q", scale=scale)),
            point.encode(x=step, xOffset=beside, color=color, y=alt.Y("mean:Q", scale=scale)),
        )

    return alt.hconcat(
        panel("size", "Anonymity set size: least, mean, most", alt.Scale(type="log")),
        panel("diversity", "Extended l-diversity in %", alt.Scale(domain=[0, 100])),
    ).properties(title=chapters[0].case)


def lines(chapters: list[Chapter]) -> Iterator[str]:
    """Yield the story as text."""
    yield (
        f"{'keep':>5} {'step':10}{'records':>8}{'classes':>8}{'size: least, mean, most':>25}"
        f"{'diversity, %':>22}{'l':>4}{'GCP':>7}{'kept':>7}{'score':>7}{'moved':>7}{'AUC':>6}"
    )
    for one in chapters:
        if one.refused:
            yield f"{one.target:5.0%} {one.step:10}{one.refused}"
            continue
        least, mean, most = one.size
        text = f"{one.target:5.0%} {one.step:10}{one.records:8}{one.classes:8}"
        text += f"{least:10.0f}{mean:9.1f}{most:6.0f}"
        text += "".join(
            f"{value:{8 if place else 6}.1f}" for place, value in enumerate(one.diversity)
        )
        text += f"{one.l:4}"
        numbers = (one.gcp, one.kept, one.score, one.distance)
        text += "".join(" " * 7 if value is None else f"{value:7.3f}" for value in numbers)
        yield text + ("" if one.detection is None else f"{one.detection:6.2f}")


def main(arguments: list[str]) -> None:
    """Tell the stories of the tables that are asked for."""
    parser = argparse.ArgumentParser(
        description="Minimize the data of a model, and inject records."
    )
    parser.add_argument("table", nargs="?", choices=["adult"], help="a table that is not bundled")
    parser.add_argument("file", nargs="?", help="where it is")
    parser.add_argument("--charts", metavar="FOLDER", type=Path, help="draw charts there")
    asked = parser.parse_args(arguments)
    if asked.table and not asked.file:
        parser.error("say where ADULT.csv is")
    cases = [adult(asked.file)] if asked.table else [diabetes(), iris(), breast_cancer(), sleep()]
    for case in cases:
        known = ", ".join(case.known)
        print(f"{case.name}: known are {known}; private is {case.private}")
        chapters = list(story(case))
        print("\n".join(lines(chapters)), end="\n\n")
        if asked.charts:
            asked.charts.mkdir(parents=True, exist_ok=True)
            chart(chapters).save(asked.charts / f"minimize-{case.name.replace(' ', '-')}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
