"""`kanonym report`: the report on a release, after it was made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import inputs, locations, options
from kanonym.cli.making.anonymize import evaluate_release, released_table
from kanonym.cli.making.papers import ReportOptions, check_reports
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.policy import Policy
    from kanonym.release import Release


def report(
    released: options.Released,
    original: Annotated[str, Option("Table that the release was made of.", "FILE")],
    output: Annotated[
        Sequence[Path], Option("Report, .html, .pdf, .md or .json; may be repeated.", "FILE", "-o")
    ],
    policy: options.PolicyFile = None,
    manifest: Annotated[
        Path | None, Option("Manifest of the release; default: RELEASED.manifest.json.", "FILE")
    ] = None,
    *,
    about: ReportOptions,
    reading: options.ReadingOptions,
) -> None:
    """Write the report on a release that was made before.

    The report is that of `kanonym anonymize --report`, but for seconds and for the options of the
    first command, which no manifest has. The release is made again, and refused unless RELEASED has
    the same records. What is left to chance is the same with the private seed of the policy alone:
    see `private_seed`. Without --policy, the policy is that of the manifest.

    Example: kanonym report released.csv --original patients.csv -p policy.yaml -o report.html
    """
    from kanonym.cli.progress import show_progress
    from kanonym.release.promise import manifest_path

    beside = manifest_path(released)
    recorded = manifest or (beside if beside.is_file() else None)
    check_reports([("--report", one) for one in output])
    form = {} if recorded is None else _read_manifest(recorded)
    asked = _policy_of(policy, form)
    places = {"RELEASED": released, "--original": original, "--policy": policy and str(policy)}
    inputs.check_places(places, [("-o", one) for one in output], asked)
    with show_progress() as step:
        step("read")
        decimals: dict[str, int] = {}
        frame, source = reading.table_with_content(original, decimals=decimals)
        content = locations.content_at(released)
        for name, file, table in (("input", source, original), ("output", content, released)):
            recorded_hash = form.get(name, {}).get("sha256")
            if recorded_hash and file and recorded_hash != file.sha256:
                raise typer.BadParameter(f"{table} is not the {name} of {recorded}: other SHA-256")
        release, published, _ = released_table(
            frame,
            asked,
            inputs.sentence_printer(step),
            decimals,
            partial(reading.read_again, original, source),
            progress=step,
        )
        step("verify")
        published = _ordered_like(published, released, asked)
        facts: dict[str, Any] = evaluate_release(frame, release, step, wanted=about.attack)
        if policy is not None:
            facts["policy_file"] = policy.name
        source = source if "input" in form or not form else None
        step("report")
        for place in output:
            published.report(place, **about.about, **facts, input=source, output=content)
    typer.echo("\n".join(f"written {file}" for file in output))


def _read_manifest(path: Path) -> dict[str, Any]:
    """Return what a manifest says."""
    from kanonym.data.errors import DataError
    from kanonym.release.promise import is_manifest

    if not is_manifest(path):
        raise DataError(f"{path}: is not a manifest; `kanonym anonymize` writes one")
    form: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return form


def _policy_of(file: Path | None, form: dict[str, Any]) -> Policy:
    """Return the policy of a file, or of a manifest; refuse one that has no report of this kind."""
    from kanonym.models.differential import sampling_model
    from kanonym.policy import Policy
    from kanonym.policy.document import is_linked
    from kanonym.policy.faults import policy_hash

    if file is None and not form:
        raise typer.BadParameter("the release has no manifest: give its policy", param_hint="-p")
    if file is not None and is_linked(file):
        raise typer.BadParameter("not with a policy about several tables", param_hint="-p")
    asked = Policy.from_dict(form["policy"]) if file is None else Policy.from_file(file)
    if file is None and policy_hash(asked.to_dict()) != form.get("policy_sha256"):
        raise typer.BadParameter(
            "the manifest has no listed values: give the policy", param_hint="-p"
        )
    if sampling_model(asked.models) is not None:
        reason = "not under differential privacy, where no release is made again: use --report"
        raise typer.BadParameter(reason, param_hint="-p")
    return asked


def _ordered_like(release: Release[Any], released: str, policy: Policy) -> Release[Any]:
    """Return a release that was made again in the order of its table; refuse one that differs."""
    from kanonym.data.errors import DataError
    from kanonym.data.frames import to_polars

    with TemporaryDirectory(prefix="kanonym-") as folder:
        again = Path(folder) / Path(released).name
        release.write(again, read_back=False)
        plain = options.ReadingOptions()
        tables = [to_polars(plain.rows(str(one))) for one in (again, released)]
    names = sorted(tables[0].columns)
    if names == sorted(tables[1].columns):
        first, second = (one.select(names).with_row_index("").sort(names) for one in tables)
        if first.drop("").equals(second.drop("")):
            order = second.with_columns(made=first[""]).sort("")["made"].to_numpy()
            rows = None if release.rows is None else release.rows[order]
            return replace(release, frame=to_polars(release.frame)[order], rows=rows)
    chance = policy.leaves_to_chance and policy.private_seed is None
    why = (
        "the policy leaves classes to chance, and has no private_seed to repeat it"
        if chance
        else "it was made of another table, by another policy, or with values drawn at random"
    )
    raise DataError(
        f"{released} cannot be made again ({why}): its report can be made together with the "
        "release alone, by `kanonym anonymize --report`"
    )
