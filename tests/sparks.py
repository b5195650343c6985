"""The one Spark session that all tests share, since starting one costs seconds."""

import os
import shutil
import sys
import warnings

import pytest


def begun():
    """A session on two cores; the tests are skipped where there is no pyspark or no Java."""
    pytest.importorskip("pyspark", reason="pyspark is missing: pip install challenge-scorer[spark]")
    if shutil.which("java") is None:
        pytest.skip("Java is missing: apt install openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = (
            SparkSession.builder.master("local[2,4]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "OFF")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()
        )
    made.sparkContext.setLogLevel("OFF")
    return made
