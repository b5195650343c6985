"""Files that are no table, of odd types or forms: both engines say the same of each."""

import gzip
import json
import random
import shutil
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from io import BytesIO

import polars as pl
import pytest

import scorer
import scorer.spark
from scorer.engines.spark import pack, whole

LISTS = [f"u{n}" for n in range(12)]
ROWS = [(name, f"i{(n + k) % 7}", k % 3) for n, name in enumerate(LISTS) for k in range(4)]
TRUTH = "list,item,grade\n" + "".join(f"{a},{b},{1 + c}\n" for a, b, c in ROWS[::2])
YAML = "truth: truth.csv\nmetrics: [nDCG@10, AP]\n"
SPLIT = "spark.sql.files.maxPartitionBytes"


@pytest.fixture(autouse=True)
def parted(monkeypatch):
    """No file is small enough to go to a worker whole."""
    monkeypatch.setattr(whole, "MOST_BYTES", -1)


def csv(rows=ROWS, head="list,item,score"):
    return "\n".join([head, *(",".join(map(str, row)) for row in rows), ""])


def jsonl(*more):
    rows = [json.dumps({"list": a, "item": b, "score": c}) for a, b, c in ROWS]
    return "\n".join([*rows[:9], *more, *rows[9:], ""])


def lines(*more):
    """The good file with more lines in its middle."""
    return "\n".join([*csv().splitlines()[:20], *more, *csv().splitlines()[20:], ""])


def parquet(**columns):
    frame = pl.DataFrame(ROWS, schema=["list", "item", "score"], orient="row")
    out = BytesIO()
    frame.with_columns(**columns).write_parquet(out)
    return out.getvalue()


def packed(text):
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", text)
    return out.getvalue()


def each(value):
    return pl.lit(value)


HERE = pl.int_range(pl.len()) == 5
NUMBER = pl.col("score").cast(pl.Float64)
MOMENT = datetime(2026, 1, 2, 3, 4, 5)
TYPES = {
    "bool": {"score": pl.col("score") > 1},
    "date": {"score": each(date(2026, 1, 1))},
    "datetime": {"score": each(MOMENT)},
    "zoned": {"score": each(MOMENT).dt.replace_time_zone("Asia/Tokyo")},
    "duration": {"score": each(timedelta(1))},
    "time": {"score": each(time(1))},
    "text": {"score": pl.col("score").cast(pl.String)},
    "decimal": {"score": pl.col("score").cast(pl.Decimal(9, 2))},
    "uint64": {"score": pl.col("score").cast(pl.UInt64) + 2**63},
    "nulls": {"score": pl.when(HERE).then(None).otherwise(pl.col("score"))},
    "nan": {"score": pl.when(HERE).then(float("nan")).otherwise(NUMBER)},
    "inf": {"score": pl.when(HERE).then(float("inf")).otherwise(NUMBER)},
    "item-null": {"item": pl.when(HERE).then(None).otherwise(pl.col("item"))},
    "item-bool": {"item": pl.col("item") == "i1"},
    "item-date": {"item": each(date(2026, 1, 1)).dt.offset_by(pl.col("item").str.slice(1) + "d")},
    "item-moment": {"item": each(MOMENT)},
    "item-zoned": {"item": each(MOMENT).dt.replace_time_zone("Asia/Tokyo")},
    "item-ms": {"item": each(MOMENT).dt.cast_time_unit("ms")},
    "item-ns": {"item": each(MOMENT).dt.cast_time_unit("ns")},
    "item-duration": {"item": each(timedelta(1))},
    "item-binary": {"item": pl.col("item").cast(pl.Binary)},
    "item-float": {"item": pl.col("item").str.slice(1).cast(pl.Float64)},
    "item-list": {"item": pl.concat_list("item")},
    "item-struct": {"item": pl.struct("item")},
    "category": {"item": pl.col("item").cast(pl.Categorical)},
    "all-nulls": {"score": pl.lit(None)},
}
BAD = {
    "empty.csv": "",
    "header.csv": "list,item,score\n",
    "blank.csv": "\n\n\n",
    "utf16.csv": csv().encode("utf-16"),
    "latin1.csv": csv().replace("u9,", "ü9,").encode("latin-1"),
    "nul.csv": csv().replace("i5,", "i\0,"),
    "binary.csv": random.Random(1).randbytes(5000),
    "html.csv": "<!DOCTYPE html><html><body>404</body></html>\n",
    "xlsx.csv": b"PK\x03\x04" + b"\0" * 200,
    "nocolumn.csv": csv(head="list,item,points"),
    "twocolumns.csv": csv(head="list,item,item"),
    "noheader.csv": csv().partition("\n")[2],
    "short.csv": lines("u1,i2"),
    "long.csv": lines("u1,i2,3,4"),
    "many.csv": lines(
        "u1,i2,abc",
        ",i2,3",
        "u1,,3",
        "u1,i2,nan",
        "u1,i2,inf",
        "u1,i2,1e999",
        "U1,i2,3",
        "u1 ,i2,3",
        "nobody,i2,3",
        "u1,i2,",
    ),
    "dups.csv": csv(ROWS + ROWS[:3]),
    "unclosed.csv": lines('"u1,i2,3'),
    "newline.csv": lines('u1,"i\n2",3'),
    "wrong.csv": csv([(a, b, "x") for a, b, _ in ROWS]),
    "comma-decimals.csv": csv(head="list;item;score").replace(",", ";").replace("\n", ",5\n"),
    "other-lists.csv": csv([(a.upper(), b, c) for a, b, c in ROWS]),
    "half.csv": csv([row for row in ROWS if int(row[0][1:]) % 2]),
    "comment.csv": "# mine\n" + csv(),
    "blanklines.csv": csv().replace("\n", "\n\n"),
    "spaces.csv": csv().replace(",", ", "),
    "cut.csv.gz": gzip.compress(csv().encode() * 40)[:-30],
    "notgz.csv.gz": csv(),
    "isgz.csv": gzip.compress(csv().encode()),
    "two.csv.gz": gzip.compress(csv(ROWS[:20]).encode())
    + gzip.compress(csv(ROWS[20:]).partition("\n")[2].encode()),
    "cut.parquet": parquet()[:-50],
    "notparquet.parquet": csv(),
    "parquet.csv": parquet(),
    "broken.jsonl": jsonl('{"list": "u1", '),
    "types.jsonl": jsonl(
        '{"list": "u1", "item": {"a": 1}, "score": [1]}',
        '{"list": "u1", "item": "i1", "score": null}',
        '{"list": "u1", "score": 1}',
        '{"list": 1, "item": 2, "score": "3"}',
        '{"list": "u1", "item": "i1", "score": true}',
        "[1]",
    ),
    "array.jsonl": json.dumps([{"list": a, "item": b, "score": c} for a, b, c in ROWS]),
    "none.zip": b"PK\x03\x04",
    "good.zip": packed(csv()),
    "good.txt": csv(),
    "UPPER.CSV": csv(),
    "noext": csv(),
    **{f"{name}.parquet": parquet(**columns) for name, columns in TYPES.items()},
}
READ = {"good.zip", "good.txt", "UPPER.CSV", "noext", "notgz.csv.gz", "two.csv.gz", "newline.csv"}
READ |= {f"{name}.parquet" for name in ("text", "decimal", "category", "uint64")}
REFUSED_TYPES = ["bool", "date", "datetime", "zoned", "duration", "time"]


def said(report):
    return json.loads(report.render("json", per_list=True))


@pytest.mark.slow("has Spark read some 65 files")
def test_both_engines_say_the_same_of_bad_files(spark, tmp_path):
    (tmp_path / "challenge.yaml").write_text(YAML)
    (tmp_path / "truth.csv").write_text(TRUTH)
    (folder := tmp_path / "sent").mkdir()
    for name, data in BAD.items():
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    (folder / "none").mkdir()
    paths = {name: folder / name for name in [*BAD, "lost.csv", "noheader.cvs", "none"]}
    found, expected = (
        {each["name"]: each for each in said(scorer.score(tmp_path, paths, **words))["submissions"]}
        for words in ({"engine": "spark"}, {})
    )
    differ = [name for name in paths if found[name] != expected[name]]
    assert differ == [], [(found[name], expected[name]) for name in differ[:2]]
    assert READ.issubset(name for name in paths if found[name]["valid"])
    types = {name: found[f"{name}.parquet"]["problems"] for name in REFUSED_TYPES}
    assert {code["code"] for codes in types.values() for code in codes} == {"S207"}
    assert all(len(found[f"{name}.parquet"]["problems"]) == 1 for name in REFUSED_TYPES)


MANY = [f"u{n}" for n in range(60)]
ITEMS = {name: [f"i{(n * k + n) % 9}" for k in (1, 2, 4, 5)] for n, name in enumerate(MANY)}
ITEMS = {name: list(dict.fromkeys(items)) for name, items in ITEMS.items()}
PAIRS = [(name, item, 9 - k) for name, items in ITEMS.items() for k, item in enumerate(items)]


def separated(mark, head=""):
    return head + "".join(f"{a}{mark}{b}{mark}{c}\n" for a, b, c in PAIRS)


def celled(mark, between=",", head="", scored=False):
    scores = {name: mark.join(str(9 - k) for k in range(len(ITEMS[name]))) for name in MANY}
    return head + "".join(
        f"{name}{between}{mark.join(items)}{between + scores[name] if scored else ''}\n"
        for name, items in ITEMS.items()
    )


def ranks(name):
    return ",".join([name, *(ITEMS[name] + [""] * 4)[:4]])


FORMS = {  # of a submission: what its challenge says, a good file, and lines that are wrong
    "bare": ("header: [list, item, score]", separated(","), ["u1,i1,x", "u2,i1", "u1,i1,3"]),
    "tabs": ("header: [list, item, score], separator: tab", separated("\t"), ["u1\ti1\tx", "u2"]),
    "bars": ("separator: bar", separated("|", "list|item|score\n"), ["u1|i1|x", "u2|i1|3|4"]),
    "blanks": (
        "header: [list, item, score], separator: whitespace",
        separated("   "),
        ["u1 i1 x", "u2 i2"],
    ),
    "remarks": (
        "skip: 2, comment: ['#', '%']",
        "x,y\n\n# mine\n" + separated(",", "list,item,score\n").replace("u30,", "% no\nu30,", 1),
        ["u1,i1,x", "#u1,i1,x"],
    ),
    "cells": (
        "cells: {item: ' '}",
        celled(" ", head="list,item\n"),
        ["u1,i7 i8", "u70,i1", "u0,", "u59,"],
    ),
    "scored": (
        "cells: {item: ';', score: ';'}",
        celled(";", head="list,item,score\n", scored=True),
        ["u1,i7;i8,1", "u2,i1;i1,1;2", "u3,i1,x", "u1,,"],
    ),
    "rest": ("header: [list, item], cells: {item: ','}", celled(","), ["u1,i7,i8", "u5"]),
    "wide": (
        "wide: {rank: 'p*'}",
        "\n".join(["list,p1,p2,p3,p4", *map(ranks, MANY), ""]),
        ["u1,i1,i1,i2,i3", "u99,i1,i2,i3,i4", "u2,i1"],
    ),
    "arrays": (
        "format: jsonl, cells: {item: ',', score: ','}",
        "".join(
            json.dumps({"list": n, "item": i, "score": [9 - k for k in range(len(i))]}) + "\n"
            for n, i in ITEMS.items()
        ),
        [
            '{"list": "u1", "item": ["i7"], "score": [1]}',
            '{"list": "u2", "item": ["i7"], "score": [1, 2]}',
            '{"list": "u70", "item": [["i7"]], "score": [1]}',
        ],
    ),
    "objects": ("format: jsonl, cells: {item: ' '}", None, ['{"list": "u1", "item": "i1 i2"}']),
}
OBJECTS = "".join(json.dumps({"list": n, "item": " ".join(i)}) + "\n" for n, i in ITEMS.items())


@pytest.fixture
def cut(spark, monkeypatch):
    """Files are cut into parts of some lines, and lists into many buckets."""
    monkeypatch.setattr(pack, "BUCKET_ROWS", 25)
    before = spark.conf.get(SPLIT)
    spark.conf.set(SPLIT, "500")
    yield spark
    spark.conf.set(SPLIT, before)


@pytest.mark.slow("has Spark read two files in parts", beyond=2)
@pytest.mark.parametrize("name", FORMS)
def test_files_of_other_forms_are_cut_and_say_the_same(cut, tmp_path, name):
    rules, text, wrong = FORMS[name]
    text = OBJECTS if text is None else text
    told = "missing_list: zero, unknown_list: ignore"
    yaml = f"truth: truth.csv\nsubmission: {{{rules}, {told}}}\nmetrics: [nDCG@3, AP]\n"
    (tmp_path / "challenge.yaml").write_text(yaml)
    rows = "".join(f"{name},{item},1\n" for name in MANY for item in ITEMS[name][::2])
    (tmp_path / "truth.csv").write_text("list,item,grade\n" + rows)
    (good := tmp_path / "good.csv").write_text(text)
    (bad := tmp_path / "bad.csv").write_text(text + "".join(f"{line}\n" for line in wrong))
    found = said(scorer.score(tmp_path, [good, bad], engine="spark"))
    assert found == said(scorer.score(tmp_path, [good, bad]))
    assert [each["valid"] for each in found["submissions"]] == [True, False]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("{header: [item], cells: {item: ' '}, lines: lists}", "lines; give each line the ids"),
        ("{cells: {score: ' '}}", "candidates; give each value its item"),
        ("{parts: {one: one.csv, two: two.csv}}", "parts; write one table"),
    ],
)
def test_forms_that_stay_local_say_what_to_write(tmp_path, rules, told):
    from scorer.bytes.limits import Unreadable
    from scorer.engines.spark.sources import refuse_form

    yaml = "truth: truth.csv\nlists: lists.csv\nitems: {file: items.csv, columns: {list: list}}"
    (tmp_path / "challenge.yaml").write_text(f"{yaml}\nsubmission: {rules}\nmetrics: [AP]\n")
    challenge = scorer.load(tmp_path)
    with pytest.raises(Unreadable) as error:
        refuse_form(challenge.form(challenge.submission))
    problem = error.value.problem
    assert problem.code == "S107"
    assert told in f"{problem.message}; {problem.help}"


@pytest.mark.slow("has Spark look at seven frames")
def test_frames_of_types_that_are_no_numbers_are_refused_as_files_are(spark, tmp_path):
    from pyspark.sql import functions as F

    (tmp_path / "challenge.yaml").write_text(YAML)
    (tmp_path / "truth.csv").write_text(TRUTH)
    frame = spark.createDataFrame(ROWS, "list string, item string, score int")
    types = {
        "bool": F.col("score") > 1,
        "date": F.current_date(),
        "moment": F.current_timestamp(),
        "plain": F.current_timestamp().cast("timestamp_ntz"),
        "day": F.expr("interval 1 day"),
        "month": F.expr("interval 1 month"),
        "bytes": F.col("score").cast("string").cast("binary"),
    }
    runs = {name: frame.withColumn("score", column) for name, column in types.items()}
    report = scorer.spark.evaluate(spark, tmp_path, runs)
    told = {each.name: [p.code for p in each.findings] for each in report.submissions}
    assert told == {name: ["S207"] for name in types}


def test_modules_beside_a_plugin_travel_with_it(tmp_path, monkeypatch):
    from scorer.engines.spark.scoring import Work
    from scorer.prepare.bind import prepare
    from scorer.prepare.open import opened

    values = []
    for n in (1, 2):  # two challenges, whose modules are called alike
        (folder := tmp_path / f"c{n}").mkdir()
        (folder / "inside_of_mine").mkdir()
        (folder / "challenge.yaml").write_text(
            "truth: truth.csv\nmetrics: [Mine]\nplugins: [mine.py]\n"
        )
        (folder / "truth.csv").write_text(TRUTH)
        (folder / "mine.py").write_text(BESIDE)
        (folder / "helper_of_mine.py").write_text("from inside_of_mine.deep import VALUE\n")
        (folder / "inside_of_mine/__init__.py").write_text("")
        (folder / "inside_of_mine/deep.py").write_text(f"VALUE = {n}.0\n")
        with monkeypatch.context() as here:
            here.syspath_prepend(folder)
            work = Work.of(opened(prepare(scorer.load(folder), allow_plugins=True)).plan)
        for name in ("helper_of_mine", "inside_of_mine", "inside_of_mine.deep"):
            sys.modules.pop(name)
        shutil.rmtree(folder)
        [measure] = work.open().measures
        values.append(measure.metric.function.__globals__["VALUE"])
    assert values == [1.0, 2.0]


BESIDE = """from helper_of_mine import VALUE
from scorer import Ranked, metric


@metric("Mine", title="Mine", source="here")
def mine(ranked: Ranked) -> float:
    \"\"\"A value from beside.\"\"\"
    return VALUE
"""


@pytest.mark.slow("has Spark read two folders")
def test_folders_named_by_ids_keep_them_as_they_are_written(spark, tmp_path):
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP]\n")
    (tmp_path / "truth.csv").write_text("list,item,grade\n007,i1,1\n008,i1,1\n")
    rows = [("007", "i1", 1), ("008", "i2", 1), ("008", "i1", 2)]
    frame = spark.createDataFrame(rows, "list string, item string, rank int")
    frame.write.partitionBy("list").parquet(str(tmp_path / "parts"))
    report = scorer.score(tmp_path, {"parts": tmp_path / "parts"}, engine="spark")
    assert report.per_list("parts", "AP") == {"007": 1.0, "008": 0.5}


@pytest.mark.slow("has Spark score frames of arrays")
def test_arrays_of_frames_are_rows_best_first(spark, tmp_path):
    rules = "submission: {columns: {list: user}, missing_list: zero}"
    truth = "truth: {file: truth.csv, columns: {list: user}}"
    (tmp_path / "challenge.yaml").write_text(f"{truth}\n{rules}\nmetrics: [nDCG@3, AP]\n")
    (tmp_path / "truth.csv").write_text(TRUTH.replace("list", "user"))
    items = {name: [b for a, b, _ in ROWS if a == name] for name in LISTS}
    flat = [f"{name},{item},{9 - k}\n" for name in LISTS for k, item in enumerate(items[name])]
    (tmp_path / "flat.csv").write_text("user,item,score\n" + "".join(flat))
    scored = {
        name: [(float(9 - k), item) for k, item in enumerate(each)][::-1]
        for name, each in items.items()
    }
    recommended = "user string, recommendations array<struct<score: float, item: string>>"
    runs = {
        "items": spark.createDataFrame([*items.items()], "user string, item array<string>"),
        "scored": spark.createDataFrame([*scored.items()], recommended),
    }
    report = scorer.spark.evaluate(spark, tmp_path, runs)
    expected = scorer.score(tmp_path, [tmp_path / "flat.csv"])
    for name in runs:
        for metric in ("AP", "nDCG@3"):
            assert report.per_list(name, metric) == expected.per_list("flat", metric)
    relevant = [(name, [b for a, b, _ in ROWS[::2] if a == name]) for name in LISTS]
    labels = spark.createDataFrame(relevant, "user string, item array<string>")
    found = scorer.spark.evaluate(spark, tmp_path, {"items": runs["items"]}, truth=labels)
    assert found.per_list("items", "AP") == expected.per_list("flat", "AP")
    nested = spark.createDataFrame([("u1", [["i1"]])], "user string, item array<array<string>>")
    empty = spark.createDataFrame(
        [*(items | {"u1": []}).items()], "user string, item array<string>"
    )
    wrong = {"nested": nested, "empty": empty}
    refused = scorer.spark.evaluate(spark, tmp_path, wrong).submissions
    codes = [[problem.code for problem in each.findings] for each in refused]
    assert codes == [["S207"], ["S403"]]
    assert "explode" in next(iter(refused[0].findings)).help


FRAMES = {  # what a challenge says of a submission, how its file and frame have that, and a bad row
    "plain": (
        "missing_list: zero",
        ("list,item,score", [(n, i, 9 - k) for n in MANY for k, i in enumerate(ITEMS[n])]),
        "list string, item string, score int",
        ("u1", "i1", None),
    ),
    "cells": (
        "cells: {item: ' '}",
        ("list,item", [(n, " ".join(ITEMS[n])) for n in MANY]),
        "list string, item string",
        ("u1", "i7 i8"),
    ),
    "scored": (
        "cells: {item: ';', score: ';'}",
        (
            "list,item,score",
            [(n, ";".join(ITEMS[n]), "9;8;7;6;5"[: 2 * len(ITEMS[n]) - 1]) for n in MANY],
        ),
        "list string, item string, score string",
        ("u61", "i7", "x"),
    ),
    "rest": (
        "header: [list, item], skip: 1, comment: '#', cells: {item: ' '}",
        ("x", [(n, " ".join(ITEMS[n])) for n in MANY]),
        "list string, item string",
        ("u3", ""),
    ),
    "ranks": (
        "wide: {rank: 'p*'}",
        ("list,p1,p2,p3,p4", [(n, *(ITEMS[n] + [None] * 4)[:4]) for n in MANY]),
        "list string, p1 string, p2 string, p3 string, p4 string",
        ("u2", "i1", "i1", None, None),
    ),
    "items": (
        "wide: {item: 'F*'}",
        ("list,F1,x,F2,F3", [(n, 0.1 * k, "y", k % 7 / 3, -1.5) for k, n in enumerate(MANY)]),
        "list string, F1 double, x string, F2 float, F3 double",
        ("u2", None, "y", 2.0, None),
    ),
}


@pytest.mark.slow("has Spark score two frames", beyond=2)
@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_other_forms_are_read_as_files_are(spark, tmp_path, monkeypatch, name):
    rules, (head, rows), columns, bad = FRAMES[name]
    monkeypatch.setattr(pack, "BUCKET_ROWS", 25)
    told = "unknown_list: ignore" + ", missing_list: zero" * ("missing" not in rules)
    yaml = f"truth: truth.csv\nsubmission: {{{rules}, {told}}}\nmetrics: [nDCG@3, AP]\n"
    (tmp_path / "challenge.yaml").write_text(yaml)
    items = {n: [f"{n[1:]}"[:1], "2", *ITEMS[n][::2]] for n in MANY}
    relevant = "".join(f"{n},{item},1\n" for n in MANY for item in items[n])
    (tmp_path / "truth.csv").write_text("list,item,grade\n" + relevant)
    frames = {
        "good": spark.createDataFrame(rows, columns),
        "bad": spark.createDataFrame([*rows, bad], columns),
    }
    for key, frame in frames.items():
        values = [[*map(_written, row)] for row in frame.collect()]
        lines = [head, *(",".join(row) for row in values), ""]
        (tmp_path / f"{key}.csv").write_text("\n".join(lines))
    found = scorer.spark.evaluate(spark, tmp_path, frames)
    expected = scorer.score(tmp_path, [tmp_path / f"{key}.csv" for key in frames])
    mine, theirs = said(found), said(expected)
    assert mine["leaderboard"] == theirs["leaderboard"]
    for metric in ("nDCG@3", "AP"):
        assert found.per_list("good", metric) == expected.per_list("good", metric)
    codes = [
        [
            sorted(p["code"] for p in each["problems"] if p["severity"] == "error")
            for each in report["submissions"]
        ]
        for report in (mine, theirs)
    ]
    assert codes[0] == codes[1]
    assert [len(each) > 0 for each in codes[0]] == [False, True]


def _written(value):
    return "" if value is None else str(value)
