"""What is not collected where an extra is not installed; its tests say that they skip."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyspark") else ["src/kanonym/spark/*.py"]
