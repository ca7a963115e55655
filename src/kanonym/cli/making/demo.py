"""`kanonym demo`: the whole job on invented patients."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

from kanonym.data.errors import DataError
from kanonym.data.option import Option

ATTEMPTS = 500  # persons attacked: enough for an interval of a few percent


def demo(
    rows: Annotated[int, Option("Number of patients", "N", least=100, most=1_000_000)] = 10_000,
    directory: Annotated[
        Path, Option("Where the files go; a new or empty folder.", "FOLDER")
    ] = Path("kanonym-demo"),
    linked: Annotated[
        bool, Option("A hospital of five linked tables, in a SQLite database.")
    ] = False,
) -> None:
    """Run the whole workflow on generated patients.

    Writes a table, a policy, the release, a report and a manifest into a folder.

    Example: kanonym demo --directory demo
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise DataError(f"{directory} is not empty; remove it, or name another with --directory")
    directory.mkdir(parents=True, exist_ok=True)
    if linked:
        _linked_demo(rows, directory)
    else:
        _demo(rows, directory)


def policy_text(name: str) -> str:
    """Return a policy that lies beside this module."""
    return Path(__file__).with_name(name).read_text("utf-8")


def _linked_demo(rows: int, directory: Path) -> None:
    """Generate a hospital, release it and report on it."""
    from kanonym.cli.making.linked import LinkedPlaces, anonymize_linked
    from kanonym.cli.making.papers import Papers
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import command_text, show
    from kanonym.data.example_tables import hospital
    from kanonym.data.files import write_text
    from kanonym.linked.given_tables import Place, write_tables

    database, policy = directory / "hospital.db", directory / "hospital.yaml"
    released, report = directory / "released.db", directory / "report.html"
    manifest, key = directory / "manifest.json", directory / "key"
    with show_progress() as step:
        step("invent")
        write_tables(hospital(rows), Place.of(str(database)), lambda _: None)
    write_text(policy, policy_text("demo_linked.yaml"))
    write_text(key, secrets.token_hex(32) + "\n")
    key.chmod(0o600)
    places = LinkedPlaces(several=str(database), to=str(released))
    anonymize_linked(policy, places, Papers(report=[report], manifest=manifest))
    show(
        f"\nOpen {report}, and try:",
        command_text("verify", released, "--policy", policy),
        command_text("measure", database, "--policy", policy),
    )


def _demo(rows: int, directory: Path) -> None:
    """Generate patients in one table, release them and report on it."""
    import kanonym as ka
    from kanonym import pipeline
    from kanonym.cli.making.compile import compile_ahead
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import closing, command_text, show
    from kanonym.data.example_tables import patients
    from kanonym.data.files import write_table, write_text
    from kanonym.policy import Policy
    from kanonym.release.promise import manifest_path

    table, policy = directory / "patients.csv", directory / "policy.yaml"
    released, report = directory / "released.csv", directory / "report.html"
    manifest = manifest_path(released)
    with show_progress() as step, compile_ahead("mondrian", "report"):
        step("invent")
        frame = patients(rows)
        write_table(frame, table)
        write_text(policy, policy_text("demo.yaml"))
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
    show(*release.tables(examples=True), *closing(sum(release.seconds.values()), written))
    show(
        f"\nOpen {report}, and try:",
        command_text("verify", released, "--policy", policy),
        command_text("assess", table, released, "--policy", policy),
    )
