"""The parent of Spark's Python workers, which has read once what each of them needs.

Spark starts it (`spark.python.daemon.module`), and it forks a worker whenever one is asked for.
Nothing but importing is done here: threads would not come along.
"""

from contextlib import suppress
from importlib import import_module

NEEDED = (
    "pandas",
    "polars",
    "pyarrow.compute",
    "pyspark.worker",
    "pyspark.sql.pandas.serializers",
    "scorer.engines.spark.reading",
    "scorer.engines.spark.scoring",
    "scorer.engines.spark.sums",
    "scorer.engines.spark.valued",
)

if __name__ == "__main__":
    for name in NEEDED:
        with suppress(ImportError):  # whoever needs it says so
            import_module(name)
    from pyspark.daemon import manager

    manager()
