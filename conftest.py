"""What is not collected: doctests of modules without examples, and what lacks its extra."""

from importlib.util import find_spec
from pathlib import Path

# Listed, not a pattern: a pattern whose folder has moved matches nothing, and nobody sees it.
SPARK = [str(file) for file in (Path(__file__).parent / "src/kanonym/engines/spark").iterdir()]

collect_ignore = [] if find_spec("pyspark") else SPARK


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave modules without an example alone: to look for examples takes longer than to read."""
    if collection_path.suffix != ".py" or collection_path.name.startswith(("test_", "conftest")):
        return None
    return b">>>" not in collection_path.read_bytes() or None
