"""People: organizers and members of teams by name, invitations that are good once, renewal."""

from datetime import UTC, datetime, timedelta

import pytest

from scorer.core.errors import UnknownName, UsageError

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


@pytest.fixture
def board(life, store):
    with life.open(store) as opened:
        opened.add_team("red", now=DAY)
        yield opened


def people(board, team):
    number = None if team is None else board.team(team).id
    return [token.person for token in board.people.of(number)]


@pytest.mark.parametrize(
    ("team", "person", "named", "holds"),
    [("red", None, None, None), ("red", None, "mia", "mia"), ("red", "mia", "eve", "mia"),
     (None, "anna", "eve", "anna")],
)  # fmt: skip
def test_an_invitation_is_good_once_and_for_a_week(board, team, person, named, holds):
    before = people(board, team)
    late, code = (board.people.invite(team, person, now=DAY).secret for _ in range(2))
    assert people(board, team) == before
    let = board.people.accept(code, named, now=DAY + WEEK)
    assert (let.token.person, people(board, team)) == (holds, [*before, holds])
    for again, now in ((code, DAY), (late, DAY + WEEK + timedelta(seconds=1)), ("x", DAY)):
        with pytest.raises(UsageError, match="not known, was used or revoked"):
            board.people.accept(again, now=now)
    assert people(board, team) == [*before, holds]


def test_what_is_revoked_opens_and_invites_no_longer(board):
    codes = [board.people.invite("red", name, now=DAY).secret for name in ("mia", "noa")]
    board.new_token("red", "mia", now=DAY)
    assert board.revoke("red", "mia", now=DAY) == 2
    assert people(board, "red") == [None]
    with pytest.raises(UsageError, match="revoked"):
        board.people.accept(codes[0], now=DAY)
    board.people.accept(codes[1], now=DAY)
    assert people(board, "red") == [None, "noa"]


def test_a_token_is_renewed_once_and_stays_its_persons(board):
    board.new_token("red", "mia", now=DAY)
    old = board.people.of(board.team("red").id)[1]
    new = board.people.renew(old.id, now=DAY).token
    assert (new.person, new.team) == ("mia", old.team)
    assert people(board, "red") == [None, "mia"]
    with pytest.raises(UsageError, match="opens nothing"):
        board.people.renew(old.id, now=DAY)


@pytest.mark.parametrize(
    ("team", "person", "message"),
    [
        (None, None, "by name"),
        (None, "red", "cannot be told from 'red'"),
        (None, "organizer", "cannot be told"),
        (None, "Anna", "cannot be told from 'anna'"),
        (None, "7", "cannot be a name"),
        ("red", " ", "cannot be a name"),
        ("green", "mia", "no team is called 'green'"),
    ],
)
def test_nobody_is_invited_under_a_name_that_misleads(board, team, person, message):
    board.new_token(None, "anna", now=DAY)
    board.new_token(None, "anna", now=DAY)  # on another machine of hers
    with pytest.raises((UsageError, UnknownName), match=message):
        board.people.invite(team, person, now=DAY)


def test_no_team_looks_like_an_organizer(board):
    board.new_token(None, "anna", now=DAY)
    with pytest.raises(UsageError, match="cannot be told from 'anna'"):
        board.add_team("Anna", now=DAY)


def test_tokens_of_a_team_have_an_end(board, monkeypatch):
    monkeypatch.setattr("scorer.board.people.MOST_TOKENS", 3)
    board.people.invite("red", "mia", now=DAY)
    board.new_token("red", "noa", now=DAY)
    with pytest.raises(UsageError, match="3 tokens and invitations already"):
        board.people.invite("red", "eve", now=DAY)
    board.people.invite("red", "eve", now=DAY + 2 * WEEK)  # mia's is no longer good
