"""What a submission looks like, told blindly: for whoever asks why a score is low.

Nothing here opens an answer. A file that is laid beside it, a sample, an earlier entry or a
baseline of one's own, is another submission.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from scorer.api.submissions import Named, baselines, trespasses
from scorer.api.systems import among
from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.core.problems import Findings
from scorer.core.text import printable, quoted
from scorer.prepare.bind import prepare
from scorer.prepare.open import OpenChallenge, opened
from scorer.reading.schema import holds_text
from scorer.reading.table import Table

SHARES = 8  # classes whose share is told
TOP = 10  # places of rankings that are laid beside each other
OPPOSED = -0.5  # a correlation below which an order is nearly the other's reverse


def statistics(
    challenge: Challenge,
    submissions: Sequence[Named],
    beside: Sequence[Named] = (),
    *,
    with_baselines: bool = False,
    allow_plugins: bool = False,
) -> list[list[str]]:
    """What each submission looks like, in sentences; none of a file that cannot be read.

    Args:
        challenge: whose submissions they are; its answers stay closed.
        submissions: the files.
        beside: others that each is laid beside, such as a sample or an earlier entry.
        with_baselines: whether they are laid beside the challenge's baselines, too: for whoever
            has these files, as one of them may be made from the answers.
        allow_plugins: whether the challenge's own code may be run.
    """
    prepared = prepare(challenge, allow_plugins)
    ready = opened(among(prepared, [*submissions, *beside]), blind=True)
    known = [*beside, *(baselines(ready.prepared) if with_baselines else ())]
    others = {
        file.name: table for file in known if (table := _table_of_file(ready, file)) is not None
    }
    tables = (_table_of_file(ready, file) for file in submissions)
    return [
        [] if table is None else list(_sentences(table, ready.public, others)) for table in tables
    ]


def _table_of_file(ready: OpenChallenge, file: Named) -> Table | None:
    if not file.baseline and trespasses(ready, file.path):
        return None
    plan = ready.plan
    return plan.read(file.path, Findings()).table


def _sentences(table: Table, public: Public, others: Mapping[str, Table]) -> Iterator[str]:
    if not len(table):
        return
    yield from _coverage(table, public)
    if "label" in table:
        yield from _labels(table, others)
    for role in table.frame.columns[1:]:
        if role != "rank" and not holds_text(role):
            yield from _number_sentences(table, role, others)
    if "item" in table and public.kind == "grades":
        yield from _orders(table, others)


def _coverage(table: Table, public: Public) -> Iterator[str]:
    """How many of the challenge's lists are there, and whether the first or the last are not."""
    named, known = set(table.frame["list"]), list(public.lists)
    missing = [name not in named for name in known]
    word = public.lists_called
    yield f"{len(known) - sum(missing):,} of {len(known):,} {word}"
    if not any(missing) or all(missing):
        return
    first, last = missing.index(False), missing[::-1].index(False)
    at = [f"the first {first:,}"] * bool(first) + [f"the last {last:,}"] * bool(last)
    if at and first + last == sum(missing):
        yield f"all that are missing are at the edge: {' and '.join(at)} of the challenge's"


def _labels(table: Table, others: Mapping[str, Table]) -> Iterator[str]:
    shares = _label_shares(table)
    word = printable(table.column_name("label"), 60)
    if len(shares) == 1:
        yield f"every {word} is {quoted(next(iter(shares)))}"
        return
    parts = [f"{quoted(name)} {share:.1%}" for name, share in list(shares.items())[:SHARES]]
    more = f" and {len(shares) - SHARES:,} more" if len(shares) > SHARES else ""
    yield f"{word}: {', '.join(parts)}{more}"
    for name, other in others.items():
        if "label" not in other:
            continue
        theirs = _label_shares(other)
        beside = [f"{quoted(key)} {theirs.get(key, 0):.1%}" for key in list(shares)[:SHARES]]
        mine, same = _by_id(table), _by_id(other)
        both = mine.keys() & same.keys()
        agree = sum(mine[key] == same[key] for key in both) / max(len(both), 1)
        yield f"{quoted(name)} has {', '.join(beside)}; {agree:.1%} of the rows agree"


def _label_shares(table: Table) -> dict[str, float]:
    """The share of rows with each label, the largest first."""
    counts = Counter(table.frame["label"].to_list())  # equal ones in the order of the file
    return {name: count / len(table) for name, count in counts.most_common()}


def _by_id(table: Table) -> dict[str, str]:
    return dict(table.frame.select("list", "label").iter_rows())


def _number_sentences(table: Table, role: str, others: Mapping[str, Table]) -> Iterator[str]:
    """The range of a column, whether it is constant, and how it runs beside others' columns."""
    values = table.frame[role].to_numpy()
    word, finite = printable(table.column_name(role), 60), values[np.isfinite(values)]
    if not finite.size:
        return
    distinct = np.unique(finite).size
    if distinct == 1:
        yield f"every {word} is {finite[0]:.6g}; all are equal"
        return
    low, middle, high = np.quantile(finite, [0, 0.5, 1])
    yield f"{word}: {distinct:,} different values, {low:.6g} to {high:.6g}, median {middle:.6g}"
    if role == "score" and "item" in table:
        yield from _ties(table)
    mine = _keyed(table, role)
    for name, other in others.items():
        if role not in other or not (
            both := sorted(mine.keys() & (theirs := _keyed(other, role)).keys())
        ):
            continue
        tau = _correlation([mine[key] for key in both], [theirs[key] for key in both])
        if tau is not None:
            opposed = "; nearly its reverse" if tau < OPPOSED else ""
            yield f"rank correlation of {word} with that of {quoted(name)}: {tau:z.2f}{opposed}"


def _ties(table: Table) -> Iterator[str]:
    """How many lists have one score for all their items."""
    score = pl.col("score")
    by_list = table.frame.filter(score.is_finite()).group_by("list")
    spans = by_list.agg(rows=pl.len(), equal=score.min() == score.max()).filter(pl.col("rows") > 1)
    if equal := int(spans["equal"].sum()):
        yield f"all scores of a list are equal in {equal:,} of {spans.height:,} lists"


def _keyed(table: Table, role: str) -> dict[tuple[str, ...], float]:
    """The number that each list, or each item of a list, has in a column."""
    ids = [id_role for id_role in ("list", "item") if id_role in table]
    keys: list[tuple[str, ...]] = table.frame.select(ids).rows()
    return dict(zip(keys, table.frame[role].to_list(), strict=True))


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's; None where one of both is constant."""
    from scipy.stats import rankdata

    one, other = (rankdata(values) for values in (first, second))
    if one.std() == 0 or other.std() == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _orders(table: Table, others: Mapping[str, Table]) -> Iterator[str]:
    """How long the rankings are, how alike, and how they lie beside others'."""
    mine = _rankings(table)
    sizes = sorted(map(len, mine.values()))
    middle = sizes[len(sizes) // 2]
    items = table.frame["item"].n_unique()
    span = f"{sizes[0]:,} to {sizes[-1]:,} items a list, {middle:,} in the middle"
    alike = f"{middle:,} items in each list"
    yield f"{alike if sizes[0] == sizes[-1] else span}; {items:,} different ones"
    if len(mine) > 1 and len({tuple(items[:TOP]) for items in mine.values()}) == 1:
        yield "all lists begin with the same items in the same order"
    for name, other in others.items():
        theirs = _rankings(other)
        both = mine.keys() & theirs.keys()
        if not both:
            continue
        share = np.mean([_overlap(mine[key][:TOP], theirs[key][:TOP]) for key in both])
        yield f"of the first {TOP} items {share:.1%} are among the first {TOP} of {quoted(name)}"
        taus = [t for key in both if (t := _rank_correlation(mine[key], theirs[key])) is not None]
        if taus:
            opposed = "; nearly its reverse" if np.mean(taus) < OPPOSED else ""
            yield f"rank correlation with {quoted(name)}: {np.mean(taus):z.2f} on average{opposed}"


def _rankings(table: Table) -> dict[str, list[str]]:
    """The items of each list, best first."""
    ordered, key = table.frame, next((role for role in ("score", "rank") if role in table), None)
    if key is not None:
        ordered = ordered.sort(key, descending=key == "score", maintain_order=True)
    rankings: dict[str, list[str]] = {}
    for name, item in ordered.select("list", "item").iter_rows():
        rankings.setdefault(name, []).append(item)
    return rankings


def _overlap(first: Sequence[str], second: Sequence[str]) -> float:
    return len(set(first) & set(second)) / max(len(first), 1)


def _rank_correlation(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Rank correlation of the items that both have."""
    place = {item: float(n) for n, item in enumerate(second)}
    both = [(float(n), place[item]) for n, item in enumerate(first) if item in place]
    return _correlation(*zip(*both, strict=True)) if len(both) > 1 else None
