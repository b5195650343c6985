"""The living part of challenge.yaml: what is read, and what is refused at which line."""

from datetime import UTC, datetime, timedelta

import pytest

from scorer.challenge.load import load
from scorer.core.errors import ChallengeError

HEAD = "truth: truth.csv\nmetrics: [P@2]\n"
GOOD = """\
timezone: Europe/Ljubljana
splits: {public: 0.3, private: rest, seed: 2011}
phases:
  - {id: main, opens: 2011-04-18T10:00:00+02:00, closes: 2011-07-08T23:59:59Z, show: public}
  - {id: final, after: main, show: private, select: 2}
questions: {method: {required: true}}
leaderboard: {entry: last, ladder: auto}
"""


def loaded(tmp_path, text):
    (tmp_path / "challenge.yaml").write_text(HEAD + text)
    return load(tmp_path)


def test_what_is_written_is_read(tmp_path):
    made = loaded(tmp_path, GOOD)
    assert made.splits.shares == {"public": 0.3, "private": "rest"}
    main, final = made.phases
    assert main.opens.utcoffset() == timedelta(hours=2)
    assert main.closes == datetime(2011, 7, 8, 23, 59, 59, tzinfo=UTC)
    assert (final.after, final.show, final.select) == ("main", "private", 2)
    assert made.questions["method"].required
    assert (made.leaderboard.entry, made.leaderboard.ladder) == ("last", "auto")


def test_without_any_of_it_a_board_is_open_and_shows_everything(tmp_path):
    made = loaded(tmp_path, "")
    assert (made.splits, made.phases, made.questions) == (None, (), {})
    assert (made.timezone, made.registration) == ("UTC", None)
    assert (made.leaderboard.entry, made.leaderboard.ladder) == ("best", "off")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("timezone: Europe/Lublana", 3, "no IANA time zone"),
        ("splits: {public: 0.3, private: 0.9, seed: 1}", 3, "sum to 1.2, not to 1"),
        ("splits: {public: 0.3, private: 0.7}", 3, "needs a seed"),
        ("splits: {public: 0.3, seed: 1}", 3, "at least two splits"),
        ("splits: {a: rest, b: rest, seed: 1}", 3, "only one split can be the rest"),
        ("splits: {a: 0.6, b: 0.6, c: rest, seed: 1}", 3, "leaves no rest"),
        ("splits: {a: 2, b: rest, seed: 1}", 3, "neither between 0 and 1 nor 'rest'"),
        ("splits: {own: 0.5, b: rest, seed: 1}", 3, "has a meaning of its own"),
        ("splits: {file: s.csv, a: 0.5, b: rest}", 3, "either drawn"),
        ("splits: {file: ../s.csv}", 3, "leaves the challenge's folder"),
        ("phases:\n  - {id: a, opens: 2011-04-18T10:00:00}", 4, "2011-04-18T10:00:00+00:00"),
        ("phases:\n  - {id: a, opens: 2011-04-18}", 4, "2011-04-18T00:00:00+00:00"),
        ("phases:\n  - {id: a, opens: soon}", 4, "is no time"),
        ("phases: [{id: a}, {id: a}]", 3, "two phases are called 'a'"),
        ("phases: [{id: a, after: b}]", 3, "no phase before it"),
        ("phases: [{id: a, show: public}]", 3, "which is no split"),
        ("phases: [{id: a, quota: {per_day: 0}}]", 3, "is below 1"),
        (
            "phases: [{id: a, opens: 2011-01-02T00:00:00Z, closes: 2011-01-01T00:00:00Z}]",
            *(3, "closes before it opens"),
        ),
        ("questions: {m: {type: date}}", 3, "'date' is not"),
        ("questions: {m: {range: [0, 1]}}", 3, "range is of numbers"),
        ("questions: {m: {better: lower, board: true}}", 3, "better is of numbers"),
        ("questions: {m: {type: number, better: lower}}", 3, "write board: true"),
        ("questions: {m: {type: number, choices: [a]}}", 3, "choices are texts"),
        ("questions: {m: {choices: [a, a]}}", 3, "'a' is written twice"),
        ("questions: {m: {type: number, range: [3, 1]}}", 3, "'3' is not below '1'"),
        ("questions: {m: {type: number, range: 3}}", 3, "write [0, 100], or [0, null]"),
        ("leaderboard: {tracks: [{id: a}]}", 3, "is of a group or an answer"),
        ("leaderboard: {tracks: [{id: a, group: []}]}", 3, "nothing is given"),
        ("leaderboard: {tracks: [{id: a, group: x}, {id: a, group: y}]}", 3, "written twice"),
        ("leaderboard: {tracks: [{id: a, answer: {d: x}}]}", 3, "no question is called 'd'"),
        (
            "leaderboard: {tracks: [{id: a, answer: {d: x}}]}\nquestions: {d: {}}",
            *(3, "write board: true at 'd'"),
        ),
        (
            "leaderboard: {tracks: [{id: a, answer: {d: 1}}]}\n"
            "questions: {d: {type: number, board: true}}",
            *(3, "'d' asks for a number"),
        ),
        (
            "leaderboard: {tracks: [{id: a, answer: {d: [x, z]}}]}\n"
            "questions: {d: {choices: [x, y], board: true}}",
            *(3, "'z' is no answer to 'd'"),
        ),
        ("leaderboard: {entry: first}", 3, "'first' is not"),
        ("leaderboard: {ladder: maybe}", 3, "'maybe' is not"),
    ],
)
def test_what_is_wrong_is_told_at_its_line(tmp_path, text, line, words):
    with pytest.raises(ChallengeError) as caught:
        loaded(tmp_path, text + "\n")
    (problem,) = caught.value.problems
    assert problem.line == line
    assert words in problem.message


@pytest.mark.parametrize(
    ("written", "key", "suggested"),
    [
        ("2026-05-31", "closes", "2026-05-31T23:59:59+00:00"),
        ("2026-05-31", "opens", "2026-05-31T00:00:00+00:00"),
        ("2026-05-31 23:59", "closes", "2026-05-31T23:59:00+00:00"),
        ("2026-05-31T23:59", "closes", "2026-05-31T23:59:00+00:00"),
        ("31.05.2026 24:00", "closes", "2026-05-31T23:59:59+00:00"),
        ("May 31, 2026, 11:59 PM PDT", "closes", "2026-05-31T23:59:00-07:00"),
        ("31 May 2026 AoE", "closes", "2026-05-31T23:59:59-12:00"),
        ("2026/05/31 12:00 +0200", "closes", "2026-05-31T12:00:00+02:00"),
    ],
)
def test_a_time_as_people_write_it_is_answered_with_the_form_to_write(
    written, key, suggested, tmp_path
):
    with pytest.raises(ChallengeError) as refused:
        loaded(tmp_path, f"phases: [{{id: main, {key}: '{written}'}}]\n")
    assert f"write it as {suggested}" in str(refused.value.problems[0])


def test_a_day_alone_ends_late_points_at_its_end(challenge, score):
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@2]\ngrading: {to: 1, late: {due: 2026-05-31, lose: 0.1}}\n"
    )
    assert "write it as 2026-05-31T23:59:59+00:00" in score("lint", folder).err
