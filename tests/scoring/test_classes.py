"""A file of classes: any of them may be answered, and those that the truth lacks are wrong."""

import io
import zipfile

import numpy as np
import pytest
from boards import score

from scorer.api.check import check
from scorer.api.kit import kit
from scorer.api.lint import lint
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.metrics.notation import NotationError
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

metrics = pytest.importorskip("sklearn.metrics")
accuracy_score = metrics.accuracy_score
f1_score = metrics.f1_score

MANY = 12_000  # more than challenge.yaml itself may have
RNG = np.random.default_rng(1)
TRUE = RNG.integers(0, MANY // 2, 200)
SENT = np.where(RNG.random(200) < 0.6, TRUE, RNG.integers(0, MANY, 200))
FILE = "label\n" + "".join(f"c{n}\n" for n in range(MANY))


def table(codes):
    return "id,label\n" + "".join(f"r{n},c{code}\n" for n, code in enumerate(codes))


def made(folder, classes=FILE, metrics=("Accuracy", "F1"), name="classes.csv", **source):
    (folder / name).write_text(classes)
    (folder / "truth.csv").write_text(table(TRUE))
    (folder / "run.csv").write_text(table(SENT))
    columns = {"list": "id"}
    fields = {
        "truth": {"file": "truth.csv", "columns": columns},
        "submission": {"columns": columns, "classes": {"file": name, **source}},
        "metrics": list(metrics),
    }
    return load(fields, folder)


@pytest.mark.slow("lints many challenges", beyond=1)
@pytest.mark.parametrize(
    ("classes", "source"),
    [
        (FILE, {}),
        (FILE.replace("label\n", "category\n", 1), {}),
        (FILE.replace("label\n", "", 1), {"header": ["label"]}),
        (
            FILE.replace("\n", ",x\n").replace("label,x", "name,note"),
            {"columns": {"label": "name"}},
        ),
    ],
)
def test_unseen_classes_are_wrong(tmp_path, classes, source):
    report = score(made(tmp_path, classes, **source), [tmp_path / "run.csv"])
    (scored,) = report.submissions
    assert scored.values["Accuracy"].mean == pytest.approx(accuracy_score(TRUE, SENT), rel=1e-12)
    macro = f1_score(TRUE, SENT, average="macro")
    assert scored.values["F1"].mean == pytest.approx(macro, rel=1e-12)


def test_other_labels_are_refused(tmp_path):
    challenge = made(tmp_path)
    (tmp_path / "bad.csv").write_text(table([*SENT[:-1], MANY]))
    assert [p.code for p in check(challenge, [tmp_path / "bad.csv"])[0].findings] == ["S521"]


@pytest.mark.slow("lints many challenges", beyond=2)
@pytest.mark.parametrize(
    ("classes", "source", "said"),
    [
        (FILE + "c7\n", {}, "T304 12002 label 'c7' stands twice"),
        (FILE + '""\n', {}, "label is empty"),
        ("label\nc1\n", {}, "there are fewer than two classes"),
        (FILE.replace(f"\nc{TRUE[0]}\n", "\n"), {}, "not among the declared classes"),
        (FILE, {"columns": {"label": "lable"}}, "column 'lable' is missing"),
        (table(TRUE), {}, "this is the truth's file"),
    ],
)
def test_files_that_do_not_fit_are_told(tmp_path, classes, source, said):
    with pytest.raises(ChallengeError) as caught:
        open_challenge(bind(made(tmp_path, classes, **source)))
    problems = [f"{p.code} {p.line} {p.message}" for p in caught.value.problems]
    assert any(said in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("source", "said"),
    [({"flie": 1}, "no key 'flie' here"), ({"columns": {"item": "x"}}, "no key 'item' here")],
)
def test_keys_that_are_wrong_are_told_at_their_place(tmp_path, source, said):
    with pytest.raises(ChallengeError, match=said):
        made(tmp_path, **source)


def test_a_kit_has_the_file(tmp_path):
    prepared = bind(made(tmp_path))
    data = kit(prepared).data
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert packed.read("classes.csv").decode() == FILE
        assert b"classes:\n    file: classes.csv" in packed.read("challenge.yaml")


@pytest.mark.slow("lints many challenges")
def test_the_fingerprint_knows_what_the_file_says_and_not_its_name(tmp_path):
    def identity(**changed):
        return open_challenge(bind(made(tmp_path, **changed))).digests

    first = identity()
    assert identity(name="other.csv")["rules"] == first["rules"]
    assert identity(classes=FILE + "c99999\n") != first


@pytest.mark.slow("lints many challenges")
def test_lint_deals_classes_without_a_table_of_all(tmp_path):
    assert lint(made(tmp_path)).sound


def test_a_confusion_matrix_has_an_end(tmp_path):
    with pytest.raises(NotationError, match="a confusion matrix of 12,000 classes is too large"):
        score(made(tmp_path, metrics=["Kappa"]), [tmp_path / "run.csv"])
