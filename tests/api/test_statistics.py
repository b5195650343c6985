"""`check --statistics`: what a file looks like, blindly; and in how many files each problem is."""

import json

import pytest

from scorer.api.statistics import statistics
from scorer.api.submissions import Named
from scorer.challenge.load import load

LABELS = {f"r{n:02}": "ab"[n % 3 > 1] for n in range(30)}


def table(column, rows):
    return f"list,{column}\n" + "".join(f"{name},{value}\n" for name, value in rows.items())


def ranking(order):
    return "list,item,score\n" + "".join(
        f"q{n},{item},{-place}\n" for n in range(4) for place, item in enumerate(order)
    )


def looks(score, folder, *words):
    ran = score("check", folder, *words, "--statistics", "--format", "json")
    assert ran.code in (0, 1), ran
    said = json.loads(ran.out)
    return [each["statistics"] for each in said["submissions"]], said["files_by_code"], ran


@pytest.fixture
def classes(challenge):
    yaml = "truth: truth.csv\nmetrics: [Accuracy]\nsubmission: {missing_list: zero}\n"
    files = {
        "truth.csv": table("label", LABELS),
        "mine.csv": table("label", LABELS | {"r00": "b"}),
        "flat.csv": table("label", dict.fromkeys(LABELS, "a")),
        "short.csv": table("label", dict(list(LABELS.items())[:-4])),
        "wrong.csv": table("label", LABELS | {"r01": "x"}),
    }
    return challenge(yaml, **files)


@pytest.fixture
def runs(challenge):
    truth = "list,item,grade\n" + "".join(
        f"q{n},{item},{int(item == 'a')}\n" for n in range(4) for item in "abcd"
    )
    files = {
        "truth.csv": truth,
        "mine.csv": ranking("dcba"),
        "other.csv": ranking("abcd"),
        "flat.csv": "list,item,score\n" + "".join(f"q{n},{i},1\n" for n in range(4) for i in "ab"),
    }
    return challenge("truth: truth.csv\nmetrics: [RR]\n", **files)


def test_classes_beside_a_sample(score, classes):
    names = ("mine", "flat", "short")
    (mine, flat, short), codes, _ = looks(score, classes, *(classes / f"{n}.csv" for n in names),
                                          "--beside", classes / "flat.csv")  # fmt: skip
    assert mine[:2] == ["30 of 30 lists", "label: 'a' 63.3%, 'b' 36.7%"]
    assert mine[2] == "'flat' has 'a' 100.0%, 'b' 0.0%; 63.3% of the rows agree"
    assert flat[1] == "every label is 'a'"
    edge = "all that are missing are at the edge: the last 4 of the challenge's"
    assert short[:2] == ["26 of 30 lists", edge]
    assert codes == {"S301": 1, "S510": 1}


def test_rankings_beside_another(score, runs):
    (mine, flat), _, _ = looks(
        score, runs, runs / "mine.csv", runs / "flat.csv", "--beside", runs / "other.csv"
    )
    assert "4 items in each list; 4 different ones" in mine
    assert "all lists begin with the same items in the same order" in mine
    assert "rank correlation with 'other': -1.00 on average; nearly its reverse" in mine
    assert "every score is 1; all are equal" in flat


def test_other_files_need_statistics_beside_which_they_are_laid(score, classes):
    assert score("check", classes, classes / "mine.csv", "--beside", "x").code == 2


def test_nothing_said_depends_on_the_answers(score, classes):
    """Other answers for the same rows and classes, and every word is the same."""
    first = looks(score, classes, classes / "mine.csv", classes / "wrong.csv")[:2]
    turned = dict(zip(LABELS, [*LABELS.values()][::-1], strict=True))
    (classes / "truth.csv").write_text(table("label", turned))
    assert looks(score, classes, classes / "mine.csv", classes / "wrong.csv")[:2] == first


def test_a_file_that_cannot_be_read_says_nothing(score, classes):
    (classes / "empty.csv").write_text("")
    (empty,), codes, _ = looks(score, classes, classes / "empty.csv")
    assert (empty, codes) == ([], {"S102": 1})


def test_codes_by_number_of_files(score, classes):
    wrong = [classes / "wrong.csv", f"again={classes / 'wrong.csv'}", classes / "flat.csv"]
    ran = score("check", classes, *wrong, "--statistics")
    table = ran.out.partition("Problems by files\n")[2].split()
    assert table[: table.index("S521") + 3][-3:] == ["S521", "2", "2"]


def test_the_baselines_of_the_folder_are_beside_it(score, classes):
    """Of whoever has their files: a kit has none, and a served board lays none beside an upload."""
    yaml = (classes / "challenge.yaml").read_text()
    text = yaml + "leaderboard: {baselines: [flat.csv]}\n"
    (classes / "challenge.yaml").write_text(text)
    kit, mine = classes / "kit.zip", classes / "mine.csv"
    assert score("kit", classes, "-o", kit).code == 0
    ((told,), _, _), ((in_kit,), _, _) = (looks(score, c, mine) for c in (classes, kit))
    beside = "'flat' has 'a' 100.0%, 'b' 0.0%; 63.3% of the rows agree"
    assert told == [*in_kit, beside]
    (served,) = statistics(load(classes), [Named("mine", mine)])
    assert served == in_kit
