"""SIGO's command line, as a drop-in: the same clusters, rows, order and values, and clear errors.

SIGO (CGI, https://github.com/CGI-FR/SIGO) anonymizes JSON Lines by a kd-tree. Where it
deviates from what it documents, or loses records, `docs/sigo.md` says what happens here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.sigo.anonymizers import (
    Bounds,
    Clusters,
    check_kinds,
    check_method,
    clusters_of,
    models_of,
    replace_values,
)
from kanonym.sigo.attributes import identities, read_attribute
from kanonym.sigo.records import Records, json_lines, read_records
from kanonym.sigo.reidentification import reidentify, reidentify_in_clusters

__all__ = ["Level", "Request", "Tell", "anonymize_file", "reidentify_files"]

Level = Literal["error", "warn", "info", "debug", "trace"]
Tell = Callable[[Level, str, dict[str, Any]], None]
"""Takes a log line: its level, its message and its fields."""

MERGED = "reidentification"


@dataclass(frozen=True, slots=True)
class Request:
    """What SIGO is asked to do; flags of the same names."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    k: int = 3
    l: int = 1
    method: str = "NoAnonymizer"
    cluster_info: str = ""
    entropy: bool = False
    arguments: tuple[str, ...] = ()
    bounds: Bounds = "cell"
    seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if not self.quasi_identifiers:
            raise PolicyError("indicate the list of quasi-identifiers: -q, or rules of -c")
        check_method(self.method)
        twice = [name for name in self.quasi_identifiers if self.quasi_identifiers.count(name) > 1]
        if twice:
            raise PolicyError(f"quasi-identifier {twice[0]!r} is named twice")
        both = [name for name in self.sensitive if name in self.quasi_identifiers]
        if both:
            raise PolicyError(f"{both[0]!r} is a quasi-identifier and sensitive; it can be one")
        if self.cluster_info in (*self.quasi_identifiers, *self.sensitive):
            raise PolicyError(
                f"-i {self.cluster_info} would overwrite an attribute that is asked about; "
                "name a new key"
            )
        if self.method == MERGED and (len(self.sensitive) != 1 or len(self.arguments) != 1):
            raise PolicyError(
                f"-a {MERGED} needs one column that is 0 for anonymized records and 1 for those "
                "to re-identify (-s), and one that is to be found (--args)"
            )


def anonymize_file(path: str, request: Request, tell: Tell) -> bytes:
    """Anonymize a file as SIGO does."""
    tell("info", "Reading source", {})
    records = read_records(path)
    tell("info", f"{len(records)} individuals to anonymize", {})
    asked = [request.cluster_info] if request.cluster_info in records.columns else []
    records.require([*request.quasi_identifiers, *request.sensitive, *request.arguments])
    for name in asked:
        tell("warn", f"-i {name} overwrites a column of the input", {})
    if request.l > 1 and not request.sensitive:
        tell("warn", f"-l {request.l} asks nothing without -s", {})
    if not len(records):
        tell("warn", f"{records.where} holds no record", {})
        return b""
    attributes = [read_attribute(records, name) for name in request.quasi_identifiers]
    for attribute in attributes:
        if attribute.kind != "number":
            tell("info", f"{attribute.name} is read as {attribute.kind}", {})
    check_kinds(attributes, request.method)
    tell("info", "Tree building", {})
    clusters = clusters_of(
        attributes,
        [identities(records.columns[name]).alias(name) for name in request.sensitive],
        models_of(request.k, request.l, request.sensitive, entropy=request.entropy),
    )
    tell("info", "Cluster Anonymization", {})
    _tell_clusters(clusters, tell)
    if request.method == MERGED:
        values = reidentify_in_clusters(
            records, attributes, clusters, request.sensitive[0], request.arguments[0]
        )
    else:
        random = np.random.default_rng(request.seed)
        values = replace_values(request.method, attributes, clusters, random, request.bounds)
    if request.cluster_info:
        values[request.cluster_info] = pl.Series(clusters.cluster_of_place + 1).cast(pl.String)
    printed = json_lines(records, clusters.order, values)
    tell("info", "End of Anonymization", _achieved_figures(clusters))
    return printed


def reidentify_files(
    original: str,
    masked: str,
    quasi_identifiers: tuple[str, ...],
    sensitive: tuple[str, ...],
    threshold: float,
    tell: Tell,
) -> bytes:
    """Re-identify open data by anonymized data: `sigo reidentification`."""
    if not quasi_identifiers:
        raise PolicyError("indicate the list of quasi-identifiers: -q")
    if not sensitive:
        raise PolicyError("indicate the sensitive attributes of the anonymized data: -s")
    tell("info", "Reading source", {})
    files: list[Records] = [read_records(original), read_records(masked)]
    tell("info", f"{len(files[0])} individuals to re-identify", {})
    reidentification = reidentify(files[0], files[1], quasi_identifiers, sensitive, threshold)
    for warning in reidentification.warnings:
        tell("warn", warning, {})
    tell("info", "End of Re-identification", {"Re-identified": reidentification.n_found})
    return reidentification.printed


def _tell_clusters(clusters: Clusters, tell: Tell) -> None:
    for number, size in enumerate(clusters.sizes.tolist(), 1):
        tell("debug", "Cluster", {"ID": number, "Size": size})


def _achieved_figures(clusters: Clusters) -> dict[str, Any]:
    k, *diverse = clusters.achieved
    found: dict[str, Any] = {"Clusters": len(clusters), "k-anonymity": int(k)}
    return found | ({"l-diversity": round(min(diverse), 4)} if diverse else {})
