"""Every form of every result ends in bounded time, of 200 submissions and of 1,000.

Each command runs in a process of its own that the system ends after two minutes of CPU: a loop
in compiled code that never returns would end no other way.
"""

import os
import random
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="limits of CPU are those of Unix")

SECONDS = 120  # of CPU
CASES = [f"{n:02}" for n in range(60)]
FORMS = ("html", "json", "csv", "md", "tex", "txt")
CHALLENGE = """\
truth: {file: truth.csv, columns: {list: id, label: label}}
submission: {columns: {list: id, label: label}}
metrics: [Accuracy, MCC]
splits: {seed: 1, public: 0.5, private: 0.5}
grading: {from: 0.3, to: 1.0, points: 10}
"""
COUNTS = (200, 1000)
pytestmark = pytest.mark.slow("hundreds of submissions")


@pytest.fixture(scope="module", params=COUNTS)
def many(request, tmp_path_factory):
    """A folder with a challenge, submissions, values of systems and votes on them; their number."""
    folder, count = tmp_path_factory.mktemp("many"), request.param
    generator = random.Random(5)
    truth = {case: generator.choice("abc") for case in CASES}
    (folder / "challenge.yaml").write_text(CHALLENGE)
    (folder / "truth.csv").write_text(table("id,label", truth.items()))
    (folder / "sent").mkdir()
    (folder / "short").mkdir()
    values, votes = [], []
    for n in range(count):
        noise = generator.uniform(0.05, 0.6)
        labels = {
            case: generator.choice("abc") if generator.random() < noise else label
            for case, label in truth.items()
        }
        (folder / "sent" / f"m{n:04}.csv").write_text(table("id,label", labels.items()))
        (folder / "short" / f"m{n:04}.csv").write_text(
            table("id,label", [*labels.items()][n % 3 + 1 :])
        )
        values += [(f"m{n:04}", case, int(labels[case] == truth[case])) for case in CASES]
        for _ in range(30):
            other = generator.choice([k for k in range(count) if k != n])
            first = generator.random() < (0.6 if n < other else 0.4)
            votes.append((f"m{n:04}", f"m{other:04}", f"m{n if first else other:04}"))
    (folder / "values.csv").write_text(table("system,case,Accuracy", values))
    (folder / "votes.csv").write_text(table("a,b,winner", votes))
    return folder, count


def table(head, rows):
    return "".join(f"{line}\n" for line in [head, *(",".join(map(str, row)) for row in rows)])


def ends(folder, *words, code=0):
    """What a command writes, which ends well within the limit of CPU."""
    ran = subprocess.run(
        [sys.executable, "-m", "scorer", *words],
        cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )  # fmt: skip
    assert ran.returncode == code, (words[:2], ran.returncode, ran.stderr[-2000:])
    return ran.stdout


def in_every_form(folder, count, name, *words, code=0):
    """Writes a result in every form; each tells of all submissions."""
    outputs = [folder / f"{name}.{form}" for form in FORMS]
    ends(folder, *words, *(word for path in outputs for word in ("-o", path.name)), code=code)
    last = f"m{count - 1:04}"
    for path in outputs:
        assert last in path.read_text(), path.name


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([".", "sent"], 0),
        (["values", "values.csv"], 0),
        (["votes", "votes.csv"], 0),
        (["study", ".", "sent"], 0),
        (["check", ".", "short", "--all"], 1),
    ],
    ids=["board", "values", "votes", "study", "check"],
)
def test_a_result_ends_in_every_form(many, words, code):
    folder, count = many
    in_every_form(folder, count, "result", *words, code=code)


def test_two_hundred_are_compared_and_more_are_refused(many):
    folder, count = many
    if count <= 200:
        in_every_form(folder, count, "compared", "compare", ".", "sent")
        return
    ran = subprocess.run(
        [sys.executable, "-m", "scorer", "compare", ".", "sent"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "1,000 submissions have 499,500 pairs; compare at most 200" in ran.stderr


def test_a_living_board_ends_in_every_form(many):
    folder, count = many
    names = [f"sent/{path.name}" for path in sorted((folder / "sent").iterdir())]
    for start in range(0, count, 200):
        ends(folder, "add", ".", *names[start : start + 200], "--team-from-name", "--new")
    in_every_form(folder, count, "board", "board", ".")
    assert f"m{count - 1:04}," in ends(folder, "board", ".", "--format", "grades")
    ends(folder, "feedback", ".", "-o", "feedback")
    assert len([*(folder / "feedback").iterdir()]) == count + 1
    ends(folder, "paper", ".", "-o", "paper")
