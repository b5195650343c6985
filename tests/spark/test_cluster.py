"""Data frames on a cluster, and by Spark Connect: each in a process of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from conftest import COMMAND

import scorer

pyspark = pytest.importorskip("pyspark", reason="pyspark is missing: make spark installs it")
pytestmark = pytest.mark.skipif(
    shutil.which("java") is None, reason="Java is missing: apt install openjdk-17-jre-headless"
)

HOME = Path(pyspark.__file__).parent
VARIABLES = {name: value for name, value in os.environ.items() if "SPARK" not in name}
VARIABLES |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
SECONDS = 300  # that anything may take, on a machine with other work


def wait_for(log, text):
    """Return what a server writes once it is there."""
    end = time.monotonic() + SECONDS
    while (found := re.search(text, log.read_text())) is None:
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.2)
    return found[0]


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """The URL of a master with a worker of two cores."""
    folder = tmp_path_factory.mktemp("cluster")
    servers = []

    def start(name, *words):
        log = folder / f"{name}.log"
        command = [HOME / "bin/spark-class", f"org.apache.spark.deploy.{words[0]}", *words[1:]]
        command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        with log.open("w") as out:
            variables = VARIABLES | {"SPARK_HOME": str(HOME), "SPARK_DAEMON_MEMORY": "256m"}
            servers.append(subprocess.Popen(command, env=variables, stdout=out, stderr=out))
        return log

    try:
        url = wait_for(start("master", "master.Master"), r"spark://127[\d.:]+")
        words = ("worker.Worker", url, "-c", "2", "-m", "1500m", "-d", folder / "work")
        wait_for(start("worker", *words), "Successfully registered with master")
        yield url
    finally:
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait(SECONDS)


OWN = '''
import numpy as np
from scorer import Judged, metric


@metric("Total", title="t", source="s", range=(0, None))
def total(view: Judged) -> np.ndarray:
    """The sum of all grades."""
    return view.hits.total(view.hits.grade)
'''


@pytest.fixture
def folder(challenge):
    """A challenge with a metric of its own, and a run."""
    yaml = "truth: truth.csv\nplugins: [own.py]\nmetrics: [AP, nDCG@3, Total]\n"
    truth = [f"q{n},i{k},{(n + k) % 3}" for n in range(20) for k in range(5)]
    run = [f"q{n},i{k},{(7 * k + n) % 6}" for n in range(20) for k in range(6)]
    return challenge(
        yaml,
        **{
            "own.py": OWN,
            "truth.csv": "\n".join(["list,item,grade", *truth, ""]),
            "run.csv": "\n".join(["list,item,score", *run, ""]),
        },
    )


def run(words, folder, **variables):
    """Run a command; return what it prints."""
    ran = subprocess.run(
        [*words], cwd=folder, env=VARIABLES | variables, capture_output=True, text=True,
        timeout=2 * SECONDS,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(ran.stdout)


def test_the_command_on_a_cluster(master, folder):
    expected = scorer.score(folder, [folder / "run.csv"], allow_plugins=True)
    words = [COMMAND, folder, folder / "run.csv", "--engine", "spark", "--allow-plugins"]
    board = run(
        [*words, "--format", "json"], folder, PYSPARK_SUBMIT_ARGS=f"--master {master} pyspark-shell"
    )
    [row] = board["leaderboard"]
    assert row["values"] == {m.id: expected.mean("run", m.id) for m in expected.measures}


CONNECTED = textwrap.dedent("""
    import json
    from pyspark.sql import SparkSession
    import scorer.spark

    session = SparkSession.builder.remote("local[2]").getOrCreate()
    assert "connect" in type(session).__module__
    session.conf.set("spark.sql.shuffle.partitions", "3")
    frame = session.read.csv("run.csv", header=True)
    truth = session.read.csv("truth.csv", header=True)
    runs = {"run": frame, "wrong": frame.unionAll(frame.limit(2))}
    report = scorer.spark.evaluate(session, ".", runs, truth, allow_plugins=True)
    values = scorer.spark.values(session, ".", frame, allow_plugins=True).collect()
    try:
        broken = {"run": frame.selectExpr("*", "1 / 0 AS rank")}
        scorer.spark.evaluate(session, ".", broken, allow_plugins=True)
    except scorer.PluginError as error:
        failed = str(error)
    print(json.dumps({
        "report": {m.id: report.per_list("run", m.id) for m in report.measures},
        "values": [[row["list"], row["measure"], row["value"]] for row in values],
        "codes": {s.name: sorted({p.code for p in s.findings}) for s in report.submissions},
        "failed": failed,
    }))
""")


def test_data_frames_by_spark_connect(folder):
    expected = scorer.score(folder, [folder / "run.csv"], allow_plugins=True)
    found = run([sys.executable, "-W", "ignore", "-c", CONNECTED], folder)
    per_list = {m.id: expected.per_list("run", m.id) for m in expected.measures}
    assert found["report"] == per_list
    assert {(name, measure): value for name, measure, value in found["values"]} == {
        (name, measure): value
        for measure, values in per_list.items()
        for name, value in values.items()
    }
    assert found["codes"] == {"run": [], "wrong": ["S304"]}
    assert found["failed"].startswith("Spark failed: ")
    assert "Division by zero" in found["failed"]
    assert "\n" not in found["failed"]
