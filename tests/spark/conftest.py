"""A session of Spark, one for all tests of a process."""

import os
import shutil
import sys

import pytest


@pytest.fixture(scope="session")
def session():
    """A session on two cores of this machine, with several buckets."""
    pytest.importorskip("pyspark", reason="pyspark is missing: pip install challenge-scorer[spark]")
    if shutil.which("java") is None:
        pytest.skip("Java is missing: apt install openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
