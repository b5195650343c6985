"""Is all well? What an organizer looks at first: each fact leads to the page behind it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import quote

from scorer.board.backup import Usage, measure_usage
from scorer.board.listing import EntryFilter
from scorer.core.text import join_first
from scorer.reading.limits import format_size
from scorer.web.presenters import Fact, upcoming
from scorer.web.site import Site

SLOW = timedelta(minutes=10)  # an evaluation that waits longer needs somebody's help
SCARCE = 1 << 30  # bytes; a disk with less free space is nearly full


def overview(site: Site, workers: int | None, root: str) -> list[Fact]:
    """Return facts on teams, entries, evaluations, the next date and the disk, with alarms.

    Args:
        site: The challenge.
        workers: The number of this server's workers that are alive; None: only other processes
            evaluate entries.
        root: The path below which a proxy has put the server.
    """
    facts = [
        _teams(site),
        _entries_today(site),
        _queue(site, workers),
        _failures(site),
        _next_date(site),
        _disk(measure_usage(site.board)),
        *_changed_files(site),
    ]
    path = f"{root}/c/{quote(site.id)}"
    return [fact._replace(link=f"{path}/{fact.link}" if fact.link else "") for fact in facts]


def _teams(site: Site) -> Fact:
    teams, sent = site.teams, site.sent
    active = sum(number in sent for number in teams.values())
    more = f"{active:,} of them {'has' if active == 1 else 'have'} sent entries"
    return Fact("teams", f"{len(teams):,}", more, link="admin?view=teams")


def _entries_today(site: Site) -> Fact:
    listing, now = site.board.ledger.listing(), site.clock().astimezone(site.zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = listing.by_status(midnight)
    more = ", ".join(f"{count:,} {status}" for status, count in sorted(today.items()))
    more = more or f"{listing.count(EntryFilter()):,} in all"
    return Fact("entries today", f"{sum(today.values()):,}", more, link="entries")


def _queue(site: Site, workers: int | None) -> Fact:
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
    return Fact("waiting", f"{queue.waiting:,}", more, link="entries?status=pending", alarm=alarm)


def _failures(site: Site) -> Fact:
    failures = site.board.evaluations.failures()
    alarm = f"entries {join_first([each.entry for each in failures])} failed" if failures else ""
    return Fact("failed", f"{len(failures):,}", link="admin#failures-title", alarm=alarm)


def _next_date(site: Site) -> Fact:
    ahead = upcoming(site.rules, site.clock())
    if ahead is None:
        return Fact("next date", "none", link="rules")
    return Fact("next date", ahead.words, due=ahead.time, link="rules")


def _disk(usage: Usage) -> Fact:
    taken = format_size(usage.database + usage.files)
    alarm = "the disk is nearly full" if usage.free < SCARCE else ""
    return Fact("store", taken, f"{format_size(usage.free)} are free", alarm=alarm)


def _changed_files(site: Site) -> Iterator[Fact]:
    if changed := site.board.versions.changed:
        alarm = f"{join_first(changed)} changed since the version in force"
        yield Fact(
            "files",
            "changed",
            "re-score to make them count",
            link="admin#rescore-title",
            alarm=alarm,
        )
