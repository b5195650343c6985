"""A cluster of two workers whose Python has nothing, and the lines of docs/spark.md for it."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import scorer

pytest.importorskip("pyspark", reason="pyspark is missing: pip install challenge-scorer[spark]")
pytestmark = [
    pytest.mark.slow("starts a cluster of Spark, and packs an environment"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is missing"),
]

ROOT = Path(__file__).parent.parent.parent
UNUSED = {"scipy", "sqlalchemy", "alembic"}  # by what workers do here; they are large
SCRIPTS = Path(sys.executable).parent
ALONE = {name: text for name, text in os.environ.items() if not name.startswith("PYSPARK")}


def lines_of_the_page():
    """What is to be written, from packing on."""
    page = (ROOT / "docs/spark.md").read_text()
    block = re.search(r"<!-- tested: \S+ -->\n```sh\n(.*?)```", page, re.S)[1]
    lines = [line for line in block.splitlines() if line]
    assert [line.split()[0] for line in lines] == [
        "python",
        "environment/bin/pip",
        "venv-pack",
        "export",
        "spark-submit",
        "score",
    ]
    return lines


def run(line, folder, **variables):
    environment = {**ALONE, "PATH": f"{SCRIPTS}:{ALONE['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}
    words = ["bash", "-c", line]
    return subprocess.run(
        words, cwd=folder, env=environment | variables, capture_output=True, text=True, timeout=900
    )


def until(log, text, times=1):
    """Wait for a server to say something so often."""
    end = time.monotonic() + 900
    while len(found := re.findall(text, log.read_text())) < times:
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.2)
    return found[0]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The URL of a master with two workers."""
    import pyspark

    folder = tmp_path_factory.mktemp("cluster")
    home = Path(pyspark.__file__).parent
    environment = {**ALONE, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment |= {"SPARK_NO_DAEMONIZE": "1", "SPARK_DAEMON_MEMORY": "256m"}
    started = []

    def start(name, *words):
        log = folder / f"{name}.log"
        command = [home / "bin/spark-class", f"org.apache.spark.deploy.{words[0]}", *words[1:]]
        command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        with log.open("w") as said:
            started.append(subprocess.Popen(command, env=environment, stdout=said, stderr=said))
        return log

    try:
        log = start("master", "master.Master")
        url = until(log, r"Starting Spark master at (spark://\S+)")
        for name in ("one", "two"):
            start(name, "worker.Worker", url, "-c", "1", "-m", "1500m", "-d", folder / name)
        until(log, "Registering worker", 2)
        yield url
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def needed(name, found):
    """The distributions that one needs here, itself among them."""
    if name not in found:
        found[name] = distribution(name)
        for text in found[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(requirement.name.lower(), found)
    return found


def install(environment):
    """What pip would put there, without the network: copies of what is installed here."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--symlinks", environment], check=True
    )
    [there] = (environment / "lib").glob("python*/site-packages")
    shutil.copytree(ROOT / "scorer", there / "scorer", ignore=shutil.ignore_patterns("__pyc*"))
    for root in ("challenge-scorer", "pyarrow", "pandas"):
        for name, found in needed(root, {}).items():
            if name in UNUSED:
                continue
            for file in found.files:
                path = there / file
                wanted = name != "challenge-scorer" or file.suffix == "" or "dist-info" in str(file)
                outside = {"..", "tests", "include"} & {*file.parts} or file.suffix == ".pth"
                if wanted and not outside and "flight" not in file.name and not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file.locate(), path)
    for record in there.glob("*.dist-info/direct_url.json"):
        record.unlink()  # of what is edited in place, which is not packed


@pytest.fixture
def folder(tmp_path):
    """A challenge, a file and a folder of parts, and a program for spark-submit."""
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [nDCG@10, AP]\n")
    lists, items = [f"q{n}" for n in range(50)], [f"i{n}" for n in range(5)]
    rows = [f"{name},{item},{n}" for name in lists for n, item in enumerate(items)]
    (tmp_path / "truth.csv").write_text("\n".join(["list,item,grade", *rows, ""]))
    (tmp_path / "run.csv").write_text("\n".join(["list,item,score", *rows, ""]))
    (parts := tmp_path / "runs/a").mkdir(parents=True)
    (parts / "_SUCCESS").touch()
    for n in range(2):
        text = "\n".join(["list,item,score", *rows[n::2], ""])
        (parts / f"part-{n}.csv").write_text(text)
    (tmp_path / "score.py").write_text("from scorer.cli.start import main\n\nmain()\n")
    return tmp_path


def test_the_lines_of_the_page_work_where_workers_have_nothing(cluster, folder):
    *_, pack, variables, submit, score = lines_of_the_page()
    install(folder / "environment")
    packed = run(f"{pack} --compress-level 0 -q", folder)  # what takes long is to make it small
    assert packed.returncode == 0, packed.stderr
    rows = (folder / "run.csv").read_text()
    (folder / "whole.csv").write_text(rows)
    expected = scorer.score(folder, {"run": folder / "run.csv", "a": folder / "whole.csv"})
    for line in (submit, score):
        line = line.replace("spark://host:7077", cluster).replace("board.json", "out.json")
        ran = run(f"{variables}\n{line}", folder)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        found = json.loads((folder / "out.json").read_text())
        assert {row["name"] for row in found["leaderboard"]} == {"run", "a"}
        for row in found["leaderboard"]:
            for measure in ("nDCG@10", "AP"):
                assert row["values"][measure] == expected.mean(row["name"], measure)
        (folder / "out.json").unlink()


def test_workers_without_scorer_are_told_with_what_mends_it(cluster, folder):
    bare = folder / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    options = f"--engine-option spark.master={cluster} --engine-option spark.submit.pyFiles=s.whl"
    (folder / "s.whl").touch()
    line = f"score challenge.yaml run.csv --engine spark {options}"
    ran = run(line, folder, PYSPARK_PYTHON=str(bare / "bin/python"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "has no scorer (a wheel in --py-files cannot give it" in ran.stderr
    *_, pack, mend = ran.stderr.rstrip().splitlines()
    assert pack.strip() == "venv-pack -p environment -o environment.tar.gz"
    assert "--engine-option spark.archives=environment.tar.gz#environment" in mend
