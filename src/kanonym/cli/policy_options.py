"""The options of a policy, from the types that declare them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from kanonym.algorithms.options import PARAMETERS
from kanonym.cli import options
from kanonym.cli.command_options import Command
from kanonym.data.option import Option, option_of
from kanonym.policy.keywords import KEYWORDS, NOTHING

if TYPE_CHECKING:
    from kanonym.policy import Policy

OPTIONS: dict[str, tuple[type, Option]] = {
    name: declared
    for name, annotation in (KEYWORDS | PARAMETERS).items()
    if (declared := option_of(annotation)) is not None
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
        trees, sensitive = self.given.get("hierarchies", {}), self.given.get("sensitive", [])
        return {
            "quasi_identifiers": self.given["quasi_identifiers"],
            "sensitive": [] if sensitive == NOTHING else sensitive,
            "hierarchies": {name: from_file(place) for name, place in trees.items()},
        }


COLUMNS = ("quasi_identifiers", "sensitive", "hierarchies")
"""Options that say which columns are meant."""


def takes_policy(*names: str, file: bool = True) -> Callable[[Command], Command]:
    """Give a command the options of a policy, in the place of its parameter `asked`."""

    def with_options(command: Command) -> Command:
        @functools.wraps(command)
        def run(**values: Any) -> None:
            place = values.pop("policy") if file else None
            parsed = {name: values.pop(name) for name in names}
            said = {name: one for name, one in parsed.items() if _is_said(one)}
            if said.get("sensitive") == [NOTHING]:
                said["sensitive"] = NOTHING
            keywords = {name: one for name, one in said.items() if name in KEYWORDS}
            parameters = {name: one for name, one in said.items() if name not in KEYWORDS}
            command(**values, asked=PolicyOptions(place, keywords, parameters, file))

        spelt = {"policy": options.PolicyFile} if file else {}
        spelt |= {name: _annotation(name) for name in names}
        signature = inspect.signature(command, eval_str=True)
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.name == "asked":
                parameters += [
                    inspect.Parameter(name, keyword, default=None, annotation=annotation)
                    for name, annotation in spelt.items()
                ]
            else:
                parameters.append(parameter.replace(kind=keyword))
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return run

    return with_options


def _is_said(value: Any) -> bool:
    """Whether an option was given; 0 is a value."""
    return value is not None and value is not False and value not in ([], {})


def _annotation(name: str) -> Any:
    """Return the annotation of a keyword, with the group in which a command lists it."""
    annotation = (KEYWORDS | PARAMETERS)[name]
    option = OPTIONS[name][1]
    group = option.group or "requirement"
    return Annotated[get_args(annotation)[0], replace(option, group=group)]


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
    return {"type": name or _algorithm_with(parameters), **parameters}


def _algorithm_with(parameters: dict[str, Any]) -> str:
    """Return the first algorithm that has all parameters, or else the first of them."""
    from kanonym.policy.algorithms import ALGORITHMS

    kinds: dict[str, Any] = {**ALGORITHMS}
    taken = {name: {field.name for field in fields(kind)} for name, kind in kinds.items()}
    whole = [name for name, names in taken.items() if parameters.keys() <= names]
    return [*whole, *(name for name, names in taken.items() if next(iter(parameters)) in names)][0]
