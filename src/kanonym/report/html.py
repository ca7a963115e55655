"""The report as one HTML file: style and charts inside, no script, nothing to fetch."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kanonym.report import plots, wording

if TYPE_CHECKING:
    from kanonym.report.summary import Summary


def render_html(summary: Summary) -> str:
    """Write the report as a complete HTML page.

    Parameters
    ----------
    summary
        What to say.

    Returns
    -------
    str
        The page. Names and values are escaped; charts are inline SVG.

    """
    return (
        environment()
        .get_template("page.html")
        .render(
            summary=summary,
            fates=wording.fates(summary.algorithm),
            class_note=wording.CLASS,
            nothing=wording.NOTHING,
            choice_note=wording.CHOICE,
            marginals_note=wording.MARGINALS.format(floor=summary.floor),
            most_losses=plots.MOST_LOSSES,
            policy_text=json.dumps(summary.policy, ensure_ascii=False, indent=2),
            class_sizes_svg=chart_of(plots.class_sizes_svg(summary.class_sizes)),
            losses_svg=chart_of(plots.losses_svg(summary.attributes)) if summary.attributes else "",
            marginals=[(one, chart_of(plots.marginal_svg(one))) for one in summary.marginals],
            maps=[(one, chart_of(plots.class_map_svg(one))) for one in summary.maps],
            further_maps=[
                (one, chart_of(plots.class_map_svg(one, 320))) for one in summary.further_maps
            ],
        )
    )


def chart_of(svg: str) -> Markup:
    """Mark a chart as text that a template takes as it is."""
    return Markup(svg)  # noqa: S704 - the chart library escapes its text


@cache
def environment() -> Environment:
    """Return the templates, with the words that they use."""
    environment = Environment(
        loader=PackageLoader("kanonym.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": wording.count,
        "percent": wording.percent,
        "value": wording.value,
        "names": wording.names,
        "listed": wording.listed,
        "durations": wording.durations,
    }
    return environment
