"""A deadline or a quota changed in a challenge.yaml: the text, and whom it affects."""

from datetime import UTC, datetime, timedelta

import pytest

from scorer.board.amendment import Wish, amendment
from scorer.challenge.amend import amended
from scorer.core.errors import ChallengeError, UsageError

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
BLOCK = "title: x  # its name\nphases:\n- id: main\n  show: all # to all\n- id: other\n"
FLOW = "phases: [ {id: main, quota: {total: 9}}, {id: other} ]\n"


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        (BLOCK, {"closes": "T"}, BLOCK.replace("- id: main\n", "- closes: T\n  id: main\n")),
        (BLOCK, {"quota.total": "5"},
         BLOCK.replace("- id: main\n", "- quota: {total: 5}\n  id: main\n")),
        (FLOW, {"closes": "T"}, FLOW.replace("9}}", "9}, closes: T}")),
        (FLOW, {"quota.total": "null", "quota.per_day": "2"},
         FLOW.replace("total: 9", "total: null, per_day: 2")),
        ("phases:\n  - {id: main, quota: }\n", {"quota.total": "5"},
         "phases:\n  - {id: main, quota: {total: 5} }\n"),
        ("phases: [{id: 'main', closes: 'T' }] # ü\n", {"closes": "U"},
         "phases: [{id: 'main', closes: U }] # ü\n"),
    ],
)  # fmt: skip
def test_all_else_of_the_text_stays(text, changes, expected):
    assert amended(text, "main", changes) == expected


@pytest.mark.parametrize("text", ["title: x", "phases: main", "phases: [{id: other}]", "[]", ""])
def test_a_phase_that_is_not_written_is_told(text):
    with pytest.raises(UsageError, match="no phase 'main' is written"):
        amended(text, "main", {"closes": "T"})


LATER = DAY + 90 * 24 * HOUR
RULES = """\
splits: {public: 0.5, private: rest, seed: 1}
phases:
  - &it {id: main, opens: 2026-01-01T00:00:00Z, closes: 2026-01-06T00:00:00Z, show: public, quota: {per_day: 3}}
  - {id: final, after: main, show: private}
"""  # noqa: E501


@pytest.fixture
def board(life):
    life.rules(RULES)
    with life.open() as opened:
        for n, team in enumerate(("red", "red", "blue")):
            opened.add([life.sent(f"s{n}", float(n))], team, now=DAY + n * HOUR)
        opened.add_team("green", now=DAY)
        yield opened


def wish(closes=datetime(2026, 1, 6, tzinfo=UTC), **quota):
    return Wish("main", closes, quota or {"per_day": 3})


def test_a_quota_tells_the_teams_that_it_affects(board):
    found = amendment(board, wish(per_day=2, total=3), DAY + 3 * HOUR)
    assert found.effects == (
        "Entries a day in phase main: 2; before: 3.",
        "Entries in all in phase main: 3; before: any number.",
    )
    assert [(each.team, each.used, each.before, each.after) for each in found.teams] == [
        ("red", 2, (1, None), (0, 1)),
        ("blue", 1, (2, None), (1, 2)),
        ("green", 0, (3, None), (2, 3)),
    ]
    assert "quota: {per_day: 2, total: 3}" in found.text


@pytest.mark.parametrize(
    ("closes", "now", "words"),
    [
        (
            DAY + HOUR,
            DAY + 3 * HOUR,
            ["closed at once", "'private' are shown from now on", "count: '3'"],
        ),
        (LATER, DAY + 24 * HOUR, ["open again: all 3 teams", "'private' were shown"]),
        (LATER, DAY, []),
    ],
)
def test_a_deadline_tells_what_it_opens_and_closes(board, closes, now, words):
    told = amendment(board, wish(closes), now).effects
    assert told[0].startswith("Phase main closes at ")
    assert told[0].endswith("it was 2026-01-06T00:00:00+00:00.")
    for each in words:
        assert each in " ".join(told)
    assert len(told) == 1 + len(words)


@pytest.mark.parametrize(
    ("wished", "error", "message"),
    [
        (wish(), UsageError, "nothing is changed"),
        (Wish("final", None, {}), UsageError, "no such phase that takes entries"),
        (Wish("x", None, {}), UsageError, "no such phase"),
        (wish(None), ChallengeError, "needs `closes`, since 'final' comes after it"),
        (wish(datetime(2025, 1, 1, tzinfo=UTC)), ChallengeError, "before it opens"),
    ],
)
def test_what_cannot_be_changed_is_told(board, wished, error, message):
    with pytest.raises(error, match=message):
        amendment(board, wished, DAY)


def test_what_would_change_more_is_left_to_people(life):
    early = "phases:\n  - {id: early, closes: 2026-01-01T00:00:00Z, quota: &q {per_day: 3}}\n"
    rules = RULES.replace("quota: {per_day: 3}", "quota: *q").replace("phases:\n", early)
    life.rules(rules.replace("opens: 2026-01-01T00:00:00Z", "opens: 2026-01-02T00:00:00Z"))
    with life.open() as board:
        with pytest.raises(UsageError, match="other keys would change, too"):
            amendment(board, wish(per_day=2), DAY)
        board.version()
    with board.challenge.path.open("a") as file:
        file.write("timezone: Europe/Ljubljana\n")
    with life.open() as board, pytest.raises(UsageError, match="changed since the version"):
        amendment(board, wish(per_day=2), DAY)
