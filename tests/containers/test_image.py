"""The Dockerfile's image, and the images that bundles of `score export` make of it."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from containers.base import ROOT, done, ran
from containers.builder import BUILD, Buildah, missing

from scorer import __version__
from scorer.export.bundle import IMAGE

SCORE = Path(sys.executable).with_name("score")
COURSE = ROOT / "challenges" / "course-2026"
SENT = ROOT / "submissions_example" / "course-2026"
GIVEN = {"/challenge": COURSE, "/sent": SENT}
SPLITS = ["--split", "public", "--split", "private"]


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """What builds and runs images; it has the one of `make image`."""
    if lacks := missing():
        pytest.skip(f"no image is built without {', '.join(lacks)}")
    folder = tmp_path_factory.mktemp("images")
    try:
        built = Buildah(folder)
        built.done("make", "image", f"BUILD={' '.join(BUILD)}", cwd=ROOT)
        yield built
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def expected():
    """The values of a submission by split, as they are outside of images."""
    words = [SCORE, COURSE, f"submission={SENT}/good/aurora-1.csv", "-q", "--format", "evalai"]
    told = json.loads(done(*words, *SPLITS))
    return {split: values for part in told["result"] for split, values in part.items()}


@pytest.fixture
def output(tmp_path):
    """A folder that everybody may write."""
    folder = tmp_path / "output"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.fixture
def derived(images, tmp_path):
    """The bundle of a platform, and the name of the image that the command of `next:` makes."""

    def of(platform):
        bundle = tmp_path / "bundle"
        told = ran(SCORE, "export", platform, COURSE, "-o", bundle).stderr
        name = re.search(r"docker build -t (\S+) \.", told)[1]
        images.done(*BUILD, "-t", name, ".", cwd=bundle)
        return bundle, name

    return of


@pytest.fixture
def sent(tmp_path):
    """A folder with a submission."""
    folder = tmp_path / "sent"
    folder.mkdir()
    shutil.copy(SENT / "good" / "aurora-1.csv", folder)
    return folder


def test_score_is_the_entry_point_of_a_user_who_is_not_root(images):
    assert images.settings(IMAGE) == (["score"], "scorer")
    ended = images.run(IMAGE, ["--version"], {})
    assert (ended.returncode, ended.stdout) == (0, f"scorer {__version__}\n"), ended.stderr


def test_it_scores_without_a_network_and_writes_where_it_may_alone(images, expected, output):
    words = ["/challenge", "submission=/sent/good/aurora-1.csv", "-q", "--format", "evalai"]
    places = {**GIVEN, "/output": output}
    ended = images.run(IMAGE, [*words, *SPLITS, "-o", "/output/result.json"], places)
    assert ended.returncode == 0, ended.stderr
    (file,) = output.iterdir()
    told = json.loads(file.read_text())
    assert {split: values for part in told["result"] for split, values in part.items()} == expected
    assert file.stat().st_uid == 1000
    ended = images.run(IMAGE, [*words, "-o", "/challenge/result.json"], places)
    assert (ended.returncode, "Read-only file system" in ended.stderr) == (2, True), ended
    ended = images.run(IMAGE, ["check", "/challenge", "/sent/bad/twice.csv"], places)
    assert (ended.returncode, "is given twice" in ended.stdout) == (1, True), ended


def test_codabench_gives_its_command_to_the_image_of_its_bundle(
    images, derived, expected, sent, output
):
    bundle, name = derived("codabench")
    assert yaml.safe_load((bundle / "competition.yaml").read_text())["docker_image"] == name
    assert images.settings(name) == (None, "root")
    output.chmod(0o755)  # root's, as the worker makes it
    program = bundle / "scoring_program_0"
    command = yaml.safe_load((program / "metadata.yaml").read_text())["command"].split()
    places = {"/app/program": program, "/app/input/ref": bundle / "reference_data",
              "/app/input/res": sent, "/app/output": output}  # fmt: skip
    ended = images.run(name, command, places)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    scores = json.loads((output / "scores.json").read_text())
    assert list(scores.values()) == list(expected["public"].values())


def test_tira_gives_its_command_to_the_image_of_its_bundle(images, derived, expected, sent, output):
    bundle, name = derived("tira")
    front = yaml.safe_load((bundle / "tira.md").read_text().split("---\n")[1])
    evaluator = front["tira_configs"]["evaluator"]
    assert evaluator["image"] == name
    assert images.settings(name) == (None, "1000")
    places = {"$inputDataset": "/truths", "$inputRun": "/run", "$outputDir": "/output"}
    command = [places.get(word, word) for word in evaluator["command"].split()]
    folders = {"/truths": bundle / "truths", "/run": sent, "/output": output}
    ended = images.run(name, command, folders)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    text = (output / "evaluation.prototext").read_text()
    assert all(f'"{value!r}"' in text for value in expected["private"].values())


def test_grand_challenge_calls_the_image_of_its_bundle(images, derived):
    _, name = derived("grand-challenge")
    assert images.settings(name) == (["python3", "/opt/app/app.py"], "1000")
