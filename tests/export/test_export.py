"""Bundles for platforms: what each platform's own code would refuse or misread."""

import ast
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
import yaml
from conftest import COMMAND
from export.rehearsal import RUNS, SHOWN_SPLITS, Worker

import scorer
from scorer.challenge.load import load
from scorer.export.base import TEMPLATES, read_challenge_files, unsupported_features
from scorer.export.bundle import EXPORTERS, export_bundle, make_context
from scorer.reading.write import write_folder
from scorer.scoring.bind import bind

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges" / "course-2026"
GLUE = ROOT / "challenges" / "gallery" / "glue"
SENT = ROOT / "submissions_example" / "course-2026"
NAMES = [*EXPORTERS]
TRUTHS = {  # of each bundle, the files that hold the answers
    "codabench": "reference_data/",
    "evalai": "annotations/",
    "github-classroom": "answers/",
    "gradescope": "challenge/",
    "grand-challenge": "ground_truth.tar.gz",
    "tira": "truths/",
}
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


@pytest.fixture(scope="module")
def bundles():
    """A bundle for each platform; what all are made of is made once."""
    context = make_context(bind(load(COURSE)))
    return {name: EXPORTERS[name](context) for name in NAMES}


def read(bundle, name):
    data = bundle.files[name].decode()
    return json.loads(data) if name.endswith(".json") else yaml.safe_load(data)


def texts(name, data):
    """The files of a file: of an archive those in it, too."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {f"{name}!{each}": archive.read(each) for each in archive.namelist()}
    if name.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {f"{name}!{m.name}": archive.extractfile(m).read() for m in archive.getmembers()}
    return {name: data}


def test_what_runs_there_is_for_python_3_7_and_the_standard_library():
    for path in TEMPLATES.glob("*.py.in"):
        tree = ast.parse(path.read_text(), feature_version=(3, 7))
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                    for alias in node.names}  # fmt: skip
        assert "scorer" not in imported
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]


@pytest.mark.parametrize("name", NAMES)
def test_answers_stand_in_one_place_and_the_kit_has_none(name, bundles):
    truth = load(COURSE).truth.file.read_bytes()
    holding = [
        place
        for file, data in bundles[name].files.items()
        for place, text in texts(file, data).items()
        if truth in text
    ]
    assert holding
    assert all(place.startswith(TRUTHS[name]) for place in holding), holding
    assert any(".yaml" in place for file, data in bundles[name].files.items()
               for place in texts(file, data))  # fmt: skip


def test_the_key_of_the_fingerprint_comes_along_and_the_store_does_not(challenge):
    folder = challenge()
    (folder / ".scorer-key").write_text("5" * 64)
    (folder / ".scorer").mkdir()
    (folder / ".scorer" / "board.db").write_text("")
    assert set(read_challenge_files(load(folder))) == {".scorer-key", "challenge.yaml", "truth.csv"}


def test_codabench_keeps_times_keys_and_order(bundles):
    """Unquoted times lose their hours, offsets are dropped, longer keys are refused."""
    text = bundles["codabench"].files["competition.yaml"].decode()
    said = yaml.safe_load(text)
    assert re.findall(rf"(?:start|end): '({TIME})'", text)
    assert not re.search(rf"(?:start|end): {TIME}", text)
    opens = load(COURSE).phases[0].opens
    first = datetime.fromisoformat(said["phases"][0]["start"] + "+00:00")
    assert first == opens
    assert {"title", "image", "terms", "docker_image", "pages", "leaderboards"} <= set(said)
    (board,) = said["leaderboards"]
    keys = [column["key"] for column in board["columns"]]
    assert len(set(keys)) == len(keys)
    assert all(len(key) <= 36 and len(column["title"]) <= 36
               for key, column in zip(keys, board["columns"], strict=True))  # fmt: skip
    assert [column["index"] for column in board["columns"]] == list(range(len(keys)))
    for page in said["pages"]:
        assert bundles["codabench"].files[page["file"]].strip()
    for before, after in zip(said["phases"], said["phases"][1:], strict=False):
        assert before["end"] < after["start"]
    for task in said["tasks"]:
        assert f"{task['scoring_program']}/metadata.yaml" in bundles["codabench"].files
    dockerfile = bundles["codabench"].files["Dockerfile"].decode()
    assert dockerfile.startswith(f"FROM {said['docker_image'].removesuffix('-codabench')}\n")
    assert "USER root\nENTRYPOINT []" in dockerfile
    facts = {"key", "type", "title", "selection", "is_required", "is_on_leaderboard"}
    assert said["fact_sheet"]
    assert all(set(fact) == facts and fact["key"] == key
               for key, fact in said["fact_sheet"].items())  # fmt: skip


def test_evalai_has_every_file_and_hides_the_private_split(bundles):
    bundle = bundles["evalai"]
    said = read(bundle, "challenge_config.yaml")
    texts = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")
    for word in (*texts, "image", "evaluation_script"):
        assert bundle.files[said[word]].strip()
    assert all(said[word].endswith(".html") for word in texts)
    assert said["evaluation_script"].endswith(".zip")
    assert len(said["title"]) <= 100
    schema = said["leaderboard"][0]["schema"]
    assert schema["default_order_by"] in schema["labels"]
    names = {split["id"]: split["codename"] for split in said["dataset_splits"]}
    seen = {names[p["dataset_split_id"]]: p["visibility"] for p in said["challenge_phase_splits"]}
    assert seen == {"public": 3, "private": 1}
    assert said["start_date"] <= said["end_date"]
    assert all(phase["test_annotation_file"] in bundle.files for phase in said["challenge_phases"])


@pytest.mark.parametrize(
    ("show", "visibility", "shown"),
    [("all", {"all": 3}, ["all"]), ("a", {"a": 3}, ["a"]),
     ("own", {"all": 2}, ["all"]), ("none", {"all": 1}, [])],
)  # fmt: skip
def test_evalai_shows_what_the_phase_shows(show, visibility, shown, challenge):
    text = f"""
truth: truth.csv
metrics: [P@2]
splits: {{a: 0.5, b: rest, seed: 1}}
phases:
  - {{id: one, opens: 2026-01-01T00:00:00Z, closes: 2026-02-01T00:00:00Z, show: {show}}}
"""
    bundle = EXPORTERS["evalai"](make_context(bind(load(challenge(text)))))
    said = read(bundle, "challenge_config.yaml")
    names = {split["id"]: split["codename"] for split in said["dataset_splits"]}
    seen = {names[p["dataset_split_id"]]: p["visibility"] for p in said["challenge_phase_splits"]}
    assert seen == visibility
    inside = texts("script", bundle.files["evaluation_script.zip"])
    told = json.loads(inside["script!bridge.json"])["shown"]["one"]
    assert sorted(told) == shown


@pytest.mark.slow("runs EvalAI's remote worker with a server")
@pytest.mark.parametrize(("file", "status"), [("good/aurora-1.csv", "FINISHED"),
                                              ("bad/twice.csv", "FAILED")])  # fmt: skip
def test_evalai_is_sent_the_values_of_its_queue(file, status, bundles, tmp_path):
    got, waiting = [], [{"submission_pk": 6, "phase_pk": 5}]

    class Site(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = {"status": "submitted", "input_file": f"/{file}", "codename": "term",
                     "body": waiting[0] if waiting else None, "receipt_handle": "h"}  # fmt: skip
            data = json.dumps(found).encode()
            if self.path == f"/{file}":
                data = (SENT / file).read_bytes()
            else:
                assert self.headers["Authorization"] == "Bearer t"
            if body:
                got.append((self.command, self.path, json.loads(body)))
            if self.command == "POST":
                waiting.clear()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_PATCH = answer

        def log_message(self, *words):
            pass

    write_folder(tmp_path / "bundle", bundles["evalai"].files)
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        ran = subprocess.run(
            [sys.executable, tmp_path / "bundle" / "remote.py"], capture_output=True, text=True,
            env=os.environ | {
                "AUTH_TOKEN": "t", "CHALLENGE_PK": "4", "QUEUE_NAME": "q", "ONCE": "1",
                "SCORE": str(COMMAND), "API_SERVER": f"http://127.0.0.1:{server.server_port}",
            },
        )  # fmt: skip
        server.shutdown()
    assert (ran.returncode, ran.stderr) == (0, "")
    update = "/api/jobs/challenge/4/update_submission/"
    (first, place, running), (second, again, ended), (third, queue, done) = got
    assert (first, second, third) == ("PATCH", "PUT", "POST")
    assert place == again == update
    assert running["submission_status"] == "RUNNING"
    assert (queue, done) == ("/api/jobs/queues/q/", {"receipt_handle": "h"})
    assert (ended["submission_status"], ended["challenge_phase"]) == (status, 5)
    if status == "FAILED":
        assert "item 'b30' is given twice" in ended["stderr"]
        assert "result" not in ended
        return
    shown = {part["split"]: part["show_to_participant"] for part in json.loads(ended["result"])}
    assert shown == {"public": True, "private": False}


@pytest.mark.slow("waits for a server that is not there")
def test_evalai_out_of_reach_is_told(bundles, tmp_path):
    write_folder(tmp_path / "bundle", bundles["evalai"].files)
    given = {"AUTH_TOKEN": "t", "CHALLENGE_PK": "4", "QUEUE_NAME": "q", "ONCE": "1"}
    ran = subprocess.run(
        [sys.executable, tmp_path / "bundle" / "remote.py"], capture_output=True, text=True,
        env=os.environ | given | {"API_SERVER": "http://127.0.0.1:9"},
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.startswith("http://127.0.0.1:9: ")
    assert "Traceback" not in ran.stderr


def test_other_settings(bundles):
    said = read(bundles["grand-challenge"], "grand-challenge.json")
    paths = [said["score_jsonpath"], *(c["path"] for c in said["extra_results_columns"])]
    assert all(path.count(".") == 2 for path in paths)
    front = bundles["tira"].files["tira.md"].decode().split("---\n")[1]
    evaluator = yaml.safe_load(front)["tira_configs"]["evaluator"]
    assert "$outputDir" in evaluator["command"]
    made_of = bundles["tira"].files["Dockerfile"].decode().split("\n")[0]
    assert f"{made_of}-tira" == f"FROM {evaluator['image']}"
    workflow = bundles["github-classroom"].files[".github/workflows/classroom.yml"].decode()
    steps = yaml.safe_load(workflow)["jobs"]["points"]["steps"]
    assert any("${{ secrets.ANSWERS_TOKEN }}" in str(step) for step in steps)
    assert bundles["gradescope"].executables == {"setup.sh", "run_autograder"}


@pytest.mark.parametrize(
    ("said", "has", "sentence"),
    [
        ("grading: {from: 0, to: 1}", (), "grading: points"),
        ("grading: {from: 0, to: 1}", ("grading",), None),
        (
            "grading: {from: 0, to: 1, late: {due: '2026-01-01T00:00:00Z', lose: 0.1}}",
            ("grading",),
            "grading.late",
        ),
        ("phases: [{id: a, select: 2}]", ("selected",), "select: how many"),
        ("leaderboard: {ladder: auto}", (), "ladder"),
        ("leaderboard: {entry: selected}", (), "entries that a team selects"),
    ],
)
def test_what_a_platform_lacks(said, has, sentence, tmp_path):
    challenge = load(f"truth: truth.csv\nmetrics: [P@5]\n{said}\n", folder=tmp_path)
    has = {"tiers", "phases", *has}
    told = unsupported_features(SimpleNamespace(challenge=challenge), has)
    assert any(sentence in each for each in told) if sentence else not told


SPLIT = """\
truth: truth.csv
metrics: [P@1]
splits: {file: splits.csv}
phases:
- {id: main, show: public, closes: '2120-01-01T00:00:00Z'}
- {id: final, after: main, show: private}
"""


@pytest.mark.parametrize("name", NAMES)
def test_splits_of_a_file_stay_apart_as_drawn_ones_do(name, challenge):
    files = {"truth.csv": "list,item,grade\nq1,a,1\nq2,a,1\n"}
    folder = challenge(SPLIT, **files | {"splits.csv": "list,split\nq1,public\nq2,private\n"})
    bundle = EXPORTERS[name](make_context(bind(load(folder))))
    said = [json.loads(text) for file, data in bundle.files.items()
            for place, text in texts(file, data).items()
            if place.endswith("bridge.json")]  # fmt: skip
    assert said
    assert all(each["splits"] for each in said)  # all lists would show private ones


@pytest.mark.slow("exports to each platform anew")
@pytest.mark.parametrize("name", NAMES)
def test_the_same_challenge_gives_the_same_bundle_and_says_what_is_not_supported(name, bundles):
    again = scorer.export_bundle(name, COURSE)
    assert again.files == bundles[name].files
    assert any("tiers" in sentence for sentence in again.unsupported)
    assert again.next_steps


@pytest.fixture
def rehearse(tmp_path):
    """Run a bundle for a submission as its platform would; `command` is `score` there."""
    count = itertools.count()

    def run(name, bundle, submission, command=COMMAND):
        work = tmp_path / f"work{next(count)}"
        work.mkdir()
        return RUNS[name](bundle, submission, Worker(work, str(command)))

    return run


@pytest.fixture
def values_of(score):
    """The values of a submission as `score` has them."""

    def of(challenge, submission, *words):
        ran = score(challenge, f"sent={submission}", "-q", "--format", "json", *words)
        (row,) = (row for row in ran.json()["leaderboard"] if row["name"] == "sent")
        return [value for value in row["values"].values() if value is not None]

    return of


@pytest.mark.slow("runs processes of a bundle")
@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_does_what_score_does(name, bundles, rehearse, values_of, tmp_path):
    bundle = tmp_path / "bundle"
    write_folder(bundle, bundles[name].files)
    good, bad = SENT / "good" / "aurora-1.csv", SENT / "bad" / "twice.csv"
    ran = rehearse(name, bundle, good)
    assert ran.code == 0, ran
    if name != "github-classroom":  # whose reporter reads points alone
        expected = values_of(COURSE, good, "--split", SHOWN_SPLITS.get(name, "public"))
        assert list(ran.values.values()) == expected
    ran = rehearse(name, bundle, bad)
    assert (ran.code, ran.values) == (1, {}), ran
    last_line_alone = name == "grand-challenge"
    assert last_line_alone or "item 'b30' is given twice" in ran.shown
    ran = rehearse(name, bundle, good, "score-that-is-not-there")
    assert (ran.code != 0, ran.values) == (True, {}), ran
    assert "not the submission's fault" in ran.shown
    assert str(tmp_path) not in ran.shown


@pytest.mark.slow("runs processes of a bundle")
def test_a_submission_of_several_files(rehearse, values_of, tmp_path):
    sent = ROOT / "submissions_example" / "gallery" / "glue"
    bundle = tmp_path / "bundle"
    write_folder(bundle, export_bundle("codabench", load(GLUE)).files)
    good = sent / "good" / "bag-of-words.zip"
    ran = rehearse("codabench", bundle, good)
    assert [*ran.values.values()] == values_of(GLUE, good)
    ran = rehearse("codabench", bundle, sent / "bad" / "a-class-of-its-own.zip")
    assert (ran.code, "prediction 'maybe' is no class" in ran.shown) == (1, True), ran


def test_a_bundle_is_a_folder_or_an_archive_of_the_same_files(score, tmp_path):
    out = tmp_path / "bundle.zip"
    ran = score("export", "gradescope", COURSE, "-o", out)
    ran.assert_exit(0, err=["not supported: tiers", "next: zip the files"])
    assert score("export", "gradescope", COURSE, "-o", tmp_path / "bundle").code == 0
    with zipfile.ZipFile(out) as archive:
        for name in archive.namelist():
            assert archive.read(name) == (tmp_path / "bundle" / name).read_bytes()
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    assert os.access(tmp_path / "bundle" / "run_autograder", os.X_OK)
