"""Charts of results as Altair objects: those of the report, for notebooks and for files.

Each is an Altair chart: `chart.save("classes.svg")`, `.png` or `.html`. Notebooks show it as an
image, without a script and without a network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import altair as alt
import numpy as np

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.sentences import title_of
from kanonym.language import translator
from kanonym.policy.faults import unknown_name
from kanonym.reporting.charts.bars import (
    attacks_chart,
    class_sizes_chart,
    losses_chart,
    marginal_chart,
    risk_chart,
    shares_chart,
)
from kanonym.reporting.charts.class_map import class_map_chart, tree_chart
from kanonym.reporting.charts.comparison import comparison_chart, comparison_data
from kanonym.reporting.charts.style import FONT, as_image
from kanonym.reporting.distributions.bars import ClassSizes
from kanonym.reporting.known import KnownResults
from kanonym.reporting.known.attacks import rank_attacks
from kanonym.reporting.summary import Cover, Summary
from kanonym.reporting.summary_builder import summarize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanonym.comparison import Comparison
    from kanonym.data.hierarchy import Hierarchy
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.profiling import Profile
    from kanonym.release import Release


@dataclass(frozen=True, slots=True, repr=False)
class ReleasePlots:
    """The charts of a release, as its report has them: with figures of no fewer than k records.

    `classes()` draws how many records are in classes of which size; `losses()` the loss of each
    quasi-identifier; `marginals("age")` a distribution before and after; `partition("age", "zip")`
    the classes over two quasi-identifiers.
    """

    release: Release

    def __dir__(self) -> list[str]:
        names = vars(ReleasePlots).items()
        return [name for name, method in names if callable(method) and not name.startswith("_")]

    def __repr__(self) -> str:
        return f"charts of the release: {', '.join(f'plot.{name}()' for name in dir(self))}"

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: a chart has a name."""
        raise TypeError(f"name what is to be drawn; {self!r}")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(unknown_name("chart", name, dir(self)))

    def classes(self, language: str = "en") -> Any:
        """Draw how many records are in classes of which size."""
        sizes = ClassSizes.of(self.release.verification.class_sizes)
        return class_sizes_chart(sizes, translator(language)).to_altair()

    def losses(self, language: str = "en") -> Any:
        """Draw the span loss of each quasi-identifier."""
        attributes = self._summary(language).loss.attributes
        return losses_chart(attributes, translator(language)).to_altair()

    def marginals(self, *names: str, language: str = "en") -> Any:
        """Draw the distribution of quasi-identifiers before and after; of all without a name."""
        every = {marginal.name: marginal for marginal in self._summary(language).loss.marginals}
        for name in names:
            if name not in every:
                raise SchemaError(unknown_name("quasi-identifier", name, list(every)))
        says = translator(language)
        drawn = [marginal_chart(every[name], says) for name in names or every]
        if len(drawn) == 1:
            return drawn[0].to_altair()
        return as_image(
            alt.vconcat(
                *(
                    drawing.chart.properties(
                        data=alt.InlineData(values=drawing.rows), width=drawing.width, title=name
                    )
                    for name, drawing in zip(names or every, drawn, strict=True)
                )
            ).configure(font=FONT, background="#ffffff"),
            says,
        )

    def partition(self, x: str, y: str, language: str = "en") -> Any:
        """Draw the classes over two quasi-identifiers, darker where a class has more records."""
        drawn = self._summary(language, (x, y)).loss.maps[0]
        return class_map_chart(drawn, speech=translator(language)).to_altair()

    def _summary(self, language: str, rectangles: tuple[str, str] | None = None) -> Summary:
        cover = Cover.of(language=language)
        return summarize(self.release, cover, KnownResults(), rectangles=rectangles)


def plot_risk(risk: Risk, language: str = "en") -> Any:
    """Draw the share of records that an intruder finds with at least a given probability."""
    found = risk.assessment.prosecutor
    held = found.by_class[found.by_class > 0]
    sizes = np.rint(1 / held).astype(np.int64)
    return risk_chart(held, sizes, found.threshold, translator(language)).to_altair()


def plot_attacks(attacks: Iterable[AttackResult], language: str = "en") -> Any:
    """Draw how often each attack was right, with its interval, beside chance."""
    says = translator(language)
    tried = [attack for attack in rank_attacks(attacks) if attack.attempts]
    if not tried:
        raise DataError("no attack was run: there is nothing to draw")
    return attacks_chart(tried, [title_of(one.type, says) for one in tried], says).to_altair()


def plot_comparison(comparison: Comparison, language: str = "en") -> Any:
    """Draw the releases of a comparison by privacy and loss, with the frontier."""
    says = translator(language)
    return comparison_chart(comparison_data(comparison, says), says).to_altair()


def plot_profile(profile: Profile, language: str = "en") -> Any:
    """Draw which share of the pairs of records each column tells apart, most first."""
    says = translator(language)
    shares = {column.name: column.content.counted.separation for column in profile.columns}
    return shares_chart(shares, says.text(_("distinguishable pairs of records")), says).to_altair()


def plot_hierarchy(tree: Hierarchy, language: str = "en") -> Any:
    """Draw a hierarchy as a tree, from the values to the root."""
    return tree_chart(tree, translator(language)).to_altair()
