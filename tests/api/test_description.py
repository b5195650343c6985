"""What `check` says of a file in a line: what it looks like, whatever the answers are."""

import json

import pytest

LABELS = {f"r{n:02}": "ab"[n % 3 > 1] for n in range(30)}


def table(column, rows):
    return f"list,{column}\n" + "".join(f"{name},{value}\n" for name, value in rows.items())


def descriptions(score, folder, *names):
    ran = score("check", folder, *(folder / name for name in names), "--format", "json")
    assert ran.code in (0, 1), ran
    return [each["description"] for each in json.loads(ran.out)["submissions"]]


@pytest.fixture
def classes(challenge):
    yaml = "truth: truth.csv\nmetrics: [Accuracy]\nsubmission: {missing_list: zero}\n"
    files = {
        "truth.csv": table("label", LABELS),
        "mine.csv": table("label", LABELS | {"r00": "b"}),
        "flat.csv": table("label", dict.fromkeys(LABELS, "a")),
        "short.csv": table("label", dict(list(LABELS.items())[:-4])),
        "wrong.csv": table("label", LABELS | {"r01": "x"}),
        "empty.csv": "",
    }
    return challenge(yaml, **files)


def test_classes_and_lists(score, classes):
    mine, flat, short, empty = descriptions(
        score, classes, "mine.csv", "flat.csv", "short.csv", "empty.csv"
    )
    assert mine == "30 of 30 lists; label: 'a' 63.3%, 'b' 36.7%"
    assert flat == "30 of 30 lists; every label is 'a'"
    assert short == "26 of 30 lists; label: 'a' 69.2%, 'b' 30.8%"
    assert empty is None


@pytest.mark.parametrize(("count", "told"), [
    (7, "label: 'c0' 16.7%, 'c1' 16.7%, 'c2' 13.3%, 'c3' 13.3%, 'c4' 13.3% and 2 more"),
    (21, "label: 21 different ones"),
])  # fmt: skip
def test_of_many_classes_the_largest(score, challenge, count, told):
    labels = {f"r{n:02}": f"c{n % count}" for n in range(30)}
    files = {"truth.csv": table("label", labels), "mine.csv": table("label", labels)}
    folder = challenge("truth: truth.csv\nmetrics: [Accuracy]\n", **files)
    assert descriptions(score, folder, "mine.csv") == [f"30 of 30 lists; {told}"]


def test_items_and_one_score_everywhere(score, challenge):
    head = "list,item,score\n"
    files = {
        "truth.csv": "list,item,grade\n" + "".join(f"q{n},a,1\nq{n},b,0\n" for n in range(4)),
        "mine.csv": head + "".join(f"q{n},{i},{ord(i)}\n" for n in range(4) for i in "abcd"),
        "flat.csv": head + "q0,a,1\n" + "".join(f"q{n},{i},1\n" for n in range(1, 4) for i in "ab"),
        "other.csv": head + "q0,a,2\nq1,a,1\nq7,a,1\n",
    }
    folder = challenge("truth: truth.csv\nmetrics: [RR]\n", **files)
    assert descriptions(score, folder, "mine.csv", "flat.csv", "other.csv") == [
        "4 of 4 lists; 4 items a list, the same in every list",
        "4 of 4 lists; 1 to 2 items a list, 2 different; every score is 1",
        "2 of 4 lists; 1 item a list, the same in every list",
    ]


def test_nothing_said_depends_on_the_answers(score, classes):
    """Other answers for the same rows and classes, and every word is the same."""
    names = ("mine.csv", "wrong.csv")
    first = descriptions(score, classes, *names)
    turned = dict(zip(LABELS, [*LABELS.values()][::-1], strict=True))
    (classes / "truth.csv").write_text(table("label", turned))
    assert descriptions(score, classes, *names) == first


def test_it_stands_below_the_state_of_each_file(score, classes):
    names = [classes / "mine.csv", classes / "wrong.csv"]
    lines = score("check", classes, *names).out.splitlines()
    state = lines.index(f"{names[0]}: fine")
    assert lines[state + 1] == "  30 of 30 lists; label: 'a' 63.3%, 'b' 36.7%"
    assert "of 30 lists" not in score("check", classes, *names, "-q").out
