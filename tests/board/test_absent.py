"""A list of grades has every team, and the log says why a file was rejected."""

import csv
import io

import pytest

ROWS = [f"{n:02d}" for n in range(12)]


@pytest.fixture
def challenge(tmp_path):
    def table(name, answer):
        text = "id,label\n" + "".join(f"{row},{answer(n)}\n" for n, row in enumerate(ROWS))
        (tmp_path / f"{name}.csv").write_text(text)

    table("truth", lambda n: "ab"[n % 2])
    table("anna", lambda n: "ab"[n % 3 % 2])
    table("bert", lambda n: "abx"[n % 3])
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: truth.csv, columns: {list: id}}\n"
        "submission: {columns: {list: id}}\nmetrics: [Accuracy]\n"
    )
    return tmp_path


@pytest.mark.slow("keeps and evaluates entries")
def test_every_team_has_a_row_of_the_list_of_grades(challenge, score):
    ran = score("add", challenge, challenge / "anna.csv", challenge / "bert.csv",
                "--team-from-name", "-q")  # fmt: skip
    assert ran.code == 1
    assert "entry 1 of anna: scored" in ran.out
    assert "entry 2 of bert: rejected" in ran.out
    assert "receipt" not in ran.out
    score("team", challenge, "add", "carl")
    rows = list(csv.DictReader(io.StringIO(score("board", challenge, "--format", "csv").out)))
    reasons = {row["name"]: row["reason"] for row in rows}
    assert reasons == {
        "anna": "", "bert": "entry 2: rejected by the checks (S521)", "carl": "no entry",
    }  # fmt: skip
    assert [row["rank"] for row in rows] == ["1", "", ""]
    text = " ".join(score("board", challenge, "--notes").out.split())
    assert "Not on the board: bert (entry 2: rejected by the checks (S521)), carl (no" in text
    log = score("log", challenge, "--format", "json").json()["events"]
    told = {event["entry"]: event["reason"] for event in log if event["kind"] == "entry"}
    assert told == {1: None, 2: "rejected by the checks (S521)"}


@pytest.mark.parametrize("words", [[], ["--team", "x", "--team-from-name"]])
def test_a_team_is_told_in_one_way(challenge, score, words):
    ran = score("add", challenge, challenge / "anna.csv", *words)
    ran.assert_exit(2, err="--team T, or --team-from-name")


@pytest.mark.parametrize("words", [["why", "blue"], ["log"], ["board"]])
def test_a_kit_has_no_board(challenge, score, words):
    kit = challenge / "kit.zip"
    assert score("kit", challenge, "-o", kit).code == 0
    ran = score(words[0], kit, *words[1:])
    ran.assert_exit(2, err="error[T101] this is a kit, which has no truth")
