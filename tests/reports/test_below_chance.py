"""A value far below that of guesses is told, with the class that a probability is taken for."""

import json

import pytest
from tables import rows

SENT = "id,p\n1,.1\n2,.2\n3,.8\n4,.9\n"


def made(score, tmp_path, classes):
    low, high = classes
    (tmp_path / "truth.csv").write_text(f"id,y\n1,{low}\n2,{low}\n3,{high}\n4,{high}\n")
    (tmp_path / "s.csv").write_text(SENT)
    return score("init", "--from", tmp_path / "truth.csv", tmp_path / "s.csv", tmp_path / "made")


@pytest.mark.parametrize(
    ("classes", "positive", "other"),
    [
        (("normal", "abnormal"), "normal", "abnormal"),
        (("healthy", "disease"), "healthy", "disease"),
        (("dead", "alive"), "dead", "alive"),
    ],
)
def test_init_names_the_positive_class(score, tmp_path, classes, positive, other):
    ran = made(score, tmp_path, classes)
    assert (
        f"not sure: p is taken for the probability of '{positive}', the last of the classes; if it "
        f"is that of '{other}', write probability: {{{other}: p}}"
    ) in ran.out
    written = tmp_path / "made" / "challenge.yaml"
    text = written.read_text()
    assert f"probability: {{{positive}: p}}" in text
    out = " ".join(score(tmp_path / "made", tmp_path / "s.csv").out.split())
    assert (
        "Worse than guesses: AUROC of 's' is 0.000, and that of guesses 0.5. Is p the probability "
        f"of '{positive}', as the challenge takes it?"
    ) in out
    written.write_text(text.replace(f"{{{positive}: p}}", f"{{{other}: p}}"))
    ran = score(tmp_path / "made", tmp_path / "s.csv", "--format", "json")
    assert json.loads(ran.out)["submissions"][0]["values"]["AUROC"]["mean"] == 1
    assert "Worse than" not in score(tmp_path / "made", tmp_path / "s.csv").out


def test_of_0_and_1_the_positive_class_needs_no_name(score, tmp_path):
    ran = made(score, tmp_path, ("0", "1"))
    assert "not sure" not in ran.out
    assert "probability: p}" in (tmp_path / "made" / "challenge.yaml").read_text()
    assert "Worse than" not in score(tmp_path / "made", tmp_path / "s.csv").out


@pytest.mark.parametrize(
    ("columns", "truth", "sent", "metric", "told"),
    rows(__file__, "every_measure_of_which_chance_is_known"),
)
def test_every_measure_of_which_chance_is_known(
    challenge, score, tmp_path, columns, truth, sent, metric, told
):
    folder = challenge(
        f"truth: {{file: truth.csv, columns: {{list: id, {columns[0]}}}}}\n"
        f"submission: {{columns: {{list: id, {columns[1]}}}}}\nmetrics: [{metric}]\n"
        "leaderboard: {intervals: false, tiers: false}\n",
        **{"truth.csv": truth},
    )
    (tmp_path / "s.csv").write_text(sent)
    out = " ".join(score(folder, tmp_path / "s.csv").out.split())
    assert ("Worse than guesses" in out) == (told is not None)
    assert told is None or told in out


def test_an_interval_below_chance_is_told_of_a_value_near_it(challenge, score, tmp_path):
    # 200 rows of each class; p is 0.9 of 40 % of b and of 60 % of a, and 0.1 of the others, so that
    # AUROC is P(p_b > p_a) + P(p_b = p_a) / 2 = 0.4 * 0.4 + 0.48 / 2
    often = {"a": 6, "b": 4}
    rows = [(y, n, 0.9 if n % 10 < often[y] else 0.1) for y in often for n in range(200)]
    folder = challenge(
        "truth: {file: truth.csv, columns: {list: id, label: y}}\n"
        "submission: {columns: {list: id, probability: p}}\nmetrics: [AUROC]\n",
        **{"truth.csv": "id,y\n" + "".join(f"{y}{n},{y}\n" for y, n, _ in rows)},
    )
    (tmp_path / "s.csv").write_text("id,p\n" + "".join(f"{y}{n},{p}\n" for y, n, p in rows))
    out = score(folder, tmp_path / "s.csv").out
    assert "Worse than guesses: AUROC of 's' is 0.400, and that of guesses 0.5." in out
