"""Sessions of Spark as fixtures: local, with a Connect server, and a cluster of two workers."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kanonym.data.errors import DataError

_CLUSTER_SECONDS = 90

# A process in which grpc runs would end with it when another test forks.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


def spark_home():
    """Return the folder of PySpark, with a Java runtime set; or skip, with the reason."""
    package = importlib.util.find_spec("pyspark")
    if package is None:
        pytest.skip("needs PySpark: pip install 'kanonym[spark]'")
    from kanonym.engines.spark import session as java

    try:
        java.provide_java()
    except DataError as error:
        pytest.skip(f"needs Java for Spark: {error}")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # Workers import the modules of the functions that they are given: tests, too.
    tests = Path(__file__).parents[1]
    paths = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    paths += [one for one in (str(tests), str(tests.parent)) if one not in paths]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    return Path(package.origin).parent


def settings():
    """Return the settings of a small local session for tests."""
    from kanonym.engines.spark.session import local_settings

    return local_settings() | {
        "spark.master": "local[2]",
        "spark.driver.memory": "3g",
        # Tables are small: to compile whole queries, optimize hot loops and verify the classes
        # that Spark is installed with costs more than it saves.
        "spark.driver.extraJavaOptions": (
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
            " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
        ),
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "kanonym-warehouse")),
        "spark.sql.session.timeZone": "Europe/Berlin",  # moments must not depend on it
    }


def connect_settings():
    """Return the settings of a session whose Java is a Connect server on the loopback interface."""
    return {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(free_port()),
    }


@pytest.fixture(scope="session")
def spark():
    """Start a local Spark session on two cores."""
    spark_home()
    from pyspark.sql import SparkSession

    from kanonym.engines.spark.session import silence_logs

    builder = SparkSession.builder.appName("tests")
    for name, value in (settings() | connect_settings()).items():
        builder = builder.config(name, value)
    with silence_logs():
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark_connect(spark):
    """Return a session of the Connect server that runs beside the local session, in its Java."""
    for needed in ("grpc", "google.protobuf", "grpc_status"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}: pip install 'kanonym[spark]'")
    port = spark.conf.get("spark.connect.grpc.binding.port")
    from kanonym.engines.spark.session import silence_logs

    with silence_logs():
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    session.conf.set("spark.sql.adaptive.enabled", "true")  # the default of Spark
    yield session
    session.client.close()  # `stop` asks the server, for ten minutes if it is gone already


@dataclass
class Cluster:
    """A standalone cluster on the loopback interface; workers have one core each."""

    url: str
    program: str
    folder: Path
    workers: list = field(default_factory=list)
    begun: int = 0

    def add_a_worker(self):
        """Start one more worker."""
        self.begun += 1
        worker = started(
            self.folder / f"worker{self.begun}.log", self.program,
            "org.apache.spark.deploy.worker.Worker", self.url, "--host", "127.0.0.1",
            "--webui-port", "0", "--cores", "1", "--memory", "1g",
            "--work-dir", str(self.folder / f"work{self.begun}"),
        )  # fmt: skip
        self.workers.append(worker)

    def kill_a_worker(self):
        """Kill the first worker, and the executors that it started, at once."""
        stop(self.workers.pop(0))


@pytest.fixture
def spark_cluster(tmp_path):
    """Start a master and two workers."""
    home = spark_home()
    port = free_port()
    program = str(home / "bin" / "spark-class")
    log = tmp_path / "master.log"
    master = started(
        log, program, "org.apache.spark.deploy.master.Master",
        "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0",
    )  # fmt: skip
    cluster = Cluster(f"spark://127.0.0.1:{port}", program, tmp_path)
    try:
        await_port(port, master, log)
        cluster.add_a_worker()
        cluster.add_a_worker()
        yield cluster
    finally:
        for process in [*cluster.workers, master]:
            stop(process)


def started(log, *command):
    """Start a program in a group of its own, its output in a file."""
    with log.open("w") as output:
        return subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )


def stop(process):
    """Kill a program that `started` started, with everything that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait(30)


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, process, log):
    """Wait until a program listens on a port."""
    ends = time.monotonic() + _CLUSTER_SECONDS
    while time.monotonic() < ends:
        assert process.poll() is None, log.read_text()
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail(f"nobody listens on {port}: {log.read_text()}")
