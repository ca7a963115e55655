"""The options of a policy, from the types that declare them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.algorithms.options import PARAMETERS
from kanonym.cli import options
from kanonym.data.option import Group, Option, option_of
from kanonym.policy.keywords import KEYWORDS

if TYPE_CHECKING:
    from kanonym.policy import Policy

Command = Callable[..., None]

PANELS: dict[Group, str] = {
    "requirement": options.ASKED,
    "method": "Algorithm",
    "search": "Full-domain and local recoding",
    "output": options.WRITTEN,
}
FLAGS = {
    "models": "--model",
    "hierarchies": "--hierarchy",
    "sets": "--set",
    "attack_limits": "--attack-limit",
}
"""Options that are named in the singular: each names one, and they may be repeated."""

OPTIONS: dict[str, tuple[type, Option]] = {
    name: found
    for name, annotation in (KEYWORDS | PARAMETERS).items()
    if (found := option_of(annotation)) is not None
}
"""Type and declaration of every keyword that is an option, and of the algorithms' parameters."""


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """What the options of a policy said."""

    file: Path | None
    given: dict[str, Any]
    parameters: dict[str, Any]
    takes_file: bool = True

    @property
    def files(self) -> dict[str, str | Path | None]:
        """The files that they name, by option."""
        trees = self.given.get("hierarchies", {})
        read: dict[str, str | Path | None] = {"--policy": self.file}
        return read | {f"--hierarchy {name}": file for name, file in trees.items()}

    def policy(self, **further: Any) -> Policy:
        """Return the policy of the file with what the options change, or the one they state.

        further: keywords in the place of those that were given.
        """
        from kanonym.policy import Policy

        given = {name: value for name, value in (self.given | further).items() if value is not None}
        algorithm = _algorithm(given.pop("algorithm", None), self.parameters)
        if self.file is not None:
            from kanonym.policy.algorithms import parameters_of
            from kanonym.policy.overrides import override

            policy = override(Policy.from_file(self.file), given)
            if algorithm is None:
                return policy
            own = policy.algorithm
            fits = algorithm.keys() <= parameters_of(own).keys()
            return policy.with_algorithm({"type": own.type if fits else "mondrian", **algorithm})
        if not {"quasi_identifiers", "sets"} & given.keys():
            raise typer.BadParameter(
                "missing policy: give --policy FILE, or -q COLUMNS with -k, -l or -t",
                param_hint="-q",
            )
        if algorithm is not None:
            given["algorithm"] = {"type": "mondrian", **algorithm}
        return Policy.from_columns(**given)

    def columns(self) -> dict[str, Any]:
        """Return the policy, or the columns that are named in its place, as keyword arguments."""
        from kanonym.data.hierarchy import from_file
        from kanonym.policy import Policy

        if self.file is not None:
            if self.given:
                raise typer.BadParameter(
                    "not allowed with --policy, which names the columns", param_hint="--policy"
                )
            return {"policy": Policy.from_file(self.file)}
        if "quasi_identifiers" not in self.given:
            way = "--policy FILE, or -q COLUMNS" if self.takes_file else "-q COLUMNS"
            raise typer.BadParameter(f"missing columns: give {way}", param_hint="-q")
        trees = self.given.get("hierarchies", {})
        return {
            "quasi_identifiers": self.given["quasi_identifiers"],
            "sensitive": self.given.get("sensitive", []),
            "hierarchies": {name: from_file(place) for name, place in trees.items()},
        }


COLUMNS = ("quasi_identifiers", "sensitive", "hierarchies")
"""Options that say which columns are meant."""


def takes_policy(
    *names: str, file: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a policy, in the place of its parameter `asked`."""

    def with_options(command: Command) -> Command:
        @functools.wraps(command)
        def run(*arguments: Any, **values: Any) -> None:
            place = values.pop("policy", None)
            parsed = {name: _parse_value(name, values.pop(name)) for name in names}
            said = {name: value for name, value in parsed.items() if value not in (None, [], {})}
            keywords = {name: value for name, value in said.items() if name in KEYWORDS}
            parameters = {name: value for name, value in said.items() if name not in KEYWORDS}
            command(*arguments, **values, asked=PolicyOptions(place, keywords, parameters, file))

        spelt = {"policy": options.PolicyFile} if file else {}
        spelt |= {name: _annotation(name) for name in names}
        keyword = inspect.Parameter.KEYWORD_ONLY
        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.name != "asked":
                kind = keyword if parameters and parameters[-1].kind is keyword else parameter.kind
                parameters.append(parameter.replace(kind=kind))
                continue
            for name, annotation in spelt.items():
                switch = OPTIONS[name][0] is bool if name in OPTIONS else False
                default = False if switch else None
                parameters.append(
                    inspect.Parameter(name, keyword, default=default, annotation=annotation)
                )
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return with_options


def _annotation(name: str) -> Any:
    """Return the annotation of an option, as typer reads it."""
    kind, declared = OPTIONS[name]
    long = FLAGS.get(name, f"--{name.replace('_', '-')}")
    flags = [declared.flag] if len(name) == 1 else [long, *filter(None, [declared.flag])]
    option = typer.Option(
        *flags,
        metavar=declared.value or None,
        help=declared.sentence,
        rich_help_panel=PANELS[declared.group],
    )
    if kind is bool:
        return Annotated[bool, option]
    return Annotated[(list[str] if kind is list else kind) | None, option]


def _parse_value(name: str, value: Any) -> Any:
    """Return the value of a keyword that an option gave, None or empty where it did not."""
    kind = OPTIONS[name][1].kind
    if value is None or value is False:
        return None
    if kind == "columns":
        return options.parse_names(value)
    if kind == "files":
        return options.hierarchy_files(value)
    if kind == "sets":
        return {name: one or None for name, _, one in (text.partition("=") for text in value)}
    if kind == "words":
        return options.parse_words(value)
    if kind == "levels":
        return options.parse_levels(value)
    if kind == "secret":
        return options.parse_secret(value)
    if kind == "shares":
        return options.parse_shares(value, FLAGS[name])
    if kind == "parts":
        from kanonym.policy.document import parse_part

        return [parse_part(text, FLAGS[name]) for text in value]
    return value


def _algorithm(name: str | None, parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Return the YAML form of the algorithm, or None where no option says anything.

    name: of the algorithm, or itself in YAML: `{type: kmeans, clusters: 4}`. Without it, the
    parameters tell which one is meant; of a target alone, which several have, the policy says.
    """
    if name is not None and name.lstrip().startswith("{"):
        from kanonym.policy.document import parse_part

        form = parse_part(name, "--algorithm")
        name = form.pop("type", None)
        parameters = {**form, **parameters}
    if name is None and not parameters:
        return None
    if name is None and parameters.keys() == {"target"}:
        return parameters
    meant = {"split": "mondrian", "target": "mondrian", "importance": "cell-suppression"}
    return {"type": name or meant.get(next(iter(parameters)), "full-domain"), **parameters}
