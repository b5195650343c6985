"""Each platform's worker in small: its folders, its environment, and what it reads of a run."""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import yaml

LONGEST = 600  # seconds, Codabench's own limit
EVALAI_CALL = """
import json, sys
sys.path.insert(0, sys.argv[1])
from evaluation_script import evaluate
try:
    print(json.dumps(evaluate(*sys.argv[2:5], submission_metadata={})))
except ValueError as error:
    sys.exit(str(error))
"""
TIRA_MEASURE = re.compile(r'measure\{\n  key: "([^"]*)"\n  value: "([^"]*)"\n\}\n')


class PlatformRun(NamedTuple):
    """How a platform's run of one submission ended."""

    code: int
    shown: str  # to the participant
    values: dict  # what the platform reads, by column; empty where it reads nothing


class Worker:
    """Runs commands of a bundle in an empty folder, with `score` as the only thing of ours."""

    def __init__(self, folder: Path, score: str):
        self.folder, self.score = folder, score

    def run(self, *words, cwd=None):
        given = {"PATH": os.environ.get("PATH", os.defpath), "SCORE": self.score}
        return subprocess.run(
            [sys.executable, *map(str, words)], cwd=cwd or self.folder, env=given,
            capture_output=True, text=True, timeout=LONGEST,
        )  # fmt: skip

    def new_folder(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def lay_out(self, submission, name):
        """The folder of a submission as platforms lay it out: an archive's files, else the file."""
        folder = self.new_folder(name)
        if submission.is_dir():
            shutil.copytree(submission, folder, dirs_exist_ok=True)
        elif zipfile.is_zipfile(submission):
            unzip(submission, folder)
        else:
            shutil.copy(submission, folder)
        return folder


def unzip(archive, folder):
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder


def numbers(found):
    """The values as a platform takes them: finite numbers alone."""
    assert all(type(value) in (int, float) and math.isfinite(value) for value in found.values())
    return found


def read_json(file):
    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(file.read_text("utf-8"), parse_constant=refuse)


def run_codabench(bundle, submission, worker):
    """The first phase's scoring program, as the compute worker runs it."""
    competition = yaml.safe_load((bundle / "competition.yaml").read_text("utf-8"))
    task = competition["tasks"][competition["phases"][0]["tasks"][0]]
    program = worker.lay_out(bundle / task["scoring_program"], "app/program")
    worker.lay_out(bundle / task["reference_data"], "app/input/ref")
    worker.lay_out(submission, "app/input/res")
    output = worker.new_folder("app/output")
    _, *words = shlex.split(yaml.safe_load((program / "metadata.yaml").read_text())["command"])
    app = str(worker.folder / "app")
    ran = worker.run(*(re.sub("^/app", app, word) for word in words), cwd=program)
    if ran.returncode:
        return PlatformRun(ran.returncode, ran.stderr, {})
    columns = {column["key"] for column in competition["leaderboards"][0]["columns"]}
    values = numbers(read_json(output / "scores.json"))
    return PlatformRun(0, "", {key: value for key, value in values.items() if key in columns})


def run_evalai(bundle, submission, worker):
    """`evaluate` of the evaluation script for the first phase, as the worker calls it."""
    configuration = yaml.safe_load((bundle / "challenge_config.yaml").read_text("utf-8"))
    phase = configuration["challenge_phases"][0]
    unzip(bundle / configuration["evaluation_script"], worker.folder / "evaluation_script")
    annotation = bundle / phase["test_annotation_file"]
    ran = worker.run("-c", EVALAI_CALL, worker.folder, annotation, submission, phase["codename"])
    if ran.returncode:
        return PlatformRun(ran.returncode, ran.stderr, {})
    result = {key: values for part in json.loads(ran.stdout)["result"]
              for key, values in part.items()}  # fmt: skip
    names = {split["id"]: split["codename"] for split in configuration["dataset_splits"]}
    assert set(result) <= set(names.values())
    public = max(
        (each for each in configuration["challenge_phase_splits"]
         if each["challenge_phase_id"] == phase["id"]),
        key=lambda each: each["visibility"],
    )  # fmt: skip
    return PlatformRun(0, "", numbers(result[names[public["dataset_split_id"]]]))


def run_gradescope(bundle, submission, worker):
    """The autograder; the student sees results.json."""
    sent, output = worker.lay_out(submission, "submission"), worker.new_folder("results")
    ran = worker.run(bundle / "bridge.py", bundle / "challenge", sent, output)
    found = read_json(output / "results.json")
    board = {each["name"]: each["value"] for each in found.get("leaderboard", [])}
    code = ran.returncode or (0 if board else 1)
    return PlatformRun(code, found.get("output", ""), numbers(board))


def run_github_classroom(bundle, submission, worker):
    """The workflow's step that scores; the result as the reporter reads it, without values."""
    sent, output = worker.lay_out(submission, "repository"), worker.new_folder("result")
    answers = bundle / "answers"
    ran = worker.run(answers / "bridge.py", answers / "challenge", sent, output)
    found = read_json(output / "result.json")
    shown = "\n".join(test["message"] for test in found["tests"]) or found.get("output", "")
    return PlatformRun(ran.returncode or int(found["status"] != "pass"), shown, {})


def run_grand_challenge(bundle, submission, worker):
    """The container's program, once; of an error the last line is shown."""
    truth = worker.new_folder("ground_truth")
    with tarfile.open(bundle / "ground_truth.tar.gz") as archive:
        archive.extractall(truth, filter="data")
    sent, output = worker.lay_out(submission, "input"), worker.new_folder("output")
    ran = worker.run(bundle / "bridge.py", truth, sent, output)
    if ran.returncode:
        return PlatformRun(ran.returncode, ran.stderr.strip().splitlines()[-1], {})
    aggregates = read_json(output / "metrics.json")["aggregates"]
    values = {key: found["mean"] for key, found in aggregates.items()}
    return PlatformRun(0, "", numbers(values))


def run_tira(bundle, submission, worker):
    """The evaluator's command; standard output is shown."""
    sent, output = worker.lay_out(submission, "run"), worker.new_folder("output")
    ran = worker.run(bundle / "bridge.py", bundle / "truths", sent, output)
    if ran.returncode:
        return PlatformRun(ran.returncode, ran.stdout, {})
    text = (output / "evaluation.prototext").read_text("utf-8")
    return PlatformRun(0, "", {key: float(value) for key, value in TIRA_MEASURE.findall(text)})


RUNS = {
    "codabench": run_codabench,
    "evalai": run_evalai,
    "github-classroom": run_github_classroom,
    "gradescope": run_gradescope,
    "grand-challenge": run_grand_challenge,
    "tira": run_tira,
}
SHOWN_SPLITS = {"tira": "private"}  # the split whose values are read; elsewhere the public one
