"""Is all well? What an organizer has to look at first, with the lists behind it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from scorer.board.backup import Usage, measure_usage
from scorer.board.listing import EntryFilter
from scorer.core.text import join_first
from scorer.reading.limits import format_size
from scorer.web.glance import milestones
from scorer.web.site import Site

SLOW = timedelta(minutes=10)  # for which an evaluation may wait without anybody's help
SCARCE = 1 << 30  # bytes of a disk that is nearly full


class Sign(NamedTuple):
    """Something that may be well or not, with the list behind it."""

    name: str
    value: str
    more: str = ""
    due: datetime | None = None  # a time that is waited for
    link: str = ""  # below the challenge's page
    alarm: str = ""  # what is not well; empty: it is


def overview(site: Site, workers: int | None) -> list[Sign]:
    """Teams, entries, what waits and failed, the next date and the disk.

    Args:
        workers: Of this server; None where other processes do the work.
    """
    return [
        *_teams(site),
        *_todays(site),
        _queue(site, workers),
        _failures(site),
        *_dates(site),
        _disk(measure_usage(site.board)),
        *_changed_files(site),
    ]


def _teams(site: Site) -> Iterator[Sign]:
    teams, sent = site.teams, site.sent
    active = sum(number in sent for number in teams.values())
    more = f"{active:,} of them {'has' if active == 1 else 'have'} sent entries"
    yield Sign("teams", f"{len(teams):,}", more, link="admin?view=teams")


def _todays(site: Site) -> Iterator[Sign]:
    listing, now = site.board.ledger.listing(), site.clock().astimezone(site.zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = listing.by_status(midnight)
    more = ", ".join(f"{count:,} {status}" for status, count in sorted(today.items()))
    more = more or f"{listing.count(EntryFilter()):,} in all"
    yield Sign("entries today", f"{sum(today.values()):,}", more, link="entries")


def _queue(site: Site, workers: int | None) -> Sign:
    now = site.clock()
    queue = site.board.evaluations.backlog(now)
    more, alarm = f"{queue.leases:,} being evaluated" if queue.leases else "", ""
    if queue.oldest is not None:
        minutes = max(int((now - queue.oldest).total_seconds() // 60), 0)
        more = f"the first for {minutes:,} minute{'s' * (minutes != 1)}"
        if now - queue.oldest > SLOW:
            alarm = "evaluations wait for long: are workers running?"
    if workers == 0 and queue.waiting:
        alarm = "no worker of this server is alive"
    return Sign("waiting", f"{queue.waiting:,}", more, link="entries?status=pending", alarm=alarm)


def _failures(site: Site) -> Sign:
    failures = site.board.evaluations.failures()
    alarm = f"entries {join_first([n for _, n in failures])} failed" if failures else ""
    return Sign("failed", f"{len(failures):,}", link="admin#failures-title", alarm=alarm)


def _dates(site: Site) -> Iterator[Sign]:
    now = site.clock()
    for each in milestones(site.rules):
        if each.time > now:
            yield Sign("next date", each.words, due=each.time, link="rules")
            return
    yield Sign("next date", "none", link="rules")


def _disk(usage: Usage) -> Sign:
    taken = format_size(usage.database + usage.files)
    alarm = "the disk is nearly full" if usage.free < SCARCE else ""
    return Sign("store", taken, f"{format_size(usage.free)} are free", alarm=alarm)


def _changed_files(site: Site) -> Iterator[Sign]:
    if changed := site.board.versions.changed:
        alarm = f"{join_first(changed)} changed since the version in force"
        yield Sign(
            "files",
            "changed",
            "re-score to make them count",
            link="admin#rescore-title",
            alarm=alarm,
        )
