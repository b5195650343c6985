"""The living part of challenge.yaml: what is read, and what is refused at which line."""

from datetime import UTC, datetime, timedelta

import pytest
from tables import rows

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
    ("written", "key", "suggested"),
    rows(__file__, "a_time_as_people_write_it_is_answered_with_the_form_to_write"),
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
