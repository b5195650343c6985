"""When entries are taken, how many, and what is shown: tables of cases with times."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from scorer.challenge.phases import Phase, Question, Quota
from scorer.store.phases import (
    closed,
    phase_at,
    quota_left,
    refused_answers,
    refused_by_quota,
    shown_at,
    spans,
)
from scorer.store.records import Entry


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
        ("2026-03-31T21:59:59.500000+00:00", "final", "private", "S801"),
        ("2026-03-31T22:00:00+00:00", "final", "private", "S801"),
        ("2030-01-01T00:00:00+00:00", "final", "private", "S801"),
    ],
)
def test_a_phase_begins_and_ends_at_its_moment(now, phase, shown, code):
    found = phase_at(TERM, time(now))
    assert (found.phase.id if found else None) == phase
    assert shown_at(TERM, time(now)) == shown
    refused = closed(TERM, time(now))
    assert (refused.code if refused else None) == code


def test_without_phases_it_is_always_open_and_shows_everything():
    plain = challenge()
    assert closed(plain, time("1990-01-01T00:00:00+00:00")) is None
    assert shown_at(plain, time("1990-01-01T00:00:00+00:00")) == "all"


def test_between_two_phases_the_earlier_board_stays_and_the_next_opening_is_told():
    late = Phase(id="late", opens=time("2026-06-01T00:00:00+02:00"), show="all")
    both = challenge(MAIN, late)
    between = time("2026-05-01T00:00:00+00:00")
    assert phase_at(both, between) is None
    assert shown_at(both, between) == "public"
    assert "opens 2026-06-01T00:00:00+02:00" in closed(both, between).message
    assert (
        "closed since 2026-03-31T23:59:59+02:00" in closed(TERM, time("2027-01-01T00:00Z")).message
    )


def test_a_phase_after_another_has_its_end_as_its_beginning():
    main, final = spans(TERM)
    assert (final.opens, final.closes, final.takes_entries) == (main.closes, None, False)


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
    ("sent", "statuses", "words"),
    [
        ([], [], None),
        (
            2,
            ["scored", "scored"],
            "today's quota is used up; the next entry is possible 2026-03-11",
        ),
        (4, ["scored"] * 4, "the quota of this phase is used up; no further entry"),
        (1, ["rejected"], "today's quota of rejected files is used up"),
    ],
)
def test_a_used_up_quota_says_when_the_next_entry_is_possible(sent, statuses, words):
    mine = entries(*["2026-03-10T09:00+01:00"] * len(statuses))
    by_number = {entry.number: status for entry, status in zip(mine, statuses, strict=True)}
    now = time("2026-03-10T10:00+01:00")
    refused = refused_by_quota(TERM, quota_left(TERM, spans(TERM)[0], mine, by_number, now))
    if words is None:
        assert refused is None
    else:
        assert refused.code == "S802"
        assert words in refused.message


QUESTIONS = {
    "method": Question(required=True, max=5),
    "code": Question(type="url"),
    "own": Question(type="flag"),
    "size": Question(type="number"),
}


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"method": "bm25"}, None),
        ({"method": "bm25", "code": "https://x.example", "own": "yes", "size": "1e3"}, None),
        ({}, "'method' is missing"),
        ({"method": "  "}, "'method' is missing"),
        ({"method": "longer"}, "has 6 characters, at most 5"),
        ({"method": "a", "code": "javascript:1"}, "an address"),
        ({"method": "a", "own": "perhaps"}, "expected yes or no"),
        ({"method": "a", "size": "big"}, "expected a number"),
        ({"method": "a", "metod": "b"}, "'metod' is not asked"),
    ],
)
def test_answers_are_what_is_asked(answers, words):
    refused = refused_answers(QUESTIONS, answers)
    if words is None:
        assert refused is None
    else:
        assert refused.code == "S805"
        assert words in refused.message


def test_times_are_aware():
    assert all(span.opens is None or span.opens.tzinfo for span in spans(TERM))
    assert datetime.now(UTC).tzinfo is not None
