"""Spark says what the engine of one machine says, to the bit."""

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from everything import ABSENT, FURTHER, KINDS, made, sent
from wholes import CASES, CHALLENGES, FILES, SMALL

import scorer
import scorer.spark
from scorer.bytes.address import Address
from scorer.engines.spark import pack, whole
from scorer.prepare.bind import prepare

COMMAND = Path(sys.executable).parent / "score"
SPLIT = "spark.sql.files.maxPartitionBytes"


@pytest.fixture(autouse=True)
def parted(monkeypatch):
    """No file is small enough to go to a worker whole."""
    monkeypatch.setattr(whole, "MOST_BYTES", -1)


@pytest.fixture
def many(spark, monkeypatch):
    """Files are cut into parts of some lines, and lists into many buckets."""
    monkeypatch.setattr(pack, "BUCKET_ROWS", 25)
    before = spark.conf.get(SPLIT)
    spark.conf.set(SPLIT, "1000")
    yield spark
    spark.conf.set(SPLIT, before)


def said(report):
    """All that a report says."""
    return json.loads(report.render("json", per_list=True))


def both(folder, paths, **words):
    mine = said(scorer.score(folder, paths, engine="spark", **words))
    assert mine == said(scorer.score(folder, paths, **words))
    return mine


def test_every_metric_is_asked_for():
    from everything import asked

    from scorer.metrics.base import metrics

    tried = {name for kind in KINDS for name in asked(kind)}
    assert len(tried) > 60
    more = CHALLENGES["further"] + CHALLENGES["series"] + CHALLENGES["spans"] + EARLY
    more += "".join(rules for rules, *_ in SMALL.values())
    for metric in metrics():
        if metric.name in FURTHER:
            assert metric.name in more, metric.name
        elif metric.name not in ABSENT:
            assert metric.name in more or any(metric.name in name for name in tried), metric.name


@pytest.mark.parametrize("kind", KINDS)
def test_spark_says_the_same_of_random_challenges(many, tmp_path, kind):
    rng = np.random.default_rng(KINDS.index(kind))
    names = made(tmp_path, kind, rng)
    paths = []
    for name, odd in (("a", False), ("b", False), ("odd", True)):
        paths.append(tmp_path / f"{name}.csv")
        sent(paths[-1], kind, names, rng, odd)
    found = both(tmp_path, paths)
    assert [each["valid"] for each in found["submissions"]] == [True, True, False]
    assert len(found["leaderboard"]) == 2


EARLY = """truth: truth.csv
submission: {columns: {extra: {delay: number}}}
metrics: ["ERDE(positive=1)@5", "ERDE(positive=1)@50", "FLatency(positive=1)"]
"""


def test_spark_says_the_same_of_delays(many, tmp_path):
    rng = np.random.default_rng(9)
    names = [f"u{n}" for n in rng.permutation(60)]
    (tmp_path / "challenge.yaml").write_text(EARLY)
    rows = [
        f"{name},{label}\n" for name, label in zip(names, rng.integers(2, size=60), strict=True)
    ]
    (tmp_path / "truth.csv").write_text("list,label\n" + "".join(rows))
    for name, wrong in (("good", []), ("odd", ["u1,1,3\n", "u2,1,\n", "u99,0,x\n"])):
        rows = [f"{name},{rng.integers(2)},{rng.integers(1, 90)}\n" for name in sorted(names)]
        (tmp_path / f"{name}.csv").write_text("list,label,delay\n" + "".join(rows + wrong))
    found = both(tmp_path, [tmp_path / "good.csv", tmp_path / "odd.csv"])
    assert [each["valid"] for each in found["submissions"]] == [True, False]


# files beside the truth, further columns, folds, candidates of lists
@pytest.mark.parametrize("kind", [kind for kind in CHALLENGES if kind not in KINDS])
def test_spark_says_the_same_where_there_are_further_files(many, tmp_path, kind):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "challenge.yaml").write_text(CHALLENGES[kind])
    paths = []
    for of, (name, text) in CASES:
        if of == kind:
            paths.append(tmp_path / f"sent-{name}.csv")
            paths[-1].write_text(text)
    found = both(tmp_path, paths)
    assert any(each["valid"] for each in found["submissions"])


@pytest.mark.parametrize("name", SMALL)
def test_spark_says_the_same_of_columns_of_their_own(many, tmp_path, name):
    rules, truth, rows = SMALL[name]
    for file, text in (("challenge.yaml", rules), ("truth.csv", truth), ("a.csv", rows)):
        (tmp_path / file).write_text(text)
    (found,) = both(tmp_path, [tmp_path / "a.csv"])["submissions"]
    assert found["valid"]


def test_small_files_go_whole_and_in_one_job(spark, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "MOST_BYTES", 2**20)
    monkeypatch.setattr(whole, "TOGETHER", 2**20 + 1500)  # the last file is in a job of its own
    tables = {"a.csv": csv(ROWS), "b.run": trec(ROWS), "c.jsonl": jsonl(ROWS), "empty.csv": ""}
    tables |= {"bad.csv": csv(ROWS) + "q0,i0,x\n", "swapped.csv": csv(ROWS).replace("q", "i")}
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
    packed = gzip.compress(csv(ROWS).encode())
    (tmp_path / "cut.csv.gz").write_bytes(packed[:-20])
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with zipfile.ZipFile(tmp_path / "f.zip", "w") as archive:
        archive.writestr("f.csv", csv(ROWS))
    (tmp_path / "long.csv").write_bytes(csv(ROWS).encode() + b"\n" * (2**20 - 500))
    names = [*tables, "cut.csv.gz", "cut.parquet", "f.zip", "long.csv"]
    calls, real = [], whole.outcomes
    monkeypatch.setattr(whole, "outcomes", lambda *a: calls.append(len(a[2])) or real(*a))
    found = both(folder, {name: tmp_path / name for name in names})
    assert calls == [len(names) - 1, 1]
    valid = {each["name"] for each in found["submissions"] if each["valid"]}
    assert valid == {"a.csv", "b.run", "c.jsonl", "f.zip", "long.csv"}
    told = scorer.spark.evaluate(
        spark, folder, {"a": tmp_path / "a.csv", "far": frame_of(spark, ROWS)}
    )
    assert [each.name for each in told.submissions] == ["a", "far"]
    assert told.per_list("a", "AP") == told.per_list("far", "AP")


def test_one_bucket_and_one_part_say_the_same(spark, tmp_path):
    rng = np.random.default_rng(8)
    names = made(tmp_path, "grades", rng)
    sent(tmp_path / "a.csv", "grades", names, rng)
    both(tmp_path, [tmp_path / "a.csv"])


YAML = "truth: truth.csv\nmetrics: [nDCG@10, AP, P@2]\n"
TRUTH = "list,item,grade\n" + "".join(f"q{n},i{k},{k % 3}\n" for n in range(6) for k in range(4))
ROWS = [(f"q{n}", f"i{k}", 10 - k + n % 2) for n in range(6) for k in range(5)]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "challenge"
    made.mkdir()
    (made / "challenge.yaml").write_text(YAML)
    (made / "truth.csv").write_text(TRUTH)
    return made


def csv(rows):
    return "list,item,score\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)


def jsonl(rows):
    return "".join(f'{{"list": "{a}", "item": "{b}", "score": {c}}}\n' for a, b, c in rows)


def trec(rows):
    return "".join(f"{a} Q0 {b} 1 {c} tag\n" for a, b, c in rows)


def in_parts(folder, text, suffix, parts=3):
    """A folder of parts, as Spark writes one: rows in any of them, and one that is empty."""
    folder.mkdir()
    for n in range(parts):
        (folder / f"part-{n:05}{suffix}").write_text(text(ROWS[n::parts]))
    (folder / f"part-{parts:05}{suffix}").write_text("")
    (folder / "_SUCCESS").write_text("")
    return folder


@pytest.mark.parametrize("form", [csv, jsonl, trec], ids=lambda form: form.__name__)
def test_a_folder_of_parts_and_a_glob_are_as_one_file(spark, folder, tmp_path, form):
    suffix = {"csv": ".csv", "jsonl": ".jsonl", "trec": ".run"}[form.__name__]
    (one := tmp_path / f"one{suffix}").write_text(form(ROWS))
    parts = in_parts(tmp_path / "parts", form, suffix)
    globbed = tmp_path / "parts" / f"part-*{suffix}"
    names = {"one": one, "parts": parts, "glob": str(globbed), "url": f"file://{one}"}
    found = scorer.score(folder, names, engine="spark")
    expected = scorer.score(folder, {"one": one})
    for name in names:
        assert found.mean(name, "AP") == expected.mean("one", "AP"), name
        assert found.per_list(name, "nDCG@10") == expected.per_list("one", "nDCG@10")


def test_a_truth_at_a_url_is_brought_here(spark, folder, tmp_path):
    (run := tmp_path / "a.csv").write_text(csv(ROWS))
    expected = scorer.score(folder, [run])
    challenge = scorer.load(folder)
    rows = pl.read_csv(folder / "truth.csv")
    for n, part in enumerate((rows[:9], rows[9:])):
        (tmp_path / "parts").mkdir(exist_ok=True)
        part.write_parquet(tmp_path / "parts" / f"part-{n}.parquet")
    (tmp_path / "t.csv").write_text((folder / "truth.csv").read_text())
    for name in ("t.csv", "parts"):
        away = challenge.with_truth(Address(f"file://{tmp_path}/{name}"))
        found = scorer.score(away, [run], engine="spark")
        assert found.per_list("a", "nDCG@10") == expected.per_list("a", "nDCG@10"), name
    (tmp_path / "parts" / "more.csv").write_text("list,item,grade\n")
    for name, told in (("nothing.csv", "file not found, by Spark"), ("parts", "these are 3 files")):
        with pytest.raises(scorer.ChallengeError, match=told):
            scorer.score(challenge.with_truth(Address(f"file://{tmp_path}/{name}")), [run],
                         engine="spark")  # fmt: skip


def test_parquet_of_one_file_and_of_parts(spark, folder, tmp_path):
    rows = [(a, b, float(c)) for a, b, c in ROWS]
    rows[7] = (*rows[7][:2], float("nan"))
    frame = pl.DataFrame(rows, schema=["list", "item", "score"], orient="row")
    good = frame.with_columns(pl.col("score").fill_nan(0.5))
    good.write_parquet(tmp_path / "good.parquet")
    frame.write_parquet(tmp_path / "bad.parquet")
    both(folder, [tmp_path / "good.parquet", tmp_path / "bad.parquet"])
    parts = tmp_path / "parts"
    parts.mkdir()
    for n in range(2):
        frame[n * 6 : n * 6 + 6 if n == 0 else None].write_parquet(parts / f"part-{n}.parquet")
    found = scorer.score(folder, {"parts": parts}, engine="spark").submissions[0]
    assert [(p.code, p.path, p.line, p.list, p.item) for p in found.findings] == [
        ("S502", "part-1.parquet", 2, "q1", "i2")
    ]


def test_tags_of_a_run_are_those_of_all_its_parts(many, folder, tmp_path):
    lines = [f"{a} Q0 {b} 1 {c} tag{n // 20}\n" for n, (a, b, c) in enumerate(ROWS)]
    lines[25] = lines[25].replace(" tag1", "")
    (path := tmp_path / "a.run").write_text("".join(lines))
    many.conf.set(SPLIT, "100")
    found = both(folder, [path])
    assert {"S601", "S602"} <= {p["code"] for p in found["submissions"][0]["problems"]}


def test_a_bad_row_in_one_part_is_told_by_its_part(spark, folder, tmp_path):
    parts = in_parts(tmp_path / "parts", csv, ".csv")
    file = parts / "part-00001.csv"
    file.write_text(file.read_text() + "q1,i1,x\nq1,i1,1\nq1,i1,2\n")
    (one := tmp_path / "one.csv").write_text(
        csv(ROWS[0::3] + ROWS[1::3] + [("q1", "i1", "x"), ("q1", "i1", 1), ("q1", "i1", 2)])
        + csv(ROWS[2::3]).partition("\n")[2]
    )
    [found] = scorer.score(folder, {"parts": parts}, engine="spark").submissions
    [expected] = scorer.score(folder, [one]).submissions
    told = [(p.code, p.list, p.item) for p in found.findings]
    assert sorted(told) == sorted((p.code, p.list, p.item) for p in expected.findings)
    assert found.findings.counts == expected.findings.counts
    assert {p.path for p in found.findings} == {"part-00001.csv"}
    assert {p.line for p in found.findings} == {12, 13, 14}
    assert not any("line" in p.message for p in found.findings)


def test_parts_with_different_columns_are_refused(spark, folder, tmp_path):
    parts = in_parts(tmp_path / "parts", csv, ".csv")
    (parts / "part-00001.csv").write_text("list,item,rank\nq1,i1,1\n")
    [found] = scorer.score(folder, {"parts": parts}, engine="spark").submissions
    assert [p.code for p in found.findings] == ["S201"]
    assert "the parts have different columns" in str(next(iter(found.findings)))


def test_a_part_of_another_kind_is_named(spark, folder, tmp_path):
    parts = in_parts(tmp_path / "parts", csv, ".csv")
    pl.DataFrame(ROWS, schema=["list", "item", "score"], orient="row").write_parquet(
        parts / "part-9.parquet"
    )
    [found] = scorer.score(folder, {"parts": parts}, engine="spark").submissions
    [problem] = found.findings
    assert (problem.code, problem.path, problem.line) == ("S107", "part-9.parquet", None)
    assert "this is a Parquet file" in problem.message


def test_nothing_there_nothing_in_it_and_what_spark_cannot_read(spark, folder, tmp_path):
    (tmp_path / "none.csv").write_text("")
    (tmp_path / "header.csv").write_text("list,item,score\n")
    (tmp_path / "a.zip").write_bytes(b"PK\3\4")
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    names = ("none.csv", "header.csv", "lost.csv", "a.zip", "a.parquet")
    found = scorer.score(
        folder,
        {**{n: tmp_path / n for n in names}, "far": "nosuch://host/a.csv"},
        engine="spark",
    )
    told = {s.name: [p.code for p in s.findings] for s in found.submissions}
    assert told == {
        "none.csv": ["S102"],
        "header.csv": ["S103"],
        "lost.csv": ["S101"],
        "a.zip": ["S108"],
        "a.parquet": ["S108"],
        "far": ["S101"],
    }


def test_the_cause_is_read_from_the_whole_of_what_spark_says():
    """Spark counts its objects and names hosts first: the cause may stand behind 100 characters."""
    from scorer.engines.spark.sources import unreadable

    said = (
        f"An error occurred while calling o{'1' * 300}.parquet.\n: SparkException: [%s] {'x' * 300}"
    )
    codes = [
        unreadable(RuntimeError(said % cause)).problem.code
        for cause in ("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", "PATH_NOT_FOUND", "OTHER")
    ]
    assert codes == ["S108", "S101", "S101"]


def test_long_ids_and_a_list_much_longer_than_the_others(many, tmp_path):
    long = "x" * 10_000
    lists = [f"q{n}" for n in range(300)]
    truth = [f"{name},i1,1" for name in lists] + [f"{long}1,{long}a,2", f"{long}2,{long}b,1"]
    (tmp_path / "truth.csv").write_text("\n".join(["list,item,grade", *truth]) + "\n")
    (tmp_path / "challenge.yaml").write_text(YAML)
    rows = [f"{name},i1,1" for name in lists] + [f"{long}1,{long}a,2", f"{long}2,{long}c,1"]
    rows += [f"q7,j{n},{n}" for n in range(20_000)]
    (path := tmp_path / "a.csv").write_text("\n".join(["list,item,score", *rows]) + "\n")
    many.conf.set(SPLIT, "100000")
    both(tmp_path, [path])


PLUGIN = '''
import os
import signal
from pathlib import Path

from scorer import Ranked, metric


@metric("Mine", title="Mine", source="here")
def mine(ranked: Ranked) -> float:
    """One, and where it is asked to, the end of its process, once."""
    marker = Path("{marker}")
    if "{what}" == "dies" and ranked.name == "q3" and not marker.exists():
        marker.write_text("died")
        os.kill(os.getpid(), signal.SIGKILL)
    if "{what}" == "raises" and ranked.name == "q3":
        raise ValueError("no")
    return 1.0
'''


def plugged(folder, what):
    (folder / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [Mine, AP]\nplugins: [mine.py]\n"
    )
    marker = folder / "marker"
    (folder / "mine.py").write_text(PLUGIN.format(marker=marker, what=what))
    (path := folder / "a.csv").write_text(csv(ROWS))
    return path, marker


def test_a_worker_that_dies_costs_a_retry_and_no_number(spark, folder):
    path, marker = plugged(folder, "dies")
    found = said(scorer.score(folder, [path], allow_plugins=True, engine="spark"))
    assert marker.read_text() == "died"
    assert found == said(scorer.score(folder, [path], allow_plugins=True))


def test_a_plugin_that_raises_is_told_with_its_list(spark, folder):
    path, _ = plugged(folder, "raises")
    report = scorer.score(folder, [path], allow_plugins=True, engine="spark")
    (problem,) = (p for p in report.submissions[0].findings if p.severity == "error")
    assert problem.code == "S530"
    assert problem.cause == "metric Mine failed on list 'q3': ValueError: no"


def test_a_plan_brings_the_files_of_its_plugins(folder):
    from scorer.engines.spark.scoring import Work
    from scorer.prepare.open import opened

    plugged(folder, "works")
    plan = opened(prepare(scorer.load(folder), allow_plugins=True)).plan
    work = Work.of(plan)
    (folder / "mine.py").unlink()
    measures = work.open().measures
    assert [measure.name for measure in measures] == ["Mine", "AP"]


def frame(session, path):
    return session.createDataFrame(pl.read_csv(path, infer_schema=False).to_arrow())


@pytest.fixture
def random(spark, tmp_path):
    """A random challenge with every metric of ranked lists, and two runs of it."""
    rng = np.random.default_rng(4)
    names = made(tmp_path, "grades", rng, lists=25)
    for name in "ab":
        sent(tmp_path / f"{name}.csv", "grades", names, rng)
    return tmp_path


def test_a_report_of_frames_is_that_of_their_files(spark, random, monkeypatch):
    monkeypatch.setattr(pack, "BUCKET_ROWS", 40)
    paths = {name: random / f"{name}.csv" for name in "ab"}
    frames = {name: frame(spark, path) for name, path in paths.items()}
    truth = frame(spark, random / "truth.csv")
    found = scorer.spark.evaluate(spark, random, frames, truth=truth)
    expected = scorer.score(random, paths)
    assert [(row.name, row.values, row.interval, row.tier) for row in found.standings] == [
        (row.name, row.values, row.interval, row.tier) for row in expected.standings
    ]
    for name in frames:
        assert found.per_list(name, "nDCG") == expected.per_list(name, "nDCG")


def test_frames_and_larger_files_share_a_job(spark, random, monkeypatch):
    from scorer.engines.spark import together

    jobs, whole_job = [], together.job
    monkeypatch.setattr(
        together,
        "job",
        lambda work, sources, most: jobs.append(len(sources)) or whole_job(work, sources, most),
    )
    a, b = (frame(spark, random / f"{name}.csv") for name in "ab")
    wrong = b.limit(1)
    runs = {"a": a, "b": str(random / "b.csv"), "lost": str(random / "lost.csv")}
    runs |= {"narrow": b.drop("item"), "wrong": b.unionAll(wrong).unionAll(wrong), "again": a}
    found = scorer.spark.evaluate(spark, random, runs)
    assert jobs == [4]
    expected = scorer.score(random, [random / "a.csv", random / "b.csv"])
    for name, file in (("a", "a"), ("b", "b"), ("again", "a")):
        assert found.per_list(name, "nDCG") == expected.per_list(file, "nDCG")
    codes = {
        each.name: {p.code for p in each.findings if p.severity == "error"}
        for each in found.submissions
    }
    assert codes["lost"] == {"S101"}
    assert codes["narrow"] == {"S201"}
    assert codes["wrong"]
    assert not codes["a"] | codes["b"] | codes["again"]
    monkeypatch.setattr(together, "MOST_TOGETHER", 1)
    again = scorer.spark.evaluate(spark, random, {"a": a, "wrong": runs["wrong"]})
    assert jobs == [4, 1, 1]
    assert again.per_list("a", "nDCG") == expected.per_list("a", "nDCG")


def test_a_truth_is_a_frame_a_path_a_url_or_a_table(spark, random):
    paths = {name: random / f"{name}.csv" for name in "ab"}
    frame(spark, paths["a"]).createOrReplaceTempView("run_a")
    frame(spark, random / "truth.csv").createOrReplaceTempView("truths")
    expected = scorer.score(random, paths)
    (there := random / "there.csv").write_bytes((random / "truth.csv").read_bytes())
    (parts := random / "parts").mkdir()
    pl.read_csv(there, infer_schema=False).write_parquet(parts / "part-0.parquet")
    (random / "truth.csv").unlink()  # nothing of it is read
    runs = {"a": "run_a", "b": str(paths["b"])}
    for truth in (there, f"file://{there}", parts, "truths", spark.table("truths")):
        found = scorer.spark.evaluate(spark, random, runs, truth)
        for name in runs:
            assert found.per_list(name, "nDCG") == expected.per_list(name, "nDCG"), truth
    asked = (random / "challenge.yaml").read_text().partition("metrics:")[0] + "metrics: [AP]\n"
    (random / "challenge.yaml").write_text(asked)
    values = scorer.spark.values(spark, random, "run_a", "truths")
    assert {row["list"]: row["value"] for row in values.collect()} == expected.per_list("a", "AP")
    for lost in ("nothing.csv", "no_table", "no table"):
        with pytest.raises(scorer.ChallengeError, match="not found"):
            scorer.spark.evaluate(spark, random, runs, lost)


def test_findings_are_a_frame(spark, folder):
    rows = [("q0", "i0", "x"), ("q0", "i1", "1"), ("q9", "i1", "1")]
    bad = spark.createDataFrame(rows, "list string, item string, score string")
    runs = {"bad": bad, "good": frame_of(spark, ROWS)}
    report = scorer.spark.evaluate(spark, folder, runs)
    found = scorer.spark.findings(spark, report).where("severity = 'error'").collect()
    assert [(row["name"], row["code"], row["list"], row["item"], row["line"]) for row in found] == [
        ("bad", p.code, p.list, p.item, None)
        for p in report.submissions[0].findings
        if p.severity == "error"
    ]
    assert {"S501", "S302"} <= {row["code"] for row in found}


def frame_of(session, rows):
    return session.createDataFrame(rows, "list string, item string, score int")


def test_values_have_the_groups_of_lists(spark, folder):
    (folder / "lists.csv").write_text(
        "list,group\n" + "".join(f"q{n},g{n % 2}\n" for n in range(6))
    )
    (folder / "challenge.yaml").write_text(YAML + "lists: lists.csv\n")
    found = scorer.spark.values(spark, folder, frame_of(spark, ROWS))
    groups = {(row["list"], row["group"]) for row in found.collect()}
    assert groups == {(f"q{n}", f"g{n % 2}") for n in range(6)}


def test_what_is_wrong_with_a_frame_has_no_line(spark, random):
    rows = pl.read_csv(random / "a.csv", infer_schema=False)
    again = spark.createDataFrame(pl.concat([rows, rows[:1]]).to_arrow())
    [found] = scorer.spark.evaluate(spark, random, {"again": again}).submissions
    [problem] = [p for p in found.findings if p.severity == "error"]
    assert (problem.code, problem.line, problem.list) == ("S304", None, rows["list"][0])
    assert "line" not in problem.message
    other = spark.createDataFrame([("q1", "i1")], "list string, thing string")
    [found] = scorer.spark.evaluate(spark, random, {"other": other}).submissions
    assert "S201" in {p.code for p in found.findings}


HIVEMALL = ["precision_at@3", "recall_at@3", "hitrate@3", "mrr", "average_precision", "ndcg", "auc"]
HIVEMALL += ["fmeasure@3"]


@pytest.mark.parametrize(
    ("kind", "names", "metrics"),
    [
        ("grades", HIVEMALL, ["P", "R", "Success", "RR", "AP", "nDCG", "AUC", "F"]),
        ("ratings", ["mae", "mse", "rmse", "r2"], ["MAE", "MSE", "RMSE", "R2"]),
        ("classes", ["fmeasure", "f1score", "fmeasure(average=micro)"], ["F1", "F1", "F1"]),
        ("probabilities", ["logloss"], ["LogLoss"]),
    ],
)
def test_measures_have_the_names_that_hivemall_gives_them(tmp_path, kind, names, metrics):
    made(tmp_path, kind, np.random.default_rng(1), lists=4)
    for name, metric in zip(names, metrics, strict=True):
        challenge = scorer.load(tmp_path).with_metrics([name])
        assert [measure.metric.name for measure in prepare(challenge).measures] == [metric]


def test_values_stay_in_a_frame_and_are_those_of_the_report(spark, random, monkeypatch):
    monkeypatch.setattr(pack, "BUCKET_ROWS", 40)
    text = (random / "challenge.yaml").read_text().partition("metrics:")[0]
    asked = [*HIVEMALL, "ERR", "Novelty@3", "MARp@2,5"]
    lines = "".join(f"  - '{each}'\n" for each in asked)
    (random / "challenge.yaml").write_text(f"{text}metrics:\n{lines}")
    run, truth = (frame(spark, random / f"{name}.csv") for name in ("a", "truth"))
    report = scorer.score(random, [random / "a.csv"])
    (random / "truth.csv").rename(random / "elsewhere.csv")  # nothing of it is read here
    found = scorer.spark.values(spark, random, run, truth)
    assert found.columns == ["list", "group", "measure", "value"]
    mine = {(row["list"], row["measure"]): row["value"] for row in found.collect()}
    assert mine == {
        (name, measure.id): None if np.isnan(value) else value
        for measure in report.measures
        for name, value in report.per_list("a", measure.id).items()
    }
    mean = found.where("measure = 'RR'").selectExpr("avg(value)").first()[0]
    assert mean == pytest.approx(report.mean("a", "RR"))


@pytest.mark.parametrize("kind", ["ratings", "preferences", "classes", "probabilities", "targets"])
def test_values_of_every_kind_are_those_of_the_report(spark, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(pack, "BUCKET_ROWS", 40)
    rng = np.random.default_rng(KINDS.index(kind))
    names = made(tmp_path, kind, rng, lists=30)
    sent(tmp_path / "a.csv", kind, names, rng)

    challenge = scorer.load(tmp_path)
    every = prepare(challenge).measures
    asked = [measure.id for measure in every if measure.aggregate in ("mean", "sum")]
    assert asked
    if len(asked) < len(every):
        with pytest.raises(scorer.UsageError, match="has no value for each list"):
            scorer.spark.values(spark, challenge, str(tmp_path / "a.csv"))
    challenge = challenge.with_metrics(asked)
    report = scorer.score(challenge, [tmp_path / "a.csv"])
    found = scorer.spark.values(
        spark, challenge, frame(spark, tmp_path / "a.csv"), f"file://{tmp_path}/truth.csv"
    )
    mine = {(row["list"], row["measure"]): row["value"] for row in found.collect()}
    assert len(mine) == len(names) * len(asked)
    assert mine == {
        (name, measure.id): None if np.isnan(value) else value
        for measure in report.measures
        for name, value in report.per_list("a", measure.id).items()
    }


def test_values_of_what_cannot_be_scored_say_why(spark, random):
    rows = pl.read_csv(random / "a.csv", infer_schema=False)
    again = spark.createDataFrame(pl.concat([rows, rows[:1]]).to_arrow())
    text = (random / "challenge.yaml").read_text()
    with pytest.raises(scorer.UsageError, match="has no value for each list"):
        scorer.spark.values(spark, random, again)
    (random / "challenge.yaml").write_text(text.partition("metrics:")[0] + "metrics: [AP]\n")
    with pytest.raises(Exception, match="S304"):
        scorer.spark.values(spark, random, again).collect()


def test_the_command_gives_its_result_alone(spark, folder, tmp_path):
    """A session of its own: what Spark says of itself is in no stream."""
    (path := tmp_path / "a.csv").write_text(csv(ROWS))
    words = [COMMAND, folder, path, "-q", "--format", "json", "--engine", "spark"]
    words += ["--engine-option", "spark.master=local[1]"]
    ran = subprocess.run(words, capture_output=True, timeout=600, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == json.loads(scorer.score(folder, [path]).render("json"))


@pytest.mark.slow("reads many parts")
def test_parts_that_come_one_by_one_are_merged_in_groups(tmp_path):
    from scorer.core.problems import Findings
    from scorer.engines.spark import scoring
    from scorer.prepare.open import opened
    from scorer.scoring.lists import outcome

    rng = np.random.default_rng(6)
    names = made(tmp_path, "grades", rng, lists=70)
    plan = opened(prepare(scorer.load(tmp_path))).plan
    parts = [scoring.score_lists(plan, table_of(plan, name)) for name in names]
    sizes, real = [], scoring.merged
    merging = scoring.Merging(lambda some: sizes.append(len(some)) or real(some))
    assert merging.whole() is None
    for part in parts:
        merging.add(part)
    both = merging.whole(), real(parts)
    one, other = (outcome(plan, part, Findings(), None) for part in both)
    assert one.card.to_bytes() == other.card.to_bytes()
    assert list(one.findings) == list(other.findings)
    assert sizes == [32, 32, 8]  # 6 alone, and the two of 32


def table_of(plan, name):
    """A table of one list."""
    from scorer.tables.columns import CodedColumn
    from scorer.tables.table import Table

    items = tuple(f"i{n}" for n in range(5))
    ids = {
        "list": CodedColumn(np.zeros(5, dtype=np.int64), (name,)),
        "item": CodedColumn(np.arange(5), items),
    }
    return Table(ids, {"rank": np.arange(1.0, 6.0)}, np.arange(2, 7), plan.shapes[0])


FORMED = """truth: truth.csv
submission: {missing_list: zero, item_pattern: "[0-9]{4}"}
metrics: [nDCG@3]
"""


def test_causes_of_wrong_files_are_those_of_one_machine(spark, challenge):
    """Ids of another form, and columns that are called wrongly or lack their names."""
    ids = [f"{n:04}" for n in range(1, 7)]
    pairs = [(f"q{n}", item) for n in range(5) for item in ids]
    truth = "".join(f"{q},{item},{1 + n % 2}\n" for n, (q, item) in enumerate(pairs))
    forms = {
        "zeros": ("list,item", lambda q, item: f"{q},{int(item)}"),
        "decimals": ("list,item", lambda q, item: f"{q},{int(item)}.0"),
        "other": ("list,item", lambda q, item: f"{q},doc{item}"),
        "python": ("list,item", lambda q, item: f"{q},['{item}']"),
        "case": ("List,Item", lambda q, item: f"{q},{item}"),
        "swapped": ("item,list", lambda q, item: f"{q},{item}"),
    }
    files = {
        f"{name}.csv": "\n".join([head, *(row(*pair) for pair in pairs), ""])
        for name, (head, row) in forms.items()
    }
    folder = challenge(FORMED, **{"truth.csv": f"list,item,grade\n{truth}"}, **files)
    found = both(folder, [folder / name for name in files])
    codes = [{each["code"] for each in sent["problems"]} for sent in found["submissions"]]
    wanted = ["S307", "S306", "S313", "S313", "S201", "S214"]
    assert all(code in of for code, of in zip(wanted, codes, strict=True))
