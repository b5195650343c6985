"""Data frames of Spark are scored as files are on one machine: the same values, to the bit."""

import json
import random

import numpy as np
import polars as pl
import pytest

import scorer
import scorer.spark
from scorer.core.errors import ChallengeError, PluginError, UsageError

LISTS = [f"q{n}" for n in range(40)]


def draw(role, seed=1, lists=LISTS, items=12):
    """Rows of random items of each list, with a random number."""
    chance = random.Random(seed)
    numbers = {"grade": lambda: chance.randrange(4), "rank": lambda: None}
    draw_number = numbers.get(role, chance.random)
    rows = [
        (name, f"i{item}", draw_number())
        for name in lists
        for item in chance.sample(range(30), items)
    ]
    return pl.DataFrame(rows, schema=["list", "item", role], orient="row")


def pairs(seed, lists=LISTS):
    """Some preferences among five items of each list, which do not contradict each other."""
    chance = random.Random(seed)
    rows = []
    for name in lists:
        order = chance.sample("abcde", 5)
        rows += [(name, order[n], order[n + 1]) for n in range(4)]
    return pl.DataFrame(rows, schema=["list", "better", "worse"], orient="row")


def texts(seed):
    chance = random.Random(seed)
    rows = [(name, " ".join(chance.choices("abcd", k=6))) for name in LISTS]
    return pl.DataFrame(rows, schema=["list", "text"], orient="row")


def labels(role, seed):
    chance = random.Random(seed)
    rows = [(name, chance.random() if role == "score" else chance.choice("01")) for name in LISTS]
    return pl.DataFrame(rows, schema=["list", role], orient="row")


groups = pl.DataFrame({"list": LISTS, "length": ["long", "short"] * 20, "group": ["x", "y"] * 20})

RANKING = """\
truth: truth.csv
lists: {file: lists.csv, columns: {group: group}}
metrics:
  - nDCG@10
  - AP
  - {metric: P@5, id: P, where: length == short}
  - Bpref
submission: {missing_list: zero, unknown_list: ignore}
"""
RATINGS = """\
truth: {file: truth.csv, columns: {rating: grade}}
metrics: [{metric: MAE, average: lists}, {metric: RMSE, average: lists}]
submission:
  columns: {prediction: score}
"""
PREFERENCES = "truth: truth.csv\nmetrics: [EDRC]\n"
TEXTS = """\
truth: {file: truth.csv, columns: {text: text}}
metrics: [ExactMatch, rougeL]
submission: {columns: {text: text}}
"""
LABELS = """\
truth: truth.csv
metrics: [AUROC, Accuracy]
submission: {columns: {probability: score}}
"""
POOLED = """\
truth: {file: truth.csv, columns: {rating: grade}}
metrics: [RMSE, MAE]
submission: {columns: {prediction: score}}
"""
COVERAGE = "truth: truth.csv\nmetrics: [CatalogueCoverage@3, AP]\nitems: items.csv\n"
SUBTOPICS = "truth: {file: truth.csv, columns: {subtopic: topic}}\nmetrics: [alpha_nDCG@5]\n"
scores = draw("score", 2)
subtopics = draw("grade").with_columns(topic=pl.Series(random.Random(1).choices("abcd", k=480)))
asked = draw("grade").select("list", "item").with_columns(score=pl.int_range(pl.len()) % 7 / 3)
items = pl.DataFrame({"item": [f"i{n}" for n in range(30)]})

BY_LIST = {
    "ranking": (RANKING, draw("grade"), scores, {"lists.csv": groups}),
    "ratings": (RATINGS, draw("grade"), asked, {}),
    "preferences": (PREFERENCES, pairs(1), pairs(2), {}),
    "texts": (TEXTS, texts(1), texts(2), {}),
}
TOGETHER = {
    "labels": (LABELS, labels("label", 1), labels("score", 2), {}),
    "pooled": (POOLED, draw("grade"), asked, {}),
    "subtopics": (SUBTOPICS, subtopics, scores, {}),
    "coverage": (COVERAGE, draw("grade"), scores, {"items.csv": items}),
}


def frame_of(session, frame):
    return session.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))


@pytest.fixture
def make(challenge):
    """Make a challenge and the file of a run; gives its folder and the expected report."""

    def made(yaml, truth, run, files, **options):
        texts = {name: frame.write_csv() for name, frame in files.items()}
        folder = challenge(yaml, **{"truth.csv": truth.write_csv(), **texts})
        run.write_csv(folder / "run.csv")
        return folder, scorer.score(folder, {"run": folder / "run.csv"}, **options)

    return made


def assert_same(expected, report):
    """Values are equal to the bit, and problems but for their lines."""
    [one], [other] = expected.submissions, report.submissions
    assert said(one) == said(other)
    assert one.values.keys() == other.values.keys()
    for measure, value in one.values.items():
        found = other.values[measure]
        assert np.array_equal(value.mean, found.mean, equal_nan=True), measure
        assert (value.lists, value.missing) == (found.lists, found.missing)
        if value.per_list is not None:
            assert value.per_list.tobytes() == found.per_list.tobytes(), measure


def said(submission):
    return sorted({(p.code, p.severity, p.list or "", p.item or "") for p in submission.findings})


@pytest.mark.parametrize("case", [*BY_LIST, *TOGETHER])
def test_values_are_those_of_one_machine(session, make, case):
    yaml, truth, run, files = (BY_LIST | TOGETHER)[case]
    if case == "ranking":  # lists that are missing, and others
        strange = run[:5].with_columns(list=pl.lit("strange"))
        run = pl.concat([run.filter(~pl.col("list").is_in(["q7", "q8"])), strange])
    folder, expected = make(yaml, truth, run, files)
    assert expected.submissions[0].valid, expected.submissions[0].findings
    frame = frame_of(session, run.sample(fraction=1, shuffle=True, seed=1))
    assert_same(expected, scorer.spark.evaluate(session, folder, {"run": frame}))
    if case in TOGETHER:
        with pytest.raises(UsageError, match=r"scorer\.spark\.evaluate"):
            scorer.spark.values(session, folder, frame)
        return
    rows = pl.DataFrame(scorer.spark.values(session, folder, frame).toArrow())
    for measure in expected.measures:
        of_measure = rows.filter(measure=measure.id)
        found = dict(of_measure.drop_nulls("value").select("list", "value").iter_rows())
        values = expected.per_list("run", measure.id)
        assert found == {name: value for name, value in values.items() if value == value}
        assert of_measure.height == len(LISTS)
    if case == "ranking":
        assert dict(rows.select("list", "group").iter_rows()) == dict(
            groups.select("list", "group").iter_rows()
        )


PLAIN = "truth: truth.csv\nmetrics: [AP, nDCG@3]\n"


def test_problems_are_those_of_one_machine_without_lines(session, make):
    wrong = [("q1", "i1", "x"), ("q2", "", "0.5"), ("strange", "i1", "0.5"), ("nan", "i1", "1,5")]
    wrong.append(("nan", "i2", "2"))
    run = scores.with_columns(pl.col("score").cast(pl.String))
    run = run.filter(~pl.col("list").is_in(["q5", "q6"]))
    added = pl.DataFrame(wrong, schema=run.columns, orient="row")
    run = pl.concat([run, run[3:5], run[30:31], added])
    folder, expected = make(PLAIN, draw("grade"), run, {})
    report = scorer.spark.evaluate(session, folder, {"run": frame_of(session, run)})
    [submission] = report.submissions
    assert not submission.valid
    assert said(submission) == said(expected.submissions[0])
    assert submission.findings.counts == expected.submissions[0].findings.counts
    for problem in submission.findings:
        assert (problem.line, problem.column, problem.path) == (None, None, "run")
        assert " line" not in problem.message
    messages = {p.code: p.message for p in expected.submissions[0].findings}
    found = {p.code: p.message for p in submission.findings}
    assert [found[code] for code in ("S301", "S310")] == [messages["S301"], messages["S310"]]
    with pytest.raises(Exception, match=r"error\[S30\d\]"):
        scorer.spark.values(session, folder, frame_of(session, run[:400])).collect()


def test_problems_of_rows_that_are_collected(session, make):
    run = pl.concat([labels("score", 2)[2:], labels("score", 2)[5:6]])
    folder, expected = make(LABELS, labels("label", 1), run, {})
    report = scorer.spark.evaluate(session, folder, {"run": frame_of(session, run)})
    assert said(report.submissions[0]) == said(expected.submissions[0])
    assert set(report.submissions[0].findings.counts) == {"S301", "S526"}
    assert not any(p.line for p in report.submissions[0].findings)


def test_a_warning_about_the_whole_run_is_given_if_every_bucket_says_so(session, make):
    constant = scores.with_columns(score=1.0 - pl.int_range(pl.len()) % 12 / 12)
    constant = constant.with_columns(item="i" + (pl.int_range(pl.len()) % 12).cast(pl.String))
    for run, warned in ((constant, True), (constant.with_columns(item=scores["item"]), False)):
        folder, expected = make(PLAIN, draw("grade"), run, {})
        report = scorer.spark.evaluate(session, folder, {"run": frame_of(session, run)})
        assert said(report.submissions[0]) == said(expected.submissions[0])
        assert ("S410" in report.submissions[0].findings.counts) == warned


def _ranked(*columns):
    """Each list of `scores` as 1, 2, 3, .. by its scores, with these columns."""
    rank = pl.col("score").rank("ordinal", descending=True).over("list").cast(pl.Int64)
    return scores.with_columns(rank=rank).select("list", "item", *columns)


odd = pl.int_range(pl.len()) % 2 == 1  # rows of all buckets
SUMMED = {
    "S305": (
        PLAIN + "items: items.csv",
        draw("grade"),
        scores.with_columns(
            item=pl.when(pl.int_range(pl.len()) % 12 == 1).then(pl.lit("i99")).otherwise("item")
        ),
    ),
    "S406": (PLAIN, draw("grade"), _ranked(pl.col("rank") - 1)),
    "S408": (PLAIN, draw("grade"), _ranked("rank", -pl.col("score"))),
    "S409": (
        PLAIN,
        draw("grade"),
        scores.with_columns(score=pl.when(pl.col("list") < "q3").then(0.5).otherwise("score")),
    ),
    "S505": (RATINGS + "  range: [0, 1]", draw("grade"), asked),
    "S508": (RATINGS, draw("grade"), asked.filter(odd)),
}


@pytest.mark.parametrize("code", SUMMED)
def test_a_problem_counts_the_rows_and_lists_of_all_buckets(session, make, code):
    yaml, truth, run = SUMMED[code]
    folder, expected = make(yaml, truth, run, {"items.csv": items})
    report = scorer.spark.evaluate(session, folder, {"run": frame_of(session, run)})
    messages = [
        {p.message for p in each.submissions[0].findings if p.code == code}
        for each in (expected, report)
    ]
    assert messages[0] == messages[1] != set()
    assert said(report.submissions[0]) == said(expected.submissions[0])


def test_columns_that_are_none_of_a_submission(session, make):
    folder, _ = make(PLAIN, draw("grade"), scores, {})
    frame = frame_of(session, scores)
    runs = {
        "no item": frame.drop("item"),
        "no order": frame.drop("score"),
        "flags": frame.withColumn("score", frame.score > 0.5),
    }
    report = scorer.spark.evaluate(session, folder, runs)
    codes = {s.name: {p.code for p in s.findings} for s in report.submissions}
    assert codes == {"no item": {"S201"}, "no order": {"S201"}, "flags": {"S207"}}


def test_a_truth_is_a_data_frame(session, make):
    folder, expected = make(PLAIN, draw("grade"), scores, {})
    (folder / "truth.csv").write_text("list,item,grade\nq0,i1,1\n")
    truth = frame_of(session, draw("grade"))
    runs = {"run": frame_of(session, scores)}
    assert_same(expected, scorer.spark.evaluate(session, folder, runs, truth))
    rows = scorer.spark.values(session, folder, runs["run"], truth).where("measure = 'AP'")
    found = {row["list"]: row["value"] for row in rows.collect()}
    assert found == expected.per_list("run", "AP")
    with pytest.raises(ChallengeError, match="T201"):
        scorer.spark.evaluate(session, folder, runs, truth.drop("item"))


OWN = """\
import numpy as np
from scorer import Judged, Ranked, metric


@metric("Squares", title="t", source="s")
def squares(view: Judged) -> np.ndarray:
    \"\"\"Squares.\"\"\"
    return view.hits.total() / 100


@metric("Fails", title="t", source="s")
def fails(view: Ranked) -> float:
    \"\"\"Fails.\"\"\"
    raise ValueError("the grades are " + view.name)
"""


def test_metrics_of_the_challenge_travel_with_the_plan(session, make):
    yaml = "truth: truth.csv\nplugins: [own.py]\nmetrics: [Squares, AP]\n"
    (folder := make(PLAIN, draw("grade"), scores, {})[0]).joinpath("own.py").write_text(OWN)
    (folder / "challenge.yaml").write_text(yaml)
    frame = frame_of(session, scores)
    with pytest.raises(ChallengeError, match="code of its own"):
        scorer.spark.evaluate(session, folder, {"run": frame})
    expected = scorer.score(folder, {"run": folder / "run.csv"}, allow_plugins=True)
    report = scorer.spark.evaluate(session, folder, {"run": frame}, allow_plugins=True)
    assert_same(expected, report)
    values = scorer.spark.values(session, folder, frame, allow_plugins=True)
    (folder / "own.py").unlink()  # as on the machines of a cluster
    found = {row["list"]: row["value"] for row in values.where("measure = 'Squares'").collect()}
    assert found == expected.per_list("run", "Squares")

    (folder / "own.py").write_text(OWN)
    (folder / "challenge.yaml").write_text(yaml.replace("Squares", "Fails"))
    report = scorer.spark.evaluate(session, folder, {"run": frame}, allow_plugins=True)
    [problem] = report.submissions[0].findings
    assert problem.code == "S530"
    assert "the grades are" in problem.cause


FRAIL = """\
from scorer import Ranked, metric


@metric("Frail", title="t", source="s")
def frail(view: Ranked) -> float:
    \"\"\"One.\"\"\"
    if view.name == "q7":
        raise ValueError("not of q7")
    return 1.0
"""


@pytest.mark.parametrize("is_missing", [False, True])
def test_a_metric_that_fails_in_one_bucket_fails_the_run(session, make, is_missing):
    run = scores.filter(pl.col("list") != "q7") if is_missing else scores
    yaml = (
        "truth: truth.csv\nplugins: [own.py]\nmetrics: [Frail]\nsubmission: {missing_list: zero}\n"
    )
    folder, _ = make(PLAIN, draw("grade"), scores, {})
    (folder / "own.py").write_text(FRAIL)
    (folder / "challenge.yaml").write_text(yaml)
    runs = {"run": frame_of(session, run)}
    [submission] = scorer.spark.evaluate(session, folder, runs, allow_plugins=True).submissions
    [problem] = [problem for problem in submission.findings if problem.code == "S530"]
    assert "not of q7" in problem.cause


def test_a_job_that_fails_is_one_sentence(session, make):
    from pyspark.sql import functions as F

    folder, _ = make(PLAIN, draw("grade"), scores, {})
    frame = frame_of(session, scores)
    broken = {
        "Division by zero": frame.withColumn("score", F.expr("1 / (score * 0)")),
        "RuntimeError|no such luck": frame.withColumn("score", F.udf(lucky, "double")("item")),
    }
    for cause, run in broken.items():
        with pytest.raises(PluginError, match=cause) as failed:
            scorer.spark.evaluate(session, folder, {"run": run})
        assert str(failed.value).startswith("Spark failed: ")
        assert "\tat " not in str(failed.value)
        assert str(failed.value).count("\n") == 0


def lucky(item):
    raise RuntimeError("no such luck")


@pytest.mark.parametrize(
    ("yaml", "refused"),
    [
        ("submission: {cells: {item: ' '}}", "submission.cells"),
        ("submission: {ties: file}", "no order"),
    ],
)
def test_challenges_that_data_frames_do_not_fit(session, make, yaml, refused):
    folder, _ = make(PLAIN, draw("grade"), scores, {})
    (folder / "challenge.yaml").write_text(PLAIN + yaml)
    with pytest.raises(UsageError, match=refused):
        scorer.spark.evaluate(session, folder, {"run": frame_of(session, scores)})


def test_the_command_reads_files_and_folders_of_parts(session, make, score):
    folder, expected = make(PLAIN, draw("grade"), scores, {})
    scores.write_parquet(folder / "parquet.parquet")
    scores.write_ndjson(folder / "json.jsonl")
    rows = [f"{name} Q0 {item} 1 {score!r}  tag" for name, item, score in scores.iter_rows()]
    (folder / "trec.run").write_text("\n".join(["# a comment", "#made by hand", *rows, ""]))
    (folder / "comma.csv").write_text(
        scores.write_csv(quote_style="always", line_terminator="\r\n")
    )
    (folder / "blanks.csv").write_text(scores.write_csv().replace(",", " , "))
    (parts := folder / "parts").mkdir()
    (parts / "_SUCCESS").touch()
    for n in range(3):
        scores[n::3].write_csv(parts / f"part-{n}.csv")
    names = ["comma.csv", "blanks.csv", "json.jsonl", "parquet.parquet", "trec.run", "parts"]
    words = [*(folder / name for name in names), f"named=file://{folder}/run.csv"]
    ran = score(folder, *words, "--engine", "spark", "--format", "json", "--per-list")
    assert ran.code == 0, ran.err
    board = json.loads(ran.out)["leaderboard"]
    assert {row["name"] for row in board} == {*(name.partition(".")[0] for name in names), "named"}
    for row in board:
        assert row["values"]["AP"] == expected.mean("run", "AP")


def test_what_spark_cannot_read_is_said(session, make, score):
    folder, _ = make(PLAIN, draw("grade"), scores, {})
    (folder / "a.lists").write_text("q1: i1\n")
    ran = score(folder, folder / "a.lists", "--engine", "spark")
    assert (ran.code, ran.out) == (2, "")
    assert "lists is not read by Spark" in ran.err
    ran = score(folder, folder / "run.csv", "--engine", "sparc")
    assert (ran.code, ran.out) == (2, "")
    assert "no engine is called 'sparc'; did you mean 'spark'?" in ran.err


def test_a_file_that_spark_cannot_read_costs_no_other_its_values(session, make, score):
    folder, expected = make(PLAIN, draw("grade"), scores, {})
    (folder / "long.csv").write_text(scores.write_csv() + "q1,i1,2,9\n")
    (folder / "odd.jsonl").write_text(scores.write_ndjson() + "{]\n")
    names = ["run.csv", "long.csv", "odd.jsonl", "lost.csv"]
    words = [folder / name for name in names]
    ran = score(folder, *words, "--engine", "spark", "--format", "json")
    assert ran.code == 1, ran
    found = {each["name"]: each for each in json.loads(ran.out)["submissions"]}
    codes = {name: [p["code"] for p in each["problems"]] for name, each in found.items()}
    assert codes == {"run": [], "long": ["S207"], "odd": ["S207"], "lost": ["S101"]}
    assert found["run"]["values"]["AP"]["mean"] == expected.mean("run", "AP")
    assert "lost.csv: error[S101] Spark failed: [PATH_NOT_FOUND] Path does not exist" in ran.err
    assert "Malformed CSV record" in ran.err
