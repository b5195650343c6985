"""The Spark session that an engine works in: one that is there, a remote one, or one of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.text import describe_exception, printable, quoted
from scorer.engines.spark.executors import refuse_executors

JAVA = 17  # the oldest that Spark 4 runs on
INSTALL = "pip install 'challenge-scorer[spark]'"
MASTER = "local[*,4]"  # every core of this machine; a task that fails is tried four times
JAVA_OPTIONS = (  # most of what a short run of Java costs is that it compiles itself
    "-XX:+UseParallelGC "
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
DEFAULTS = {  # of a session that is started here
    "spark.app.name": "scorer",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.python.daemon.module": "scorer.engines.spark.daemon",
    # with any other number of bytes, all columns are measured again for every row
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
}
LOCAL_DEFAULTS = {  # of one on this machine alone
    "spark.shuffle.compress": "false",
    "spark.broadcast.compress": "false",
}


def session_of(options: Mapping[str, str]) -> Any:
    """The session to work in.

    Args:
        options: its configuration, such as `spark.master`. `spark.remote`, else the variable
            SPARK_REMOTE, leads to a server of Spark Connect; under `spark-submit` its session is
            taken; else one is started here, on the cores of this machine.

    Raises:
        UsageError: pyspark or Java is missing, an option is none of Spark's, it cannot start, or
            its executors lack scorer.
    """
    for name in options:
        if not name.startswith("spark."):
            raise UsageError(
                f"--engine-option {quoted(name)}: the engine spark takes Spark's own options, "
                "such as spark.master=local[2]"
            )
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError(f"the engine spark needs pyspark, which is not here: {INSTALL}") from None
    remote = options.get("spark.remote", os.environ.get("SPARK_REMOTE"))
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # by spark-submit
    active = None if remote else SparkSession.getActiveSession()
    builder = SparkSession.builder
    settings = dict(options)
    elsewhere = remote is not None and not remote.startswith("local")
    if not (elsewhere or submitted or active):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if not (remote or submitted or active):
        _refuse_java()
        settings = {**DEFAULTS, "spark.master": os.environ.get("MASTER", MASTER), **options}
        if settings["spark.master"].startswith("local"):
            settings = {**LOCAL_DEFAULTS, **settings}
    for name, value in settings.items():
        builder = builder.config(name, value)
    if remote and "spark.remote" not in options:
        builder = builder.remote(remote)
    with tempfile.NamedTemporaryFile("rb", prefix="scorer-spark-", suffix=".log") as log:
        try:
            with _logged(Path(log.name), keep=bool(submitted or active or elsewhere)), quiet():
                session = builder.getOrCreate()
        except Exception as error:
            message = _last(log.read().decode(errors="replace")) or describe_exception(error)
            raise UsageError(f"Spark does not start: {printable(message, 300)}") from None
    with quiet():
        refuse_executors(session)
    return session


@contextmanager
def quiet() -> Iterator[None]:
    """Without Python's warnings about what pyspark does with other libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refuse_java() -> None:
    """Refuse, by `UsageError`, to start without a Java that is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    output = ""
    if java is not None:
        with suppress(OSError, subprocess.SubprocessError):
            words = [java, "-version"]
            output = subprocess.run(words, capture_output=True, text=True, timeout=60).stderr
    version = re.search(r'version "(?:1\.)?([0-9]+)', output)
    if version is None:
        where = f" in {printable(home)} (JAVA_HOME)" if home else ""
        raise UsageError(
            f"the engine spark needs Java {JAVA} or newer, and there is none{where}; install one "
            "(Debian: apt install openjdk-17-jre-headless), or set SPARK_REMOTE"
        )
    if int(version[1]) < JAVA:
        raise UsageError(f"the engine spark needs Java {JAVA} or newer; this is {version[1]}")


@contextmanager
def _logged(path: Path, keep: bool) -> Iterator[None]:
    """Send the standard streams of a process started here to a file; with `keep` they stay."""
    if keep:
        yield
        return
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with path.open("wb") as log:
        try:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            yield
        finally:
            sys.stderr.flush()
            for number, old in enumerate(kept, 1):
                os.dup2(old, number)
                os.close(old)


def _last(text: str) -> str:
    """The line of a log that says most: the last error, without its class."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"Exception|Error|ERROR", line)]
    return errors[-1] if errors else ""
