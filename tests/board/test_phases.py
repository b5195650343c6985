"""When entries are taken, how many, and what is shown: tables of cases with times."""

from datetime import UTC, datetime, timedelta
from itertools import product
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from scorer.board.board_state import last_shown
from scorer.board.models import Entry
from scorer.board.phases import (
    decision_deadline,
    end_of_second,
    phase_at,
    quota_left,
    received_at,
    refusal_by_quota,
    refusal_of_answers,
    refusal_of_decision,
    refusal_when_closed,
    shown_at,
    spans,
    visible_moment,
)
from scorer.challenge.leaderboard import Question
from scorer.challenge.phases import Phase, Quota, Splits, check_phases

EVER = datetime(1990, 1, 1, tzinfo=UTC)


def time(text):
    return datetime.fromisoformat(text)


def challenge(*phases, timezone="Europe/Ljubljana"):
    return SimpleNamespace(phases=phases, timezone=timezone)


MAIN = Phase(
    id="main",
    opens=time("2026-03-01T10:00:00+01:00"),
    closes=time("2026-03-31T23:59:59+02:00"),
    show="public",
    quota=Quota(per_day=2, total=4, rejected_per_day=1),
)
FINAL = Phase(id="final", after="main", show="private", select=2)
TERM = challenge(MAIN, FINAL)


@pytest.mark.parametrize(
    ("now", "phase", "shown", "code"),
    [
        ("2026-03-01T09:59:59+01:00", None, "none", "S801"),
        ("2026-03-01T10:00:00+01:00", "main", "public", None),
        ("2026-03-01T09:00:00+00:00", "main", "public", None),
        ("2026-03-31T23:59:59+02:00", "main", "public", None),
        ("2026-03-31T21:59:59.999999+00:00", "main", "public", None),
        ("2026-03-31T22:00:00+00:00", "final", "private", "S801"),
        ("2030-01-01T00:00:00+00:00", "final", "private", "S801"),
    ],
)
def test_a_phase_begins_and_ends_at_its_moment(now, phase, shown, code):
    found = phase_at(TERM, time(now))
    assert (found.phase.id if found else None) == phase
    assert shown_at(TERM, time(now)) == shown
    refused = refusal_when_closed(TERM, time(now))
    assert (refused.code if refused else None) == code


def test_without_phases_it_is_always_open_and_shows_everything():
    plain = challenge()
    assert refusal_when_closed(plain, time("1990-01-01T00:00:00+00:00")) is None
    assert shown_at(plain, time("1990-01-01T00:00:00+00:00")) == "all"


def test_between_two_phases_the_earlier_board_stays_and_the_next_opening_is_told():
    late = Phase(id="late", opens=time("2026-06-01T00:00:00+02:00"), show="all")
    both = challenge(MAIN, late)
    between = time("2026-05-01T00:00:00+00:00")
    assert phase_at(both, between) is None
    assert shown_at(both, between) == "public"
    assert "opens 2026-06-01T00:00:00+02:00" in refusal_when_closed(both, between).message
    assert (
        "closed since 2026-03-31T23:59:59+02:00"
        in refusal_when_closed(TERM, time("2027-01-01T00:00Z")).message
    )


def test_a_phase_after_another_has_its_end_as_its_beginning():
    main, final = spans(TERM)
    assert final.opens == main.closes + timedelta(seconds=1)
    assert (final.closes, final.takes_entries) == (None, False)


@pytest.mark.parametrize("after_closing", [0, 59, 60, 60.999999, 61])
def test_a_grace_takes_entries_after_the_close_and_shows_nothing_new_in_it(after_closing):
    rules = challenge(MAIN.model_copy(update={"grace": 60}), FINAL)
    now = MAIN.closes + timedelta(seconds=after_closing)
    assert (refusal_when_closed(rules, now) is None) == (after_closing < 61)
    assert shown_at(rules, now) == ("public" if after_closing < 61 else "private")
    assert (refusal_of_decision(rules, *entries("2026-03-10T12:00+01:00"), now) is None) == (
        after_closing < 61
    )


@pytest.mark.parametrize(
    ("phases", "begun", "took", "from_its_beginning"),
    [
        ((MAIN, FINAL), -6, 9, True),
        ((MAIN, FINAL), -6, 301, False),  # values of the phase after can have been seen
        ((MAIN, FINAL), -600, 500, True),
        ((MAIN,), -6, 3600, True),  # there are none
        ((MAIN, FINAL), 2, 3600, True),  # late anyway
    ],
)
def test_an_entry_is_received_when_its_sending_begins(phases, begun, took, from_its_beginning):
    rules, begins = challenge(*phases), MAIN.closes + timedelta(seconds=begun)
    ends = begins + timedelta(seconds=took)
    assert received_at(rules, begins, ends) == (begins if from_its_beginning else ends)
    shown_while_it_comes = visible_moment(rules, [begins], ends)
    if from_its_beginning:  # nobody sees, while it is sent, what was not shown as it began
        assert shown_at(rules, shown_while_it_comes) == shown_at(rules, begins)
    else:
        assert shown_while_it_comes == ends
    assert visible_moment(rules, [], ends) == ends


def entries(*times, phase="main"):
    return [
        Entry(n, 1, time(each), f"{n:064x}", "a.csv", 1, phase)
        for n, each in enumerate(times, start=1)
    ]


# the clocks go forward on 2026-03-29 at 02:00, so that this day has 23 hours
@pytest.mark.parametrize(
    ("sent", "statuses", "now", "today", "total", "rejected", "next"),
    [
        ([], [], "2026-03-10T12:00+01:00", 2, 4, 1, None),
        (["2026-03-10T00:00+01:00"], ["scored"], "2026-03-10T23:59+01:00", 1, 3, 1, None),
        (["2026-03-09T23:59:59+01:00"], ["scored"], "2026-03-10T00:00+01:00", 2, 3, 1, None),
        # 23:30 UTC is the next day in Ljubljana
        (["2026-03-09T23:30+00:00"], ["scored"], "2026-03-10T12:00+01:00", 1, 3, 1, None),
        (["2026-03-10T09:00+01:00"] * 2, ["scored", "pending"], "2026-03-10T10:00+01:00",
         0, 2, 1, "2026-03-11T00:00+01:00"),
        (["2026-03-10T09:00+01:00"], ["rejected"], "2026-03-10T10:00+01:00",
         2, 4, 0, "2026-03-11T00:00+01:00"),
        (["2026-03-10T09:00+01:00"], ["failed"], "2026-03-10T10:00+01:00", 2, 4, 1, None),
        (["2026-03-28T23:30+01:00", "2026-03-29T00:30+01:00", "2026-03-29T23:30+02:00"],
         ["scored"] * 3, "2026-03-29T23:45+02:00", 0, 1, 1, "2026-03-30T00:00+02:00"),
        (["2026-03-10T09:00+01:00", "2026-03-11T09:00+01:00"] * 2, ["scored"] * 4,
         "2026-03-20T10:00+01:00", 2, 0, 1, None),
        (["2026-03-31T09:00+02:00"] * 2, ["scored"] * 2, "2026-03-31T10:00+02:00",
         0, 2, 1, None),
    ],
)  # fmt: skip
def test_a_quota_counts_what_was_scored_by_days_of_the_zone(
    sent, statuses, now, today, total, rejected, next
):
    mine = entries(*sent)
    by_number = {entry.number: status for entry, status in zip(mine, statuses, strict=True)}
    left = quota_left(TERM, spans(TERM)[0], mine, by_number, time(now))
    assert (left.today, left.total, left.rejected_today) == (today, total, rejected)
    assert left.next == (None if next is None else time(next))


def test_entries_of_another_phase_do_not_count():
    mine = entries("2026-03-10T09:00+01:00", phase="trial")
    left = quota_left(TERM, spans(TERM)[0], mine, {1: "scored"}, time("2026-03-10T10:00+01:00"))
    assert (left.today, left.total) == (2, 4)


@pytest.mark.parametrize(
    ("statuses", "words"),
    [
        ([], None),
        (["scored"] * 2, "today's quota is used up; the next entry is possible 2026-03-11"),
        (["scored"] * 4, "the quota of this phase is used up; no further entry"),
        (["rejected"], "today's quota of rejected files is used up"),
    ],
)
def test_a_used_up_quota_says_when_the_next_entry_is_possible(statuses, words):
    mine = entries(*["2026-03-10T09:00+01:00"] * len(statuses))
    by_number = {entry.number: status for entry, status in zip(mine, statuses, strict=True)}
    now = time("2026-03-10T10:00+01:00")
    refused = refusal_by_quota(TERM, quota_left(TERM, spans(TERM)[0], mine, by_number, now))
    if words is None:
        assert refused is None
    else:
        assert refused.code == "S802"
        assert words in refused.message


QUESTIONS = {
    "method": Question(required=True),
    "size": Question(type="number"),
    "cost": Question(type="number"),
    "gain": Question(type="number", range=[None, 10]),
    "data": Question(choices=("open", "closed")),
}


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"method": "bm25"}, None),
        ({"method": "bm25", "size": "1e3"}, None),
        ({}, "'method' is missing"),
        ({"method": "  "}, "'method' is missing"),
        ({"method": "a" * 1001}, "has 1,001 characters, at most 1,000"),
        ({"method": "a", "size": "big"}, "'big', expected a finite number, such as 3.5"),
        ({"method": "a", "size": "-1"}, "expected at least 0"),
        ({"method": "a", "size": "inf"}, "expected a finite number"),
        ({"method": "a", "size": "nan"}, "expected a finite number"),
        ({"method": "a", "size": "1e31"}, "expected a finite number"),
        ({"method": "a", "size": "1_000"}, "expected a finite number"),
        ({"method": "a", "cost": "3,5"}, "expected a finite number, such as 3.5"),
        ({"method": "a", "cost": "-3"}, "expected at least 0"),
        ({"method": "a", "gain": "-3"}, None),
        ({"method": "a", "gain": "11"}, "expected at most 10"),
        ({"method": "a", "data": "open"}, None),
        ({"method": "a", "data": "opne"}, "'open', 'closed'; did you mean 'open'?"),
        ({"method": "a", "metod": "b"}, "'metod' is not asked"),
    ],
)
def test_answers_are_what_is_asked(answers, words):
    refused = refusal_of_answers(QUESTIONS, answers)
    if words is None:
        assert refused is None
    else:
        assert refused.code == "S805"
        assert words in refused.message


def test_times_are_aware():
    assert all(span.opens is None or span.opens.tzinfo for span in spans(TERM))
    assert datetime.now(UTC).tzinfo is not None


EARLY, LATE = time("2026-03-20T00:00:00+00:00"), time("2026-04-05T00:00:00+00:00")


def after(show="private", **more):
    return Phase(id="final", after="main", show=show, **more)


SECOND = Phase(
    id="second", opens=time("2026-05-01T00:00:00Z"), closes=time("2026-05-31T00:00:00Z"),
    show="public",
)  # fmt: skip
AT_ONCE = SECOND.model_copy(update={"opens": MAIN.closes, "show": "other"})


@pytest.mark.parametrize(
    ("phases", "sent_in", "until"),
    [
        ((), None, None),
        ((MAIN,), "main", None),  # nothing new is ever shown
        ((MAIN, FINAL), "main", end_of_second(MAIN.closes)),
        ((MAIN, after("public")), "main", None),
        ((MAIN, after("none")), "main", None),
        ((MAIN, after("all")), "main", end_of_second(MAIN.closes)),
        ((MAIN, after(select_until=EARLY)), "main", end_of_second(EARLY)),
        ((MAIN, after(select_until=LATE)), "main", end_of_second(LATE)),
        ((MAIN, SECOND), "main", None),
        (
            (MAIN, SECOND, Phase(id="end", after="second", show="all")),
            "main",
            end_of_second(SECOND.closes),
        ),
        ((MAIN, SECOND.model_copy(update={"show": "other"})), "main", end_of_second(MAIN.closes)),
        ((MAIN, AT_ONCE), "main", AT_ONCE.opens - timedelta(microseconds=1)),
        ((MAIN, SECOND.model_copy(update={"show": "other"})), "second", None),
        ((MAIN, SECOND, FINAL), "second", None),  # private values were shown before
    ],
)
def test_a_team_decides_until_values_are_shown_that_it_did_not_know(phases, sent_in, until):
    rules = challenge(*phases)
    assert decision_deadline(rules, sent_in) == until
    (entry,) = entries("2026-03-10T12:00+01:00", phase=sent_in)
    if until is not None:
        assert refusal_of_decision(rules, entry, until) is None
        late = refusal_of_decision(rules, entry, until + timedelta(microseconds=1))
        assert late.code == "S807"
        told = until.astimezone(ZoneInfo("Europe/Ljubljana")).isoformat(timespec="seconds")
        assert told in late.message


def test_a_phase_begins_no_earlier_than_teams_have_selected():
    rules = challenge(MAIN, after(select_until=LATE))
    assert shown_at(rules, LATE) == "public"
    assert shown_at(rules, LATE + timedelta(seconds=1)) == "private"
    assert refusal_when_closed(rules, LATE).code == "S801"
    early = challenge(MAIN, after(select_until=EARLY))
    assert shown_at(early, MAIN.closes) == "public"


TIMES = (None, *(time(f"2026-0{month}-01T00:00:00+00:00") for month in (3, 4, 5, 6)))


@pytest.mark.parametrize("follows", [True, False])
def test_a_split_is_not_shown_before_its_phase_begins(follows):
    """Every pair of phases with and without times is refused, or hides what has not begun."""
    accepted = 0
    for opens, closes, begins, ends in product(TIMES, repeat=4):
        fields = {"after": "main"} if follows else {"opens": begins, "closes": ends}
        try:
            two = (
                Phase(id="main", opens=opens, closes=closes, show="public"),
                Phase(id="final", show="private", **fields),
            )
            check_phases(two, Splits(shares={"public": 0.5, "private": "rest"}, seed=1))
        except (ValidationError, PydanticCustomError):
            continue
        accepted += 1
        begin = closes + timedelta(seconds=1) if follows and closes else begins
        assert begin is not None
        assert opens is None or begin > opens
        rules = challenge(*two)
        for moment in (EVER, *(each for each in TIMES if each)):
            for now in (moment, moment + timedelta(seconds=1)):
                begun = now >= begin
                shown = {shown_at(rules, now), last_shown(rules, now)}
                assert begun or "private" not in shown
                assert not follows or shown <= {"private"} or not begun
    assert accepted
