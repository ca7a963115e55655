"""`kanonym demo`: the whole job on invented patients."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanonym.data.errors import DataError

POLICY = """\
# An intruder may know a patient's postal code, birth date, sex and occupation, and must
# find out neither which record is the patient's (k-anonymity) nor the diagnosis
# (l-diversity).
version: 1
attributes:
  name:            {role: identifier}
  national_number: {role: identifier}
  postal_code:     {role: quasi-identifier, hierarchy: {masking: {from: right}}}
  birth_date:      {role: quasi-identifier}
  sex:             {role: quasi-identifier}
  occupation:      {role: quasi-identifier}
  diagnosis:       {role: sensitive}
models:
  - {type: k-anonymity, k: 5}
  - {type: l-diversity, attribute: diagnosis, l: 3}
rows: persons  # several patients have one name; no national number repeats
algorithm: {type: mondrian}
suppression_limit: 0.01
"""

ATTEMPTS = 500  # persons attacked: enough for an interval of a few percent


def demo(
    rows: Annotated[
        int, typer.Option(min=100, max=1_000_000, metavar="N", help="Number of patients.")
    ] = 10_000,
    directory: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the files go; a new or empty folder.")
    ] = Path("kanonym-demo"),
) -> None:
    """Run the whole workflow on generated patients.

    Writes a table, a policy, the release, a report and a manifest into a folder.
    """
    import kanonym as ka
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import command_text, release_tables, show
    from kanonym.data.files import write_table, write_text
    from kanonym.data.patients import patients
    from kanonym.policy import Policy

    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise DataError(f"{directory} is not empty; remove it, or name another with --directory")
    directory.mkdir(parents=True, exist_ok=True)
    table, policy = directory / "patients.csv", directory / "policy.yaml"
    released, report = directory / "released.csv", directory / "report.html"
    manifest = directory / "manifest.json"
    with show_progress() as step:
        step("invent")
        frame = patients(rows)
        write_table(frame, table)
        write_text(policy, POLICY)
        release = pipeline.anonymize(frame, Policy.from_file(policy), progress=step)
        step("write")
        release.write(released)
        release.manifest(manifest, input=table, output=released)
        attacks = ka.attack(frame, release, attempts=ATTEMPTS, progress=step)
        step("assess")
        assessed = ka.assess(frame, release)
        step("report")
        release.report(
            report,
            attacks=attacks,
            risk=assessed.risk,
            utility=assessed.utility,
            input=table,
            output=released,
            policy_file=policy,
        )
    written = [str(file) for file in (table, policy, released, report, manifest)]
    show(*release_tables(release.to_dict(), written, release.examples))
    show(
        f"\nOpen {report}, and try:",
        command_text("kanonym", "verify", released, "--policy", policy),
        command_text("kanonym", "assess", table, released, "--policy", policy),
    )
