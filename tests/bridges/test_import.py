"""Bundles in the forms that platforms document, made here: what a challenge keeps of them."""

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from scorer.bridges.export import bundle_for
from scorer.challenge.load import load

ROOT = Path(__file__).parents[2]
CLASSES = "id,label\n" + "".join(f"r{n},{'ab'[n % 2]}\n" for n in range(20))
NUMBERS = "id,target\n" + "".join(f"r{n},{n / 7:.3f}\n" for n in range(20))
LISTS = "user,item\n" + "".join(f"u{n},i{n % 5}\nu{n},i{n % 3 + 5}\n" for n in range(10))
QRELS = "".join(f"q{n} 0 d{m} {m % 3}\n" for n in range(5) for m in range(6))
BINARY = bytes(range(256))
SCRIPT = "print('scores')\n"
# each level merges the one before nine times: hundreds of millions, written out
MERGED = "a: &a {k: 1}\n" + "".join(
    f"{now}: &{now}\n  <<: [{', '.join([f'*{before}'] * 9)}]\n"
    for before, now in zip("abcdefgh", "bcdefghi", strict=True)
)


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def codabench(truth, name="truth.csv", columns=(("accuracy", "desc"),), phases=2, nested=False,
              top="", **more):  # fmt: skip
    said = {
        "version": 2, "title": "A task", "description": "Say which.", "image": "logo.png",
        "terms": "terms.md", "pages": [{"title": "Overview", "file": "overview.md"}],
        "tasks": [{"index": 0, "name": "t", "scoring_program": "scoring_program",
                   "reference_data": "reference_data"}],
        "phases": [{"index": n, "name": f"phase {n}", "start": f"2026-0{n + 1}-01 00:00:00",
                    "end": f"2026-0{n + 1}-20 12:00:00", "tasks": [0],
                    "max_submissions_per_day": 5, "max_submissions": 40} for n in range(phases)],
        "leaderboards": [{"title": "R", "key": "main", "columns": [
            {"title": key, "key": key, "index": n, "sorting": sorting}
            for n, (key, sorting) in enumerate(columns)]}],
        "fact_sheet": {"method": {"key": "method", "type": "text", "title": "Method",
                                  "selection": "", "is_required": "true",
                                  "is_on_leaderboard": "true"}},
        **more,
    }  # fmt: skip
    files = {"competition.yaml": yaml.safe_dump(said), "overview.md": "# Hello\n"}
    program, reference = {"score.py": SCRIPT, "metadata": "command: x"}, {name: truth}
    if nested:
        files |= {"scoring_program.zip": zipped(program), "reference_data.zip": zipped(reference)}
    else:
        files |= {f"scoring_program/{key}": text for key, text in program.items()}
        files |= {f"reference_data/{key}": text for key, text in reference.items()}
    return {f"{top}{key}": text for key, text in files.items()}


def codalab(truth, columns=(("acc", "desc"),), name="truth.csv"):
    said = {
        "title": "An old task", "description": "Say which.", "end_date": "2026-03-01",
        "html": {"overview": "overview.html", "terms": "terms.html"},
        "phases": {n: {"phasenumber": n, "label": f"Phase {n}", "start_date": f"2026-0{n}-01",
                       "max_submissions": 100, "max_submissions_per_day": 3,
                       "reference_data": "reference.zip", "scoring_program": "program.zip"}
                   for n in (1, 2)},
        "leaderboard": {"leaderboards": {"RESULTS": {"label": "Results", "rank": 1}}, "columns": {
            key: {"leaderboard": {"label": "Results"}, "label": key, "rank": n, "sort": sort}
            for n, (key, sort) in enumerate(columns, 1)}},
    }  # fmt: skip
    return {
        "competition.yaml": yaml.safe_dump(said), "overview.html": "<p>Hello</p>",
        "reference.zip": zipped({name: truth}), "program.zip": zipped({"evaluate.py": SCRIPT}),
    }  # fmt: skip


def evalai(truth, labels=("accuracy",), lower=(), name="truth.csv"):
    said = {
        "title": "A challenge", "short_description": "Say which.",
        "description": "templates/description.html", "evaluation_script": "evaluation_script.zip",
        "leaderboard": [{"id": 1, "schema": {"labels": list(labels), "default_order_by": labels[-1],
                         "metadata": {label: {"sort_ascending": label in lower}
                                      for label in labels}}}],
        "challenge_phases": [{"id": 1, "name": "Dev", "codename": "dev",
                              "start_date": "2026-01-01 00:00:00",
                              "end_date": "2026-02-01 00:00:00",
                              "test_annotation_file": f"annotations/{name}",
                              "max_submissions_per_day": 5, "max_submissions": 50}],
        "dataset_splits": [{"id": 1, "name": "Test", "codename": "test"}],
    }  # fmt: skip
    return {
        "challenge_config.yaml": yaml.safe_dump(said), "templates/description.html": "<p>Hi</p>",
        "evaluation_script.zip": zipped({"__init__.py": "", "main.py": SCRIPT}),
        f"annotations/{name}": truth,
    }  # fmt: skip


SAMPLE = "id,label\n" + "".join(f"r{n},a\n" for n in range(20))
METRIC = """
import pandas as pd
class ParticipantVisibleError(Exception):
    pass
def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str) -> float:
    return float((solution["label"] == submission["label"]).mean())
"""
# platform, files, kind, measures
BUNDLES = {
    "classes": ("codabench", codabench(CLASSES), "labels", ["Accuracy"]),
    "a folder around it": ("codabench", codabench(CLASSES, top="bundle/"), "labels", ["Accuracy"]),
    "archives": ("codabench", codabench(CLASSES, nested=True), "labels", ["Accuracy"]),
    "several columns": (
        "codabench", codabench(CLASSES, columns=[("F1_macro", "desc"), ("mcc", "desc")]),
        "labels", ["F1(average=macro)", "MCC"],
    ),
    "a column of its own": (
        "codabench", codabench(CLASSES, columns=[("acc", "desc"), ("our_score", "desc")]),
        "labels", ["Accuracy"],
    ),
    "numbers": (
        "codabench", codabench(NUMBERS, columns=[("rmse", "asc"), ("r2", "desc")]),
        "labels", ["RMSE", "R2"],
    ),
    "a direction that is wrong": (
        "codabench", codabench(NUMBERS, columns=[("rmse", "desc"), ("MAE", "asc")]),
        "labels", ["MAE"],
    ),
    "lists": (
        "codabench", codabench(LISTS, columns=[("ndcg@10", "desc"), ("map", "desc")]),
        "grades", ["nDCG@10", "AP"],
    ),
    "qrels": (
        "codabench", codabench(QRELS, "qrels.txt", columns=[("P_5", "desc")]), "grades", ["P@5"],
    ),
    "no phase": ("codabench", codabench(CLASSES, phases=0), "labels", ["Accuracy"]),
    "no answers": (
        "codabench", codabench(BINARY, "weights.bin", columns=[("dice", "desc"), ("s", "asc")]),
        "values", ["dice", "s"],
    ),
    "1.5": ("codalab", codalab(CLASSES), "labels", ["Accuracy"]),
    "1.5 of numbers": ("codalab", codalab(NUMBERS, [("RMSE", "asc")]), "labels", ["RMSE"]),
    "1.5 of lists": ("codalab", codalab(LISTS, [("MRR", "desc")]), "grades", ["RR"]),
    "1.5 as codabench": ("codabench", codalab(CLASSES), "labels", ["Accuracy"]),
    "1.5 without answers": (
        "codalab", codalab(BINARY, [("set1_score", "desc")], "model.bin"), "values", ["set1_score"],
    ),
    "evalai": ("evalai", evalai(CLASSES), "labels", ["Accuracy"]),
    "evalai of numbers": (
        "evalai", evalai(NUMBERS, ["MAE", "RMSE"], ["MAE", "RMSE"]), "labels", ["RMSE", "MAE"],
    ),
    "evalai without answers": (
        "evalai", evalai(BINARY, ["CIDEr"], name="captions.bin"), "values", ["CIDEr"],
    ),
    "kaggle": (
        "kaggle", {"solution.csv": CLASSES, "sample_submission.csv": SAMPLE, "metric.py": METRIC},
        "frames", ["metric"],
    ),
    "kaggle without a metric": (
        "kaggle", {"data/solution.csv": CLASSES, "data/sample_submission.csv": SAMPLE},
        "labels", ["Accuracy"],
    ),
}  # fmt: skip


def written(files, folder):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


ZIPPED = [(name, True) for name in ("a folder around it", "archives", "1.5", "kaggle")]


@pytest.mark.slow("makes a challenge of each bundle and lints it", beyond=6)
@pytest.mark.parametrize(("name", "archive"), [*ZIPPED, *((name, False) for name in BUNDLES)])
def test_a_bundle_becomes_a_challenge(name, archive, score, tmp_path):
    platform, files, kind, measures = BUNDLES[name]
    bundle = written(files, tmp_path / "bundle")
    if archive:
        bundle = tmp_path / "bundle.zip"
        bundle.write_bytes(zipped(files))
    ran = score("import", platform, bundle, tmp_path / "made")
    assert ran.code == 0, ran
    made = tmp_path / "made"
    said = yaml.safe_load((made / "challenge.yaml").read_text())
    found = [m if isinstance(m, str) else m.get("kaggle", m.get("metric", "")).split(".")[0]
             for m in said.get("metrics", said["submission"].get("values", []))]  # fmt: skip
    if "metric" in measures or kind == "values" or name != "kaggle without a metric":
        assert found == measures, ran
    challenge = load(made)
    if platform != "kaggle":
        assert challenge.title in ("A task", "An old task", "A challenge")
        phases = [p for p in challenge.phases if p.after is None]
        if name != "no phase":
            assert phases[0].opens == datetime.fromisoformat("2026-01-01T00:00:00+00:00")
            assert phases[0].quota.per_day in (3, 5)
        assert any(path.name.endswith(".py") for path in (made / "imported").rglob("*"))
    if platform == "codabench" and "1.5" not in name:
        assert challenge.questions["method"].required
    if kind not in ("values", "frames"):
        truth = challenge.truth.file
        assert score("lint", made).code == 0
        assert truth.exists()


def test_what_is_not_translated_is_said(score, tmp_path):
    bundle = written(BUNDLES["a column of its own"][1], tmp_path / "bundle")
    ran = score("import", "codabench", bundle, tmp_path / "made")
    assert "no measure here is called 'our_score'" in ran.out
    assert "column 'acc' is measured as Accuracy" in ran.out
    assert "are kept in imported/, none of which is run" in ran.out
    bundle = written(BUNDLES["no answers"][1], tmp_path / "other")
    assert (
        "no file of the reference data shows answers"
        in score("import", "codabench", bundle, tmp_path / "values").out
    )


@pytest.mark.slow("lints a challenge three times", beyond=1)
@pytest.mark.parametrize("platform", ["codabench", "evalai"])
def test_an_exported_challenge_comes_back_as_it_was(platform, score, tmp_path):
    course = ROOT / "challenges" / "course-2026"
    made = bundle_for(platform, load(course))
    bundle = written(made.files, tmp_path / "bundle")
    assert score("import", platform, bundle, tmp_path / "made").code == 0
    again = bundle_for(platform, load(tmp_path / "made"))
    assert again.files == made.files


@pytest.mark.slow("keeps a board")
def test_entries_come_with_their_times(score, tmp_path):
    bundle = written(codabench(CLASSES), tmp_path / "bundle")
    archive = tmp_path / "entries.zip"
    wrong = CLASSES.replace("r0,a", "r0,b")
    archive.write_bytes(zipped({"7/prediction.csv": CLASSES, "9/prediction.csv": wrong}))
    table = tmp_path / "entries.csv"
    table.write_text(
        "id,owner,created_when\n9,blue,2026-01-03 10:00:00\n7,red,2026-01-02T09:00:00Z\n"
    )
    words = ["import", "codabench", bundle, tmp_path / "made", "--entries", archive, table]
    ran = score(*words)
    assert ran.code == 0, ran
    told = json.loads(score("log", tmp_path / "made", "--format", "json").out)
    times = [event["time"] for event in told["events"] if event["kind"] == "entry"]
    assert times, (ran, told)
    assert [time[:19] for time in times] == ["2026-01-02T09:00:00", "2026-01-03T10:00:00"]
    board = json.loads(score("board", tmp_path / "made", "--format", "json").out)
    assert [row["team"] for row in board["leaderboard"]] == ["red", "blue"]


@pytest.mark.parametrize(
    ("platform", "files", "said"),
    [
        ("codabench", {"readme.txt": "x"}, "the bundle has no competition.yaml"),
        ("codabench", {"competition.yaml": "a: [\n"}, "competition.yaml:2: "),
        ("codabench", {"competition.yaml": "7"}, "competition.yaml says nothing"),
        ("evalai", {"x.yaml": "a: 1"}, "the bundle has no challenge_config.yaml"),
        ("kaggle", {"train.csv": "a\n1\n"}, "the bundle has no solution.csv"),
        ("codalap", {"competition.yaml": "a: 1"}, "did you mean 'codalab'"),
        ("codabench", {"../evil.txt": "x", "competition.yaml": "a: 1"}, "leads out of it"),
        (
            "codabench",
            {"competition.yaml": "phases: [x]\nversion: 2"},
            "competition.yaml:1: phases[0]: 'x' is not a mapping",
        ),
        (
            "codabench",
            {"competition.yaml": "version: 2\nleaderboards:\n- columns:\n    a: 1"},
            "competition.yaml:4: leaderboards[0].columns: a mapping is not a list",
        ),
        (
            "codabench",
            {"competition.yaml": "version: 2\ntitle:\n- a"},
            "competition.yaml:3: title: a list is not a text",
        ),
        ("codabench", {"competition.yaml": "a: 2026-13-01"}, "competition.yaml: month must be in"),
        (
            "codabench",
            {"competition.yaml": "a: " + "[" * 5000},
            "competition.yaml:1: nested more than",
        ),
        ("codabench", {"competition.yaml": MERGED}, "competition.yaml:9: more than 10,000 values"),
        (
            "codalab",
            {"competition.yaml": "phases: [1]"},
            "competition.yaml:1: phases: a list is not a mapping",
        ),
        (
            "codalab",
            {"competition.yaml": "leaderboard:\n  columns:\n    a: {rank: x}"},
            "competition.yaml:3: leaderboard.columns.a.rank: 'x' is not a whole number",
        ),
        (
            "evalai",
            {"challenge_config.yaml": "title: a\nleaderboard: {a: 1}"},
            "challenge_config.yaml:2: leaderboard: a mapping is not a list",
        ),
        ("kaggle", {"challenge/challenge.yaml": "a: ["}, "makes no challenge: challenge.yaml:1:5"),
    ],
)
def test_what_is_no_bundle(platform, files, said, score, tmp_path):
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(zipped(files))
    ran = score("import", platform, bundle, tmp_path / "made")
    assert ran.code == 2, ran
    assert said in ran.err
    assert not (tmp_path / "made").exists()
    bundle.write_bytes(b"no zip")
    assert (
        "is neither a folder nor a zip file"
        in score("import", "kaggle", bundle, tmp_path / "made").err
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("id,created_when\n7,2026-01-02\n", "no column team or team_name"),
        ("id,team,time\n7,red,soon\n", ":2: 'soon' is no time"),
        ("id,team,time\n8,red,2026-01-02\n", ":2: '8' is no file of"),
    ],
)
def test_entries_that_cannot_be_read_make_nothing(table, said, score, tmp_path):
    bundle = written(codabench(CLASSES), tmp_path / "bundle")
    (tmp_path / "e.zip").write_bytes(zipped({"7/p.csv": CLASSES}))
    (tmp_path / "e.csv").write_text(table)
    ran = score("import", "codabench", bundle, tmp_path / "made", "--entries", tmp_path / "e.zip",
                tmp_path / "e.csv")  # fmt: skip
    assert ran.code == 2, ran
    assert said in ran.err
    assert not (tmp_path / "made").exists()
