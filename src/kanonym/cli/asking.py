"""Questions on the terminal: printed on standard error, answered on standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

import typer

from kanonym.data.errors import DataError
from kanonym.profiling import Profile, Question, TableAnswers, questions

MOST = 7
WIDTH = 98
NAMED = 12
"""Columns of a default that are printed."""
HOW = {
    "persons": "yes, unknown, or a column",
    "k": "public, partner, inside, or a number",
    "unneeded": "names, separated by commas",
}
NAMES = "names, separated by commas; +name adds, -name takes away; none"


def ask(profile: Profile, costs: Sequence[str], k: int) -> Profile:
    """Return a profile with what a person answers; Enter accepts a default.

    costs, k: as of `questions`. Errors: `DataError`, where the answers end too early, or where no
    person is there to correct one.
    """
    answers, number = TableAnswers(k=k), 0
    typer.echo("Enter accepts what is in brackets.", err=True)
    done: set[str] = set()
    while question := next(
        (q for q in questions(profile, answers, costs, k) if q.name not in done), None
    ):
        number += 1
        _print(question, number)
        answer = _read(question, number)
        if answer is not None:
            said: dict[str, Any] = {question.name: answer}
            answers = replace(answers, **said)
        elif question.name == "harmless":
            answers = replace(answers, harmless=question.default)
        done.add(question.name)
    return profile.with_answers(answers)


def _print(question: Question, number: int) -> None:
    """Print a question with its evidence and its default."""
    typer.echo(f"\n{fill(f'{number}. {question.text}', WIDTH)}", err=True)
    shown = (f"{column.name}: {column.evidence[0]}" for column in question.shown)
    for line in (*shown, *question.evidence):
        typer.echo(fill(line, WIDTH, initial_indent="     ", subsequent_indent="       "), err=True)
    default = ", ".join(question.default[:NAMED]) or "none"
    if len(question.default) > NAMED:
        default += f" and {len(question.default) - NAMED} more"
    if question.name == "sensitive" and not question.default:
        default = "left open; none states that nothing would"
    how = f"{HOW.get(question.name, NAMES)} [{default}]:"
    how = fill(how, WIDTH, initial_indent="   ", subsequent_indent="   ")
    typer.echo(f"{how} ", nl=False, err=True)


def _read(question: Question, number: int) -> str | int | tuple[str, ...] | None:
    """Return an answer; a person may correct what is none, a file may not."""
    while True:
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            typer.echo(typed.strip(), err=True)
        if not typed:
            raise DataError(
                f"standard input ended before question {number}, of at most {MOST}, was answered: "
                "nothing was written. Answer each with a line, empty for the default; or leave "
                "--ask out"
            )
        try:
            return question.read(typed)
        except DataError as error:
            if not sys.stdin.isatty():
                raise DataError(f"answer {number}: {error}") from None
            typer.echo(f"   {error}\n   ", nl=False, err=True)
