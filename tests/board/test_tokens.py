"""Tokens of teams and organizers: labels, single revocation, and names that mislead."""

from datetime import UTC, datetime

import pytest

from scorer.core.errors import UnknownName, UsageError

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def board(life, store):
    with life.open(store) as opened:
        opened.add_team("red", now=DAY)
        yield opened


def labels(board, team):
    return [token.label for token in board.teams.tokens(team)]


def test_a_team_has_several_tokens_each_of_which_can_be_revoked(board):
    secrets = {board.new_token("red", label, now=DAY) for label in ("mia", "mia", None)}
    assert len(secrets) == 3
    assert labels(board, "red") == [None, "mia", "mia", None]
    _, mia, *_ = board.teams.tokens("red")
    assert board.revoke("red", mia.id, now=DAY) == 1
    assert labels(board, "red") == [None, "mia", None]
    with pytest.raises(UnknownName, match=f"no token is called '{mia.id}'"):
        board.revoke("red", mia.id, now=DAY)
    board.add_team("blue", "a robot", now=DAY)
    assert labels(board, "blue") == ["a robot"]
    with pytest.raises(UnknownName):  # of another team
        board.revoke("blue", board.teams.tokens("red")[0].id, now=DAY)
    assert board.revoke("red", now=DAY) == 3
    assert labels(board, "red") == []
    assert labels(board, "blue") == ["a robot"]


@pytest.mark.parametrize(
    ("team", "label", "message"),
    [
        (None, "red", "cannot be told from 'red'"),
        (None, "organizer", "cannot be told"),
        (None, "Anna", "cannot be told from 'anna'"),
        (None, "7", "cannot be a name"),
        ("red", " ", "cannot be a name"),
        ("green", "mia", "no team is called 'green'"),
    ],
)
def test_no_label_misleads(board, team, label, message):
    board.new_token(None, "anna", now=DAY)
    board.new_token(None, "anna", now=DAY)  # on another machine of hers
    with pytest.raises((UsageError, UnknownName), match=message):
        board.new_token(team, label, now=DAY)


def test_no_team_looks_like_an_organizer(board):
    board.new_token(None, "anna", now=DAY)
    with pytest.raises(UsageError, match="cannot be told from 'anna'"):
        board.add_team("Anna", now=DAY)


def test_tokens_of_a_team_have_an_end(board, monkeypatch):
    monkeypatch.setattr("scorer.board.teams.MOST_TOKENS", 2)
    board.new_token("red", "mia", now=DAY)
    with pytest.raises(UsageError, match="there are 2 tokens already; revoke some"):
        board.new_token("red", "noa", now=DAY)
    board.new_token(None, "anna", now=DAY)
