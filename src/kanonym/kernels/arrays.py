"""Names of array types, as they stand in signatures."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Int32s: TypeAlias = NDArray[np.int32]
UInt64s: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]
