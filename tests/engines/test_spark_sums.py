"""Of very many lists Spark brings sums home, and says what the engine of one machine says."""

import json
import pickle
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from everything import ITEMS, KINDS, made, sent, write

import scorer
import scorer.spark
from scorer.bytes.address import Address
from scorer.engines.spark import pack
from scorer.prepare.bind import prepare
from scorer.results import sums
from scorer.scoring.settle import of_sums

elsewhere = import_module("scorer.engines.spark.elsewhere")


@pytest.fixture
def summed(monkeypatch):
    """No number of lists is few."""
    monkeypatch.setattr(sums, "MOST_SHOWN", 0)


@pytest.fixture
def many(spark, monkeypatch):
    """Files are cut into parts of some lines, and lists into many buckets."""
    split = "spark.sql.files.maxPartitionBytes"
    monkeypatch.setattr(pack, "BUCKET_ROWS", 40)
    before = spark.conf.get(split)
    spark.conf.set(split, "1000")
    yield spark
    spark.conf.set(split, before)


def frame(session, path):
    return session.createDataFrame(pl.read_csv(path, infer_schema=False).to_arrow())


def said(report):
    return json.loads(report.render("json"))


def challenge(folder, kind, zero=False):
    """A challenge of every measure that is made of sums; gives the names of its lists."""
    names = made(folder, kind, np.random.default_rng(5))
    path = folder / "challenge.yaml"
    head, _, asked = (
        path.read_text().replace("history: {file: history.csv}\n", "").partition("metrics:")
    )
    if zero:
        head = head.replace("undefined: skip", "undefined: zero")
        head = head.replace("missing_list: skip", "missing_list: zero, unknown_list: ignore")
        asked = "\n  - AP\n  - nDCG@3\n  - NumRet\n"
    else:
        every = prepare(scorer.load(folder)).measures
        loaded = scorer.load(folder)
        fit = [m for m in every if of_sums(loaded, [m]) and "history" not in m.needs]
        asked = "\n" + "".join(f"  - '{measure.name}'\n" for measure in fit)
    path.write_text(f"{head}metrics:{asked}")
    return names


def both(folder, paths):
    """What the engine of one machine says, and Spark, which brings no list to the driver."""
    mine = scorer.score(folder, paths, engine="spark")
    assert isinstance(mine.lists, sums.Unnamed)
    assert all(each.card is None or not each.card.lists for each in mine.submissions)
    expected = said(scorer.score(folder, paths))
    assert said(mine) == expected
    return mine, expected


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ratings"])
def test_sums_say_the_same_of_random_challenges(summed, many, tmp_path, kind):
    names = challenge(tmp_path, kind)
    rng = np.random.default_rng(7)
    for name, odd in (("a", False), ("b", False), ("odd", True)):
        sent(tmp_path / f"{name}.csv", kind, names, rng, odd)
    _, found = both(tmp_path, [tmp_path / f"{name}.csv" for name in ("a", "b", "odd")])
    assert [each["valid"] for each in found["submissions"]] == [True, True, False]
    assert found["certainty"]["how"]["lists"] in range(20, len(names) + 1)
    assert all(row["interval"] for row in found["leaderboard"])


def test_submissions_of_different_lists_are_not_compared_by_sums(summed, spark, tmp_path):
    names = challenge(tmp_path, "grades")
    rng = np.random.default_rng(7)
    sent(tmp_path / "a.csv", "grades", names, rng)
    sent(tmp_path / "few.csv", "grades", names[7:], rng)
    paths = [tmp_path / "a.csv", tmp_path / "few.csv"]
    mine, expected = (said(scorer.score(tmp_path, paths, **w)) for w in ({"engine": "spark"}, {}))
    assert mine["submissions"] == expected["submissions"]
    assert expected["certainty"] is not None
    assert (mine["certainty"], mine["leaderboard"][0]["interval"]) == (None, None)
    assert "values for different lists" in mine["no_certainty"]


def test_one_bucket_says_the_same_and_names_no_list(summed, spark, tmp_path, monkeypatch):
    names = challenge(tmp_path, "grades", zero=True)
    rng = np.random.default_rng(7)
    sent(tmp_path / "a.csv", "grades", names, rng)
    rows = [f"{name},{item},1" for name in [*names, "zz", "Q1", "q1 "] for item in ITEMS[:2]]
    write(tmp_path / "more.csv", "list,item,score", rows)
    (tmp_path / "none.csv").write_text("list,item,score\n")
    back = list[bytes]()
    real = elsewhere.returned
    monkeypatch.setattr(
        elsewhere,
        "returned",
        lambda frame: back.append(pickle.dumps(found := real(frame))) or found,
    )
    sent(tmp_path / "few.csv", "grades", sorted(names)[7:], rng)
    paths = [tmp_path / f"{name}.csv" for name in ("a", "none", "more", "few")]
    report, found = both(tmp_path, paths)
    # what comes to the driver names no list, and is as long as there are blocks with lists
    first = pickle.loads(back[0])
    assert len(first.parts) == 1
    assert not any(name.encode() in back[0] for name in names)
    primary = report.primary.id
    assert first.parts[0].sums[primary].lists == len(names)
    assert {p["code"] for p in found["submissions"][2]["problems"]} >= {"S302", "S312"}
    assert [p["code"] for p in found["submissions"][1]["problems"]] == ["S103"]
    missing = next(p for p in found["submissions"][3]["problems"] if p["code"] == "S301")
    assert (missing["list"], missing["severity"]) == (min(names), "warning")
    assert f"7 of {len(names)}" in missing["message"]
    for text in (lambda: report.per_list("a"), lambda: report.render("csv", per_list=True)):
        with pytest.raises(scorer.UsageError, match=r"40 lists are not in this report"):
            text()
    whole = scorer.score(tmp_path, [tmp_path / "a.csv"], engine="spark", lists=True)
    assert whole.per_list("a") == scorer.score(tmp_path, [tmp_path / "a.csv"]).per_list("a")


def test_a_truth_at_a_url_stays_there(summed, spark, tmp_path):
    names = challenge(tmp_path, "grades", zero=True)
    sent(tmp_path / "a.csv", "grades", names, np.random.default_rng(7))
    expected = said(scorer.score(tmp_path, [tmp_path / "a.csv"]))
    loaded = scorer.load(tmp_path)
    (tmp_path / "truth.csv").rename(tmp_path / "t.csv")
    away = loaded.with_truth(Address(f"file://{tmp_path}/t.csv"))
    report = scorer.score(away, [tmp_path / "a.csv"], engine="spark")
    assert isinstance(report.lists, sums.Unnamed)
    assert said(report) == expected
    rows = pl.read_csv(tmp_path / "t.csv")
    (tmp_path / "parts").mkdir()
    for n, part in enumerate((rows[:90], rows[90:])):
        part.write_parquet(tmp_path / "parts" / f"part-{n}.parquet")
    away = loaded.with_truth(Address(f"file://{tmp_path}/parts"))
    found = said(scorer.score(away, [tmp_path / "a.csv"], engine="spark"))
    assert found["leaderboard"] == expected["leaderboard"]
    (tmp_path / "t.csv").write_text("list,item,grade\nq1,i1,x\n")
    away = loaded.with_truth(Address(f"file://{tmp_path}/t.csv"))
    with pytest.raises(scorer.ChallengeError, match=r"t\.csv:2:7: error"):
        scorer.score(away, [tmp_path / "a.csv"], engine="spark")


def test_frames_are_summed_up_and_what_asks_more_of_lists_is_not(
    summed, spark, tmp_path, monkeypatch
):
    monkeypatch.setattr(pack, "BUCKET_ROWS", 40)  # 2 buckets for the truth, 7 for the run
    names = challenge(tmp_path, "grades", zero=True)
    rows = pl.read_csv(tmp_path / "truth.csv").filter(pl.col("item").is_in(["i1", "i2"]))
    rows.write_csv(tmp_path / "truth.csv")
    sent(tmp_path / "a.csv", "grades", names, np.random.default_rng(7))
    expected = scorer.score(tmp_path, [tmp_path / "a.csv"])
    run, truth = (frame(spark, tmp_path / f"{name}.csv") for name in ("a", "truth"))
    (tmp_path / "truth.csv").rename(tmp_path / "elsewhere.csv")  # nothing of it is read here
    report = scorer.spark.evaluate(spark, tmp_path, {"a": run}, truth=truth)
    assert isinstance(report.lists, sums.Unnamed)
    assert said(report)["leaderboard"] == said(expected)["leaderboard"]
    (tmp_path / "elsewhere.csv").rename(tmp_path / "truth.csv")
    path, yaml = tmp_path / "challenge.yaml", (tmp_path / "challenge.yaml").read_text()
    for rule in ("undefined: error", "folds: {file: f.csv}", "leaderboard: {tiers: {test: t}}"):
        key = rule.partition(":")[0]
        lines = [line for line in yaml.splitlines() if not line.startswith(f"{key}:")]
        path.write_text("\n".join([rule, *lines]) + "\n")
        assert elsewhere.elsewhere(spark, prepare(scorer.load(tmp_path))) is None, rule
    path.write_text(yaml)
    assert elsewhere.elsewhere(spark, prepare(scorer.load(tmp_path))) is not None


def test_fewer_lists_than_the_limit_are_brought_here(spark, tmp_path, monkeypatch):
    names = challenge(tmp_path, "grades")
    sent(tmp_path / "a.csv", "grades", names, np.random.default_rng(7))
    for most, brought in ((len(names), True), (len(names) - 1, False)):
        monkeypatch.setattr(sums, "MOST_SHOWN", most)
        report = scorer.score(tmp_path, [tmp_path / "a.csv"], engine="spark")
        assert len(report.lists) == len(names)
        assert isinstance(report.lists, sums.Unnamed) is not brought


def test_lists_of_a_block_are_in_one_bucket():
    names = [f"u{n}" for n in range(5000)]
    rows = pl.Series([name for name in names for _ in range(2)])
    for count in (1, 7, 64):
        buckets = pack.Buckets(count, seed=3)
        mine = buckets.of_names(rows)
        block = sums.blocks_of(sums.name_hashes(names, 3))
        assert mine.tolist() == np.repeat(block % count, 2).tolist()
        shuffled = rows.sample(fraction=1, shuffle=True, seed=1)
        found = dict(zip(rows.to_list(), mine.tolist(), strict=True))
        again = buckets.of_names(shuffled).tolist()
        assert again == [found[name] for name in shuffled.to_list()]
