"""Data frames in one call of `evaluate`: small ones are scored whole, damaged ones are told."""

import json

import polars as pl
import pytest

import scorer
import scorer.spark
from scorer.engines.spark import brought, together, whole
from scorer.results import sums

YAML = "truth: truth.csv\nmetrics: [nDCG@3, AP]\n"
LISTS = [f"u{n}" for n in range(40)]
TRUTH = "list,item,grade\n" + "".join(f"{name},i{k},{k % 3}\n" for name in LISTS for k in range(5))
ROWS = [(name, f"i{k}", (7 * k + n) % 6) for n, name in enumerate(LISTS) for k in range(6)]
COLUMNS = "list string, item string, score int"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "challenge.yaml").write_text(YAML)
    (tmp_path / "truth.csv").write_text(TRUTH)
    return tmp_path


@pytest.fixture
def jobs(monkeypatch):
    """How many runs each job has: ones that are brought here, and ones that stay."""
    counts = {"brought": [], "parted": []}
    returned_of, job = brought.returned_of, together.job

    def counted_whole(session, work, rows, *others):
        counts["brought"].append(len(rows))
        return returned_of(session, work, rows, *others)

    def counted_parted(work, sources, most):
        counts["parted"].append(len(sources))
        return job(work, sources, most)

    monkeypatch.setattr(brought, "returned_of", counted_whole)
    monkeypatch.setattr(together, "job", counted_parted)
    return counts


def said(report):
    return json.loads(report.render("json", per_list=True))


def codes_of(report):
    return {
        each.name: [p.code for p in each.findings if p.severity == "error"]
        for each in report.submissions
    }


@pytest.mark.slow("has Spark score ten frames twice")
def test_small_frames_are_scored_whole_and_say_the_same(spark, folder, monkeypatch, jobs):
    known = spark.createDataFrame(pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").to_arrow())
    unknown = spark.createDataFrame(ROWS, COLUMNS)  # of which Spark does not know the size
    arrays = [(name, [item for each, item, _ in ROWS if each == name]) for name in LISTS]
    runs = {
        "known": known,
        "unknown": unknown,
        "parts": known.repartition(3, "list"),
        "double": known.withColumn("score", known["score"].cast("double")),
        "arrays": spark.createDataFrame(arrays, "list string, item array<string>"),
        "again": known.unionAll(known.limit(3)),
        "none": known.limit(0),
        "narrow": known.drop("item"),
        "moment": known.selectExpr("list", "timestamp_seconds(score) AS item", "score"),
        "unsaid": known.selectExpr("if(item = 'i3', null, list) AS list", "item", "score"),
    }
    found = scorer.spark.evaluate(spark, folder, runs)
    assert jobs == {"brought": [7, 2], "parted": []}
    monkeypatch.setattr(whole, "MOST_BYTES", -1)
    assert said(scorer.spark.evaluate(spark, folder, runs)) == said(found)
    assert jobs["parted"] == [9]
    codes = codes_of(found)
    assert not any(codes[name] for name in ("known", "unknown", "parts", "double", "arrays"))
    assert all(codes[name] for name in ("again", "none", "narrow", "unsaid"))
    path = folder / "a.csv"
    pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").write_csv(path)
    expected = scorer.score(folder, [path])
    assert found.per_list("known", "AP") == expected.per_list("a", "AP")


COLUMNS_OF = ["list", "item", "score"]


def test_sizes_are_what_spark_takes_a_frame_for(spark):
    assert brought.estimated_bytes(spark.range(1000)) < 10_000
    assert 7e9 < brought.estimated_bytes(spark.range(10**9)) < 9e9
    assert brought.estimated_bytes(spark.createDataFrame([(1,)], "a int")) == brought.UNKNOWN


def damaged(spark, folder):
    """A Parquet file whose end is right, so that its rows are known, and whose data is not."""
    frame = pl.DataFrame(ROWS * 20, schema=COLUMNS_OF, orient="row")
    frame.write_parquet(path := folder / "damaged.parquet")
    data = bytearray(path.read_bytes())
    data[8 : len(data) // 2] = bytes(len(data) // 2 - 8)
    path.write_bytes(data)
    return spark.read.schema(COLUMNS).parquet(f"file://{path}")


@pytest.mark.slow("has Spark try damaged frames again")
@pytest.mark.parametrize("most", [None, -1], ids=["small", "large"])
def test_a_damaged_frame_is_refused_alone(spark, folder, monkeypatch, jobs, most):
    if most is not None:
        monkeypatch.setattr(whole, "MOST_BYTES", most)
    good = spark.createDataFrame(pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").to_arrow())
    runs = {"a": good, "damaged": damaged(spark, folder), "b": good}
    found = scorer.spark.evaluate(spark, folder, runs)
    assert codes_of(found) == {"a": [], "damaged": ["S108"], "b": []}
    assert jobs == (
        {"brought": [], "parted": [3, 1, 1, 1]} if most else {"brought": [2], "parted": [1]}
    )
    assert found.per_list("a", "AP") == found.per_list("b", "AP")
    [problem] = found.submissions[1].findings
    assert problem.cause
    (folder / "damaged.parquet").write_bytes(b"PAR1 and no more")  # its rows are not known, either
    found = scorer.spark.evaluate(spark, folder, runs)
    assert codes_of(found) == {"a": [], "damaged": ["S108"], "b": []}


@pytest.mark.slow("has Spark try frames that raise again")
@pytest.mark.parametrize("way", ["small", "large", "sums"])
def test_a_frame_that_raises_is_refused_alone(spark, folder, monkeypatch, way):
    from pyspark.sql import functions as F

    if way == "large":
        monkeypatch.setattr(whole, "MOST_BYTES", -1)
    if way == "sums":
        monkeypatch.setattr(sums, "MOST_SHOWN", 0)
    good = spark.createDataFrame(pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").to_arrow())
    truth = spark.createDataFrame(pl.read_csv(folder / "truth.csv").to_arrow())
    divided = F.udf(lambda score: 6 // (score - 5), "int")
    runs = {
        "a": good,
        "told": good.selectExpr("list", "item", "if(score = 5, raise_error('mine'), score) score"),
        "python": good.select("list", "item", divided("score").alias("score")),
        "b": good,
    }
    found = scorer.spark.evaluate(spark, folder, runs, truth)
    assert codes_of(found) == {"a": [], "told": ["S101"], "python": ["S101"], "b": []}
    assert found.mean("a", "AP") == found.mean("b", "AP") > 0
    messages = [next(iter(each.findings)).message for each in found.submissions[1:3]]
    assert "[USER_RAISED_EXCEPTION] mine" in messages[0]
    assert "PythonException: ZeroDivisionError: integer division" in messages[1]


@pytest.mark.slow("has Spark compute a truth that raises")
def test_a_truth_that_raises_is_told(spark, folder):
    good = spark.createDataFrame(ROWS, COLUMNS)
    truth = good.selectExpr("list", "item", "if(score = 5, raise_error('mine'), 1) grade")
    told = r"T101.*USER_RAISED_EXCEPTION\] mine"
    with pytest.raises(scorer.ChallengeError, match=told):
        scorer.spark.evaluate(spark, folder, {"a": good}, truth)
    with pytest.raises(scorer.ChallengeError, match=told):
        scorer.spark.values(spark, folder, good, truth)


def test_more_rows_than_are_accepted_are_refused_of_small_frames(spark, folder, monkeypatch):
    (folder / "challenge.yaml").write_text(YAML + "submission: {limits: {rows: 100}}\n")
    run = spark.createDataFrame(pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").to_arrow())
    few = run.where("list < 'u2'")
    found = codes_of(scorer.spark.evaluate(spark, folder, {"run": run, "few": few}))
    assert found["run"] == ["S104"]
    assert found["few"] != ["S104"]


@pytest.mark.slow("has Spark score by truths of cells")
@pytest.mark.parametrize("form", ["text", "arrays"])
def test_a_truth_with_cells_may_be_a_frame(spark, folder, form):
    lines = "".join(f"{name},i1 i2 i4,1 2 1\n" for name in LISTS)
    (folder / "truth.csv").write_text("list,item,grade\n" + lines)
    cells = "{file: truth.csv, cells: {item: ' ', grade: ' '}}"
    (folder / "challenge.yaml").write_text(YAML.replace("truth.csv", cells))
    pl.DataFrame(ROWS, schema=COLUMNS_OF, orient="row").write_csv(folder / "a.csv")
    expected = scorer.score(folder, [folder / "a.csv"])
    if form == "text":
        rows, columns = (
            [(n, "i1 i2 i4", "1 2 1") for n in LISTS],
            "list string, item string, grade string",
        )
    else:
        rows = [(n, ["i1", "i2", "i4"], [1, 2, 1]) for n in LISTS]
        columns = "list string, item array<string>, grade array<int>"
    truth = spark.createDataFrame(rows, columns)
    run = spark.createDataFrame(ROWS, COLUMNS)
    found = scorer.spark.evaluate(spark, folder, {"a": run}, truth=truth)
    values = scorer.spark.values(spark, folder, run, truth).collect()
    for metric in ("nDCG@3", "AP"):
        assert found.per_list("a", metric) == expected.per_list("a", metric)
        mine = {row["list"]: row["value"] for row in values if row["measure"] == metric}
        assert mine == expected.per_list("a", metric)
    wrong = spark.createDataFrame([*rows, rows[0]], columns)
    with pytest.raises(scorer.ChallengeError):
        scorer.spark.evaluate(spark, folder, {"a": run}, truth=wrong)


KAGGLE = """import pandas as pd


def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str) -> float:
    both = solution.merge(submission, on=row_id_column_name)
    return float((both["target"] - both["prediction"]).abs().mean())
"""


@pytest.mark.slow("has Spark score three times")
def test_metrics_of_whole_files_are_asked_of_files_alone(spark, tmp_path, monkeypatch):
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: truth.csv, columns: {list: id}}\n"
        "submission: {columns: {list: id}}\n"
        "metrics: [{kaggle: metric.py, better: lower}]\n"
    )
    (tmp_path / "metric.py").write_text(KAGGLE)
    (tmp_path / "truth.csv").write_text("id,target\n" + "".join(f"{n},{n}\n" for n in range(30)))
    rows = [(str(n), n + 0.5) for n in range(30)]
    pl.DataFrame(rows, schema=["id", "prediction"], orient="row").write_csv(tmp_path / "a.csv")
    words = {"allow_plugins": True}
    expected = said(scorer.score(tmp_path, [tmp_path / "a.csv"], **words))
    for most in (whole.MOST_BYTES, -1):  # whole in a worker, and on this machine
        monkeypatch.setattr(whole, "MOST_BYTES", most)
        found = scorer.score(tmp_path, [tmp_path / "a.csv"], engine="spark", **words)
        assert said(found) == expected
    frame = spark.createDataFrame(rows, "id string, prediction double")
    assert codes_of(scorer.spark.evaluate(spark, tmp_path, {"a": frame}, **words)) == {
        "a": ["S107"]
    }
