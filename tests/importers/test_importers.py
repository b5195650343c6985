"""Files of evaluation tools: the challenge and the board that they make, or why they make none."""

import json
from pathlib import Path

import pytest
import yaml

from scorer.importers import results

DATA = yaml.safe_load(Path(__file__).with_name("results.yaml").read_text(encoding="utf-8"))


def samples(*values):
    """Samples of lm-evaluation-harness, of each its two values."""
    rows = [
        {"doc_id": number, "filter": "none", "metrics": ["acc", "perplexity"],
         "resps": [["4"]], "filtered_resps": ["4"], "acc": acc, "perplexity": perplexity}
        for number, (acc, perplexity) in enumerate(values)
    ]  # fmt: skip
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def cases(part):
    return [pytest.param(case, id=case["name"]) for case in DATA[part]]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the files of a case into the folder `in` of the current one."""
    monkeypatch.chdir(tmp_path)

    def write(case):
        for name, text in case["files"].items():
            path = Path("in", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


@pytest.mark.slow("writes and reads a challenge a row", beyond=8)
@pytest.mark.parametrize("case", cases("results"))
def test_results_of_a_tool_make_a_challenge(score, write, case):
    write(case)
    folder = Path("made")
    ran = score("init", "--from", "in", folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1] == case["says"]
    made = yaml.safe_load((folder / "challenge.yaml").read_text(encoding="utf-8"))
    assert made == {"scorer": 1} | case["challenge"]
    assert (folder / "cases.csv").read_text(encoding="utf-8") == case["cases"]
    systems = {path.name: path.read_text("utf-8") for path in (folder / "systems").iterdir()}
    assert systems == case["systems"]
    assert score("lint", folder).code == 0


@pytest.mark.parametrize("case", cases("refused"))
def test_what_is_wrong_is_said_at_its_place(score, write, case):
    write(case)
    ran = score("init", "--from", "in", "made")
    assert (ran.code, ran.out, ran.err.splitlines()) == (2, "", [case["says"]])
    assert not Path("made").exists()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("d.json", b'{"resolved": ' + b"[" * 100_000 + b', "no_logs": 1', "nested too deeply"),
        ("b.json", b'{"resolved": "\xff", "no_logs": []}', "b.json:1: error[T105] this is not UTF"),
    ],
)
def test_damaged_files_are_refused(score, tmp_path, monkeypatch, name, data, says):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    ran = score("values", name)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_folder_of_too_many_files_is_refused_not_cut(score, write, monkeypatch):
    monkeypatch.setattr(results, "MOST_FILES", 2)  # the disk takes minutes for 100,001 files
    write({"files": {f"{number}.json": "{}" for number in range(3)}})
    score("values", "in").assert_exit(2, err="in has more than 2 files")


def test_the_file_of_a_system_with_a_long_name(score, write):
    name = "x" * 400
    scores = {"test": [{"hf_subset": "en", "main_score": 0.5, "languages": ["eng-Latn"]}]}
    result = {"dataset_revision": "1", "task_name": "T", "mteb_version": "1.38.0", "scores": scores}
    files = {
        "s/1/T.json": json.dumps(result),
        "s/1/model_meta.json": json.dumps({"name": name, "revision": "1"}),
    }
    write({"files": files})
    assert score("init", "--from", "in", "made").code == 0
    assert [path.name for path in Path("made/systems").iterdir()] == [f"{name[:150]}.csv"]


@pytest.mark.parametrize("text", [*DATA["others"], "\0\0"])
def test_other_files_are_of_no_tool(score, write, text):
    write({"files": {"run.jsonl": samples((1.0, 1.0))}})
    Path("file").write_text(text)
    ran = score("init", "--from", "in/run.jsonl", "file", "made")
    says = "error: file: no results of a tool that is known"
    assert (ran.code, ran.err.splitlines()) == (2, [says])


def test_what_init_needs_is_said(score, write):
    write({"files": {"a.jsonl": samples((1.0, 1.0))}})
    ran = score("init", "--from", "in/a.jsonl", "no", "made")
    assert (ran.code, "no is no file or folder" in ran.err) == (2, True)
    score("init", "--from", "in/a.jsonl").assert_exit(2, err="score init --from RESULTS... DIR")


@pytest.mark.slow("scores a board")
def test_the_value_of_a_system_is_the_mean_of_its_tasks(score, write):
    def sample(number, acc):
        return json.dumps(
            {"doc_id": number, "filter": "none", "metrics": ["acc"], "doc_hash": "a", "acc": acc,
             "resps": [["4"]], "filtered_resps": ["4"]}
        )  # fmt: skip

    date = "2025-01-02T03-04-05.678901"
    files = {}
    for model, right in (("X", (1.0, 1.0, 0.0)), ("Y", (0.0, 0.0, 1.0))):  # of tasks a, a, b
        files[f"{model}/samples_a_{date}.jsonl"] = f"{sample(0, right[0])}\n{sample(1, right[1])}\n"
        files[f"{model}/samples_b_{date}.jsonl"] = f"{sample(2, right[2])}\n"
    write({"files": files})
    assert score("init", "--from", "in/X", "in/Y", "made").code == 0
    ran = score("made", "made/systems", "--format", "csv")
    means = [line.split(",")[1:3] for line in ran.out.splitlines()[1:]]
    assert means == [["X", "0.5"], ["Y", "0.5"]]  # of the means of a and b, not of three cases


@pytest.fixture
def runs(write):
    """Two systems whose files have one name, and tables that are of no tool."""
    write(
        {
            "files": {
                "old/run/samples_t.jsonl": samples((1.0, 1.0), (0.0, 2.0)),
                "new/run/samples_t.jsonl": samples((1.0, 1.0), (0.0, 2.0)),
                "table.csv": "case,dice\na,1\n",
                "many.csv": "alg_name,case,value\nA,1,2\nB,1,3\n",
            }
        }
    )


def values_of(ran):
    """Name -> measure -> mean."""
    assert ran.code == 0, ran
    return {
        each["name"]: {key: value["mean"] for key, value in each["values"].items()}
        for each in json.loads(ran.out)["submissions"]
    }


@pytest.mark.usefixtures("runs")
@pytest.mark.slow("scores a board")
def test_a_name_stands_for_a_file_that_has_none(score):
    ran = score(
        "values", "A=in/old/run/samples_t.jsonl", "B=in/new/run/samples_t.jsonl", "--format", "json"
    )
    assert values_of(ran) == {
        "A": {"acc": 0.5, "perplexity": 1.5},
        "B": {"acc": 0.5, "perplexity": 1.5},
    }
    assert "taken for files of lm-evaluation-harness: 2 systems, 2 cases, ranked by acc" in ran.err
    better = {each["id"]: each["better"] for each in json.loads(ran.out)["measures"]}
    assert better == {"acc": "higher", "perplexity": "lower"}
    assert [row["rank"] for row in json.loads(ran.out)["leaderboard"]] == [1, 1]


@pytest.mark.usefixtures("runs")
def test_a_given_name_stands_for_files_of_equal_names_though_it_is_that_of_the_folder(score):
    ran = score("values", "old=in/old", "new=in/new", "--format", "json")
    assert values_of(ran) == {
        "old": {"acc": 0.5, "perplexity": 1.5},
        "new": {"acc": 0.5, "perplexity": 1.5},
    }


@pytest.mark.usefixtures("runs")
def test_a_file_that_cannot_be_read_is_refused_and_the_others_stand(score):
    Path("in/bad").mkdir()
    Path("in/bad/samples_t.jsonl").write_text(samples((1.0, 1.0)) + '{"doc_id": 1, ')
    ran = score("values", "in/old", "in/bad", "--format", "json")
    ran.assert_exit(1, err="in/bad/samples_t.jsonl:2: error[T107] this is not JSON: ends early")
    (row,) = json.loads(ran.out)["leaderboard"]
    assert (row["name"], row["values"]) == ("run", {"acc": 0.5, "perplexity": 1.5})


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"m/t.eval": "PK"}, "in/m: error[T107] this is no file of lm-evaluation"),
        (
            {"m/samples_t.jsonl": samples((1.0, 1.0)).replace('"doc_id": 0', '"doc_id": [0]')},
            "in/m/samples_t.jsonl:1: error[T107] 'doc_id' is a list, not a text or a number",
        ),
        (
            {"m/samples_t.jsonl": samples((1.0, 1.0)) * 2},
            "in/m/samples_t.jsonl:2: error[T107] document '0' has 'acc' twice (first on line 1)",
        ),
        (
            {"x/run/samples_t.jsonl": samples((0.5, 1.0), (0.5, 2.0))},
            "in/x/run/samples_t.jsonl: error[T107] case 't/0' of 'run' is in in/old/run"
        ),
    ],
    ids=["of another tool", "of a wrong type", "with a document twice", "with a name twice"],
)  # fmt: skip
def test_a_faulty_system_keeps_no_other_off_the_board(score, write, files, says):
    write({"files": files})
    (faulty,) = {Path("in", name).parts[1] for name in files}
    Path("in/new/run").rename("in/new/other")
    ran = score("values", "in/old", f"in/{faulty}", "in/new", "--format", "json")
    assert says in ran.err
    assert [row["name"] for row in ran.json(1)["leaderboard"]] == ["other", "run"]


OF_ANOTHER_TOOL = {
    "dataset_revision": "1",
    "task_name": "T",
    "mteb_version": "1.38.0",
    "scores": {"test": [{"hf_subset": "en", "main_score": 0.5, "languages": ["eng-Latn"]}]},
    "evaluation_time": 2.5,
}


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    "text", ["", "<html></html>", "case,acc\nt/0,1\n", json.dumps(OF_ANOTHER_TOOL)]
)
def test_a_file_of_another_kind_is_refused_where_most_are_of_one_tool(score, text):
    Path("other.json").write_text(text)
    files = ["old=in/old", "other.json", "new=in/new"]
    ran = score("values", *files, "--format", "json")
    says = "error[T107] this is no file of lm-evaluation-harness, as most of the others are"
    assert f"other.json: {says}" in ran.err
    assert [row["name"] for row in ran.json(1)["leaderboard"]] == ["new", "old"]


@pytest.mark.parametrize(
    ("metric", "better"), [("loss", "lower"), ("mean_error", "lower"), ("exact_match", "higher")]
)
def test_the_direction_of_a_value_is_known_by_its_name(score, write, metric, better):
    lines = [{"doc_id": n, "filtered_resps": [], "metrics": [metric], metric: n} for n in (1, 2)]
    write({"files": {"s.jsonl": "\n".join(map(json.dumps, lines))}})
    for words in ([], ["--lower", metric], ["--higher", metric]):
        ran = score("values", "m=in/s.jsonl", *words, "--format", "json")
        (measure,) = json.loads(ran.out)["measures"]
        assert measure["better"] == (words[0].removeprefix("--") if words else better)
    ran = score("init", "--from", "in", "made")
    assert f"ranked by {metric}, {better} is better" in ran.out


@pytest.mark.parametrize(
    ("metric", "filter", "better"),
    [
        ("brier_score", "x", "lower"),
        ("bits_per_byte", "x", "lower"),
        ("loss", "best_score", "lower"),
        ("acc", "least_error", "higher"),
    ],
)
def test_the_filter_of_a_value_does_not_change_its_direction(score, write, metric, filter, better):
    sample = {"doc_id": 1, "filtered_resps": [], "filter": filter, "metrics": [metric], metric: 1}
    write({"files": {"s.jsonl": json.dumps(sample)}})
    ran = score("init", "--from", "in", "made")
    assert f"ranked by {metric},{filter}, {better} is better" in ran.out


@pytest.mark.usefixtures("runs")
def test_values_are_chosen(score):
    ran = score(
        "values", "A=in/old/run/samples_t.jsonl", "--value", "perplexity", "--format", "json"
    )
    assert values_of(ran) == {"A": {"perplexity": 1.5}}


@pytest.mark.usefixtures("runs")
def test_what_is_said_of_columns_is_of_a_table(score):
    ran = score("values", "in/many.csv", "--system", "alg_name", "--format", "json")
    assert values_of(ran) == {"A": {"value": 2.0}, "B": {"value": 3.0}}
    assert "taken for files of" not in ran.err


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["A=in/old/run/samples_t.jsonl", "table=in/table.csv"],
            "table.csv': no results of a tool that is",
        ),
        (["A=in/old", "--value", "perplexty"], "'perplexty'; did you mean 'perplexity'?"),
        (["A=in/old", "--lower", "cost"], "called 'cost' (there are 'acc', 'perplexity')"),
    ],
)
def test_what_does_not_go_together_is_refused(score, words, says):
    score("values", *words).assert_exit(2, err=says)


@pytest.mark.slow("scores a board")
def test_the_mean_of_helm_is_over_scenarios_however_many_runs_each_has(score, write):
    def stats(mean):
        name = {"name": "exact_match", "split": "test"}
        stat = {"name": name, "count": 1, "mean": mean}
        return json.dumps([{"instance_id": "i", "train_trial_index": 0, "stats": [stat]}])

    runs = {"mmlu:subject=law,": 1.0, "mmlu:subject=math,": 0.0, "boolq:": 1.0}
    write({"files": {f"{run}model=m/per_instance_stats.json": stats(v) for run, v in runs.items()}})
    assert score("init", "--from", "in", "made").code == 0
    assert Path("made/cases.csv").read_text("utf-8") == (
        "case,scenario,run,share\n"
        "boolq/i,boolq,boolq,1.0\n"
        "mmlu:subject=law/i,mmlu,mmlu:subject=law,0.5\n"
        "mmlu:subject=math/i,mmlu,mmlu:subject=math,0.5\n"
    )
    assert values_of(score("made", "made/systems", "--format", "json")) == {
        "m": {"exact_match": 0.75}
    }
