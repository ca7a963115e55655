"""The policy itself: attributes with roles, privacy models, algorithm and options."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, Unpack

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from kanonym.actions.registry import unwrap
from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.itemsets.base import ItemAlgorithm
from kanonym.algorithms.mondrian import Mondrian
from kanonym.data.errors import PolicyError
from kanonym.data.files import write_text
from kanonym.data.schema import Attribute, Recoding, Role, Schema, Sensitive
from kanonym.models.base import PrivacyModel
from kanonym.models.differential import sampling_model
from kanonym.policy import actions, algorithms, construction, document, shorthand
from kanonym.policy.faults import Fault, FaultsFoundError, faults_of, policy_error
from kanonym.policy.field_validators import (
    NOWHERE,
    Opaque,
    Origin,
    by_algorithm,
    by_attack,
    by_attributes,
    by_item_algorithm,
    by_models,
    by_private_seed,
    by_words,
    fitting,
    no_set,
    origin_of_parts,
    parse_context,
    range_of,
)
from kanonym.policy.keywords import (
    NOTHING,
    Keywords,
    Seed,
    SuppressionLimit,
    stated_values,
    takes_keywords,
)
from kanonym.policy.writing import form_beside, policy_form, policy_yaml, short_yaml


class _PublicNames(type(BaseModel)):  # type: ignore[misc] # pydantic exports no name of it
    """Completion shows what a policy has, without what pydantic adds."""

    def __dir__(cls) -> list[str]:
        names = (*cls.model_fields, *vars(cls))
        return [name for name in names if not name.startswith(("_", "model_"))]


class Policy(BaseModel, metaclass=_PublicNames):
    """The requirements of a release: roles, privacy models and the algorithm.

    Parts may be given as objects or in the form that they have in YAML.

    Parameters
    ----------
    version
        Version of the policy format.
    others
        The role of all columns that `attributes` does not name; None makes such a
        column an error.
    missing
        Words and codes that are missing values in all columns, such as `-9`.
    attributes
        Each column's name with its `Identifier`, `QuasiIdentifier`, `Sensitive`,
        `Insensitive` or `ItemSet`; at least one quasi-identifier or set.
    models
        The privacy models that every equivalence class must satisfy, at least one; `[]`
        where the algorithm forms groups by its own parameters, as k-means does. Left out, the
        policy is about attributes alone, as for synthesis: no table is released by it.
    rows
        `persons` says that each record is a person, though an identifier has values that
        several records share. None leaves it open: such an identifier is then a warning,
        unless k-anonymity counts persons by it (`entity`).
    sensitive
        `none` states that no attribute is sensitive, so that nothing about a person must be
        kept from those who know the class. None leaves it open: without a sensitive attribute,
        the part *attributes* of the verdict is then not assessed.
    algorithm
        How classes are found.
    item_algorithm
        How the items of sets are recoded; None for `apriori`.
    recoding
        The recoding of quasi-identifiers that name none themselves, where it fits
        their values.
    minimality
        `chance`: where models look at sensitive values, Mondrian, segmentation, local and
        full-domain recoding leave some decisions to chance, so that what they refused does not
        prove that sensitive values forbade it. `none`: nothing is left to chance.
    private_seed
        Where the seed of what is left to chance is kept: `{env: NAME}` or `{file: path}`, of at
        least 16 bytes. None draws one for each release and keeps it nowhere: the same table and
        policy then give other classes each time. Whoever knows the seed can undo what chance
        hides: keep it as secret as the table.
    suppression_limit
        Share of the records, in [0, 1], that may be suppressed.
    attack_limits
        The largest tolerated risk of attacks, by name, above 0 and at most 1. Reports and
        `kanonym attack` judge them; a release is made all the same.
    seed
        Of the order of the release and of all that actions draw. None draws one anew for
        each release and keeps it nowhere. With a seed the same table gives the same release,
        and who knows it can undo the shuffle and what actions draw: keep it secret. Actions
        that draw refuse 0, which anybody would try.
    keep_order
        Release the records in the order of the input. The order can tell who is who,
        so the default shuffles them.
    keep_integers
        Round the means and medians of whole-number columns, half to even, and release
        them in the column's own type instead of as real numbers.

    Raises
    ------
    PolicyError
        Lists every fault with its place, the reason and what is allowed.

    Examples
    --------
    >>> from kanonym import Identifier, KAnonymity, LDiversity, QuasiIdentifier, Sensitive
    >>> policy = Policy(
    ...     attributes={
    ...         "name": Identifier(),
    ...         "age": QuasiIdentifier(),
    ...         "disease": Sensitive(),
    ...     },
    ...     models=[KAnonymity(5), LDiversity("disease", l=3)],
    ... )
    >>> policy.suppression_limit
    0.0

    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Literal[1] = 1
    others: Annotated[Role | None, Field(strict=False), no_set] = None
    missing: Annotated[Sequence[str], Opaque, by_words] = ()
    attributes: Annotated[dict[str, Attribute], Opaque, by_attributes]
    models: Annotated[Sequence[PrivacyModel], Opaque, by_models] = ()
    rows: Literal["persons"] | None = None
    sensitive: Literal["none"] | None = None
    algorithm: Annotated[Algorithm, Opaque, by_algorithm, Field(validate_default=True)] = Mondrian()
    item_algorithm: Annotated[ItemAlgorithm | None, Opaque, by_item_algorithm] = None
    recoding: Annotated[Recoding | None, fitting] = None
    minimality: Literal["chance", "none"] = "chance"
    private_seed: Annotated[Any, by_private_seed] = None
    suppression_limit: Annotated[float, range_of(SuppressionLimit)] = 0.0
    attack_limits: Annotated[Mapping[str, float], Opaque, by_attack] = {}
    seed: Annotated[int | None, range_of(Seed)] = None
    keep_order: bool = False
    keep_integers: bool = False

    if TYPE_CHECKING:  # what editors complete and type checkers accept

        def __init__(
            self,
            *,
            attributes: Mapping[str, Attribute | Mapping[str, Any]],
            models: Sequence[PrivacyModel | Mapping[str, Any]] = (),
            others: Role | str | None = None,
            missing: Sequence[str | float] = (),
            rows: Literal["persons"] | None = None,
            algorithm: Algorithm | Mapping[str, Any] | str = ...,
            item_algorithm: ItemAlgorithm | Mapping[str, Any] | str | None = None,
            recoding: Recoding | None = None,
            minimality: Literal["chance", "none"] = "chance",
            private_seed: Mapping[str, str | os.PathLike[str]] | None = None,
            suppression_limit: float = 0.0,
            attack_limits: Mapping[str, float] = ...,
            seed: int | None = None,
            keep_order: bool = False,
            keep_integers: bool = False,
            version: Literal[1] = 1,
        ) -> None: ...

    else:

        def __init__(self, **parts: Any) -> None:
            with _collect_faults():
                super().__init__(**algorithms.limit_of(parts))

    def __dir__(self) -> list[str]:
        return dir(type(self))

    def __repr__(self) -> str:
        """Return its parts as in YAML, without defaults, and without values of hierarchies."""
        return short_yaml(self)

    __str__ = __repr__

    @model_validator(mode="after")
    def _require_models(self) -> Self:
        stated = "models" in self.model_fields_set
        if stated and not self.models and algorithms.needs_models(self.algorithm):
            fault = Fault(("models",), construction.AT_LEAST_ONE)
            raise PydanticCustomError("faults", "faults", {"faults": [fault]})
        return self

    @model_validator(mode="after")
    def _require_one_decision(self) -> Self:
        counted = self.entities
        if counted and self.rows:
            reason = (
                f"is {self.rows!r}, but k-anonymity counts persons by {counted[0]!r}, who may have "
                "several rows: keep one of them"
            )
            raise PydanticCustomError("faults", "faults", {"faults": [Fault(("rows",), reason)]})
        return self

    @model_validator(mode="after")
    def _require_one_statement(self) -> Self:
        named = [name for name, one in self.attributes.items() if isinstance(one, Sensitive)]
        named += ["others"] if self.others is Role.SENSITIVE else []
        if self.sensitive and named:
            reason = f"is 'none', but {named[0]!r} is sensitive: keep one of them"
            faults = [Fault(("sensitive",), reason)]
            raise PydanticCustomError("faults", "faults", {"faults": faults})
        return self

    @model_validator(mode="after")
    def _check_release(self) -> Self:
        given = {name: one.action for name, one in self.attributes.items()}
        faults = actions.faults_of_actions(given, self.seed)
        if sampling_model(self.models) or self.algorithm.type == "full-domain":
            from kanonym.policy.private_release import faults_of_private_release  # noqa: PLC0415 - it loads the lattice

            faults += faults_of_private_release(self)
        if faults:
            raise PydanticCustomError("faults", "faults", {"faults": faults})
        return self

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a policy from a YAML or JSON file.

        File names in it are relative to its own folder.

        Raises
        ------
        PolicyError
            The file cannot be read, or the policy has faults: all are listed.

        """
        file = Path(path)
        return cls.from_text(document.read_text(file), file.parent, source=str(file))

    @classmethod
    def from_text(cls, text: str, directory: Path = Path(), *, source: str = "policy text") -> Self:
        """Read a policy from YAML or JSON text.

        Parameters
        ----------
        text
            The policy.
        directory
            Where relative file names in it start.
        source
            What error messages call it.

        Raises
        ------
        PolicyError
            The policy has faults: all are listed.

        """
        parts = document.parse(text, source)
        if "tables" in parts:
            raise PolicyError(
                f"{source} is about several tables: give their place by --from and --to "
                "(kanonym anonymize), or as an argument of verify, measure, attack or check; in "
                "Python, use ka.linked"
            )
        # A file says that there are no models, or it is incomplete.
        return cls.from_dict({"models": None, **parts}, directory, source=source)

    @classmethod
    def from_dict(
        cls, form: Mapping[str, Any], directory: Path = Path(), *, source: str = ""
    ) -> Self:
        """Build a policy from the form that `to_dict` returns; parameters as of `from_text`."""
        with parse_context(Origin(source, directory)):
            return cls(**{str(name): part for name, part in form.items()})

    def to_file(self, path: str | os.PathLike[str], *, heading: Sequence[str] = ()) -> None:
        """Write the policy as YAML, which `from_file` reads; files are named as seen from it.

        Parameters
        ----------
        path
            The file.
        heading
            Sentences for its first lines, as comments.

        Raises
        ------
        PolicyError
            A model is of a class of your own, or a population table is in memory.
        DataError
            The file cannot be written.

        """
        write_text(Path(path), policy_yaml(form_beside(self, Path(path)), heading, {}))

    @classmethod
    @takes_keywords
    def from_columns(cls, **short: Unpack[Keywords]) -> Self:
        """Build a policy from the short forms.

        Parameters
        ----------
        short
            What the policy states; None leaves one out.

        Raises
        ------
        PolicyError
            A column has two roles, or a parameter is wrong: all faults are listed.

        Examples
        --------
        >>> policy = Policy.from_columns(quasi_identifiers=["age"], sensitive=["disease"], k=5, l=3)
        >>> [model.type for model in policy.models]
        ['k-anonymity', 'l-diversity']
        >>> Policy.from_columns(quasi_identifiers=["age"], k=0, suppression_limit=2)
        Traceback (most recent call last):
            ...
        kanonym.data.errors.PolicyError: 2 faults
          k: is 0; it must be an integer of at least 1
          suppression_limit: must be less than or equal to 1, not 2

        """
        given = stated_values(**short)
        with parse_context(Origin(rename=shorthand.rename)), _collect_faults():
            shorthand.check_names(given)
            options = {name: given[name] for name in given if name in cls.model_fields}
            models, sensitive = options.pop("models", ()), given.get("sensitive", ())
            if sensitive == NOTHING:
                sensitive = ()
            else:
                options.pop("sensitive", None)
            every, of_columns = shorthand.missing_words(given.get("missing", ()))
            if "missing" in options:
                options["missing"] = every
            attributes, expanded = shorthand.expand(
                {
                    Role.IDENTIFIER: given.get("identifiers", ()),
                    Role.QUASI_IDENTIFIER: given.get("quasi_identifiers", ()),
                    Role.SENSITIVE: sensitive,
                },
                given.get("hierarchies", {}),
                given.get("k"),
                {name: given.get(name) for name in shorthand.THRESHOLDS},
                sets=shorthand.separators(given.get("sets", ())),
                m=given.get("m"),
                entity=given.get("entity"),
                required=not models and algorithms.needs_models(options.get("algorithm")),
            )
            for name, words in of_columns.items():
                if name not in attributes:
                    raise FaultsFoundError([Fault(("missing", name), "has no role")])
                attributes[name] = {**attributes[name], "missing": words}
            return cls(attributes=attributes, models=[*expanded, *models], **options)

    @property
    def population(self) -> Any:
        """The population table of its models, or the path of one; None without one."""
        return next(
            (model.population_table for model in self.models if model.guarantee == "population"),
            None,
        )

    @property
    def entities(self) -> list[str]:
        """The identifiers by which models count persons; keys of several (`PersonKey`)."""
        return [model.entity for model in self.models if model.entity is not None]

    def with_algorithm(self, algorithm: Algorithm | Mapping[str, Any] | str) -> Self:
        """Return this policy with another algorithm, or with other parameters of its own.

        Parameters
        ----------
        algorithm
            An algorithm, its name, or its YAML form. A form of the type that the policy
            has already changes the parameters that it names.

        Raises
        ------
        PolicyError
            A parameter is wrong, or does not fit the rest of the policy.

        """
        own = algorithms.form_of(self.algorithm)
        if isinstance(algorithm, Mapping) and algorithm.get("type") == own["type"]:
            algorithm = {**own, **algorithm}
        parts: Any = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**{**parts, "algorithm": algorithm})

    @property
    def leaves_to_chance(self) -> bool:
        """Whether algorithms hide what they refuse because of sensitive values."""
        return self.minimality == "chance" and any(
            "attributes" in model.protects for model in self.models
        )

    @property
    def hides_refusals(self) -> bool | None:
        """Whether nobody sees what was refused because of sensitive values; None: nothing is."""
        asking = [model for model in self.models if "attributes" in model.protects]
        if not asking:
            return None
        covered = self.algorithm.hides_growing or all(
            model.monotone == "suppression" for model in asking
        )
        return self.leaves_to_chance and self.algorithm.hides_refusals and covered

    def perturbs(self, name: str) -> bool:
        """Whether what is released of a column is drawn, so that a value is no one person's."""
        given = unwrap(self.attributes[name].action) if name in self.attributes else []
        return any(action.perturbs for action in given)

    @property
    def repeatable(self) -> bool:
        """Whether the same table gives the same release again."""
        return self.seed is not None and (
            self.private_seed is not None or not self.leaves_to_chance
        )

    def with_seed(self, seed: int) -> Self:
        """Return this policy with a seed."""
        return self.model_copy(update={"seed": seed})

    def schema_for(self, columns: Sequence[str]) -> Schema:
        """Return the role of each column of a table, in the table's order.

        Raises
        ------
        SchemaError
            A named column does not exist, or a column has no role.

        """
        return Schema.resolve(columns, self.attributes, self.others, self.missing)

    def to_dict(self) -> dict[str, Any]:
        """Return the policy in the form that it has in YAML and JSON.

        A population table in memory has no such form, and is left out.
        """
        return policy_form(self)


Policy.__signature__ = inspect.Signature(  # pydantic's shows its validators
    [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.is_required() else field.default,
        )
        for name, field in Policy.model_fields.items()
    ]
)

PolicySource: TypeAlias = Policy | Mapping[str, Any] | str | os.PathLike[str]
"""A policy, its form as in YAML, or the path of a policy file."""


def policy_from(given: PolicySource) -> Policy:
    """Return a policy, built from its form or read from its file where that is given."""
    return document.read_or_given(given, Policy)


@contextmanager
def _collect_faults() -> Iterator[None]:
    """Turn whatever is found wrong inside into one `PolicyError`."""
    try:
        yield
    except ValidationError as error:
        faults = faults_of(error, list(Policy.model_fields))
    except FaultsFoundError as error:
        faults = error.faults
    else:
        return
    origin = origin_of_parts.get(NOWHERE)
    raise policy_error([origin.rename(fault) for fault in faults], origin.source) from None
