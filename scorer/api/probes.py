"""Probes: submissions made from the truth, such as the best there is, its reverse and random ones.

They are tables, which are joined with the truth as any submission is; no check sees them. Each kind
of challenge has one function that makes its probes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.api.ranked_probes import RankedProbes
from scorer.core.arrays import Ints
from scorer.core.errors import PluginError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.base import PROBABILITY
from scorer.kinds.images import Images, TrueMasks
from scorer.kinds.preferences import Preferences
from scorer.kinds.ranking import Grades
from scorer.kinds.rows import Labels, Ratings
from scorer.metrics.notation import Measure
from scorer.reading.schema import EXTRA, NUMBER
from scorer.reading.table import Table, make_table
from scorer.results.report import Value
from scorer.results.scorecard import UNDEFINED, Scorecard
from scorer.scoring.aggregate import aggregate_folds, aggregate_values, values_of_lists
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import join_truths, score_views
from scorer.views.recommendations import Returned
from scorer.views.rows import indicator_matrix

Cards = tuple[Scorecard, Mapping[str, Scorecard]]  # over the whole truth, and of each fold


@dataclass(frozen=True, slots=True, eq=False)
class Probes:
    """The submissions that are made from one truth.

    Attributes:
        judged: How many rows the truth has.
        rows: How many rows a random submission has.
        source: What random submissions are drawn from, in words.
        perfect: The best there is: a measure's ceiling is the best value of any of them.
        others: Further submissions of the kind, by name: reversed, constant, tied, empty, ...
        random: Draws a submission that knows nothing.
        degraded: Draws a perfect submission in which a share of the answers is random.
        tied: Draws `others["tied"]` as it would be if the items had other names; None if names
            decide nothing.
    """

    judged: int
    rows: int
    source: str
    perfect: Sequence[Table]
    others: Mapping[str, Table]
    random: Callable[[np.random.Generator], Table]
    degraded: Callable[[np.random.Generator, float], Table]
    tied: Callable[[np.random.Generator], Table] | None = None


def make_probes(ready: OpenChallenge) -> Probes | None:
    """Return the probes of a challenge whose truth is open; None for kinds without probes."""
    match ready.truth:
        case Grades() as answers:
            return _ranked_probes(ready, answers)
        case Ratings() as answers:
            return _rating_probes(answers)
        case Preferences() as answers:
            return _preference_probes(answers)
        case Labels() as answers if answers.constants.classes:
            return _class_probes(ready, answers)
        case Labels() as answers:
            return _number_probes(ready, answers)
        case Images() as answers:
            return _image_probes(ready, answers)
    return None


def _ranked_probes(ready: OpenChallenge, answers: Grades) -> Probes:
    """Return the probes of ranked lists of items."""
    lists = RankedProbes(ready, answers)
    perfect = [add_extra_columns(ready, table, own_values=True) for table in lists.perfect()]
    others = lists.others()
    return Probes(
        judged=answers.truth.in_list.size,
        rows=len(answers.lists) * lists.depth,
        source=f"{lists.pool.source}, at most {lists.depth:,} a list",
        perfect=perfect,
        others=others,
        random=lists.random,
        degraded=lists.degraded,
        tied=lists.tied if "tied" in others else None,
    )


def _shuffled_probes(
    truth: pl.DataFrame,
    source: str,
    others: Mapping[str, pl.DataFrame],
    perfect: Sequence[pl.DataFrame] = (),
    shuffle: Callable[[np.random.Generator], Ints] | None = None,
) -> Probes:
    """Return probes in which each row of the truth may have the answer of another row.

    Args:
        truth: The truth as a submission: `list`, maybe `item`, and the columns of answers.
        source: What random submissions are drawn from.
        others: The probes that are not perfect.
        perfect: Further perfect submissions.
        shuffle: Draws for each row the row whose answer it gets; default: a random permutation.
    """
    ids = [role for role in ("list", "item") if role in truth.columns]
    rows = truth.height
    draw = shuffle or (lambda rng: rng.permutation(rows))

    def with_answers_of(chosen: Ints) -> Table:
        return make_table(truth.select(*ids, pl.exclude(ids).gather(chosen)).to_dict())

    def degraded(rng: np.random.Generator, share: float) -> Table:
        is_lost = rng.random(rows) < share
        return with_answers_of(np.where(is_lost, draw(rng), np.arange(rows)))

    return Probes(
        judged=rows,
        rows=rows,
        source=source,
        perfect=[make_table(frame.to_dict()) for frame in (truth, *perfect)],
        others={name: make_table(frame.to_dict()) for name, frame in others.items()},
        random=lambda rng: with_answers_of(draw(rng)),
        degraded=degraded,
    )


def _image_probes(ready: OpenChallenge, answers: Images) -> Probes:
    """Return the probes of masks or boxes."""
    role = "runs" if isinstance(answers, TrueMasks) else "boxes"
    truth = pl.DataFrame(answers.answers((role,)), schema_overrides={role: pl.String})
    nothing = truth.with_columns(pl.lit("").alias(role))
    source = f"the truth's cells, each given to another {ready.public.word('list')}"
    return _shuffled_probes(truth, source, {"nothing": nothing, "empty": truth.clear()})


def _rating_probes(answers: Ratings) -> Probes:
    """Return the probes of ratings."""
    truth = pl.DataFrame(answers.answers(()))
    ratings = answers.truth.grade
    numbers = ("prediction", "low", "high")
    ends = ratings.min(initial=np.inf) + ratings.max(initial=-np.inf)
    mean = float(ratings.mean()) if ratings.size else np.nan
    others = {
        "reversed": truth.with_columns(pl.Series(role, ends - ratings) for role in numbers),
        "constant": truth.with_columns(_lit(role, mean) for role in numbers),
        "empty": truth.clear(),
    }
    return _shuffled_probes(truth, "the ratings, each given to another item", others)


def _number_probes(ready: OpenChallenge, answers: Labels) -> Probes:
    """Return the probes of a table of numbers.

    The further numbers of a submission are the ends of intervals, quantiles or members: the truth's
    column of that name, if it has one, or in another perfect submission the true number itself.
    """
    further = answers.side.extra.get("submission", {})
    names = [name for name, kind in further.items() if kind == "number"]
    of_truth = answers.extras.truth
    own = {f"{NUMBER}{name}]": of_truth[name] for name in names if _is_numeric(of_truth, name)}
    target = pl.DataFrame(answers.answers(()))
    alike = target.with_columns(pl.col("prediction").alias(f"{NUMBER}{name}]") for name in names)
    truth = target.with_columns(pl.Series(role, column) for role, column in own.items())
    mean = float(answers.target.mean())
    return _shuffled_probes(
        truth,
        f"the truth's rows, each given to another {ready.public.word('list')}",
        {"empty": truth.clear(), "mean": target.with_columns(_lit("prediction", mean))},
        [alike] if names else [],
    )


def _is_numeric(columns: Mapping[str, NDArray[Any]], name: str) -> bool:
    return name in columns and columns[name].dtype != object


def _class_probes(ready: OpenChallenge, answers: Labels) -> Probes:
    """Return the probes of a table of classes, in which some groups may have numbers instead."""
    classes = answers.constants.classes
    rules = answers.side.rules
    codes = {f"{PROBABILITY}[{n}]": code for n, code in enumerate(answers.columns)}
    if "score" in rules.columns:
        codes["score"] = len(classes) - 1
    truth = pl.DataFrame(answers.answers({"label", *codes}))
    source = f"the truth's rows, each given to another {ready.public.word('list')}"
    if answers.truth.ndim == 2 or answers.class_shares is not None or codes:
        constant = _constant_classes(answers, truth, codes)
        return _shuffled_probes(truth, source, {"empty": truth.clear(), **constant})
    groups = np.zeros(len(answers.lists), dtype=np.int64)
    shuffle = None
    if answers.numbered is not None:
        names = [ready.public.groups.get(name, "") for name in answers.lists]
        groups = np.unique(names, return_inverse=True)[1].reshape(-1)
        source += " of its group"
        shuffle = partial(_shuffle_within, groups)
    label = truth["label"].gather(_common_rows(answers, groups))
    others = {"empty": truth.clear(), "majority": truth.with_columns(label)}
    return _shuffled_probes(truth, source, others, shuffle=shuffle)


def _shuffle_within(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return the rows, shuffled within each group."""
    rows = np.arange(groups.size)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        rows[members] = rng.permutation(members)
    return rows


def _constant_classes(
    answers: Labels, truth: pl.DataFrame, codes: Mapping[str, int]
) -> dict[str, pl.DataFrame]:
    """Return the submissions of the commonest class, and of each class's share in the truth.

    `codes` has the class of each column of numbers, by its role.
    """
    classes = answers.constants.classes
    several = answers.constants.multilabel
    shares = answers.class_shares
    if shares is None:
        shares = indicator_matrix(answers.truth, len(classes))
    share = shares.mean(axis=0)
    is_common = share >= 0.5 if several else np.arange(share.size) == share.argmax()
    label = (answers.separator if several else "").join(np.array(classes)[is_common])
    common = truth.with_columns(
        _lit("label", label),
        *(_lit(role, float(is_common[code])) for role, code in codes.items()),
    )
    prior = common.with_columns(_lit(role, float(share[code])) for role, code in codes.items())
    return {"majority": common, "prior": prior}


def _common_rows(answers: Labels, groups: Ints) -> Ints:
    """Return for each row a row of its group with the commonest class, or the median number."""
    rows = np.empty(groups.size, dtype=np.int64)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        if answers.numbered is not None and answers.numbered[members].any():
            common = members[np.argsort(answers.target[members], kind="stable")[members.size // 2]]
        else:
            codes = answers.truth[members].astype(np.int64)
            common = members[codes == np.bincount(codes).argmax()][0]
        rows[members] = common
    return rows


def _preference_probes(answers: Preferences) -> Probes:
    """Return the probes of preferences between the items of a list."""
    truth = answers.truth
    orders = answers.orders
    items = {"list": truth.list_names.gather(truth.in_list), "item": truth.items}
    size = truth.in_list.size
    depth = np.zeros(size, dtype=np.int64)  # an order that no preference of the truth contradicts
    better = [np.empty(0, dtype=np.int64)]
    worse = [np.empty(0, dtype=np.int64)]
    blocks = zip(orders.layout.items, orders.bits, orders.rank, strict=True)
    for block_items, bits, rank in blocks:
        depth[block_items] = rank
        lists, low, high = np.nonzero(np.unpackbits(bits, axis=2, count=block_items.shape[1]))
        better.append(block_items[lists, high])
        worse.append(block_items[lists, low])
    place = np.empty(size, dtype=np.int64)
    place[np.argsort(depth, kind="stable")] = np.arange(size)

    def ordered(ranks: Ints) -> Table:
        return make_table({**items, "rank": ranks.astype(np.float64)})

    def stated(better: Ints, worse: Ints) -> Table:
        sides = {"better": truth.items.gather(better), "worse": truth.items.gather(worse)}
        return make_table({"list": items["list"].gather(better), **sides})

    pairs = np.concatenate(better), np.concatenate(worse)
    return Probes(
        judged=size,
        rows=size,
        source="all orders of each list's items",
        perfect=[stated(*pairs), ordered(place)],
        others={
            "reversed": stated(*reversed(pairs)),
            "constant": ordered(np.arange(size)),  # the rows are in the order of the names
            "tied": ordered(np.zeros(size, dtype=np.int64)),
            "empty": stated(better[0], worse[0]),
        },
        random=lambda rng: ordered(rng.permutation(size)),
        degraded=lambda rng, share: ordered(
            np.where(rng.random(size) < share, rng.permutation(size), place)
        ),
    )


def add_extra_columns(ready: OpenChallenge, table: Table, *, own_values: bool = False) -> Table:
    """Return the table with the further columns that submissions have, where it lacks them.

    If a graded truth has the column, too, each item gets its own value there with `own_values`,
    else the value of an item drawn at random. In other columns numbers are 1, and texts empty.
    """
    roles = {
        name: f"{NUMBER if kind == 'number' else EXTRA}{name}]"
        for name, kind in ready.bound.challenge.submission.extra.items()
    }
    missing = {name: role for name, role in roles.items() if role not in table}
    if not missing:
        return table
    of_truth: Mapping[str, NDArray[Any]] = {}
    if isinstance(ready.truth, Grades):
        truth = ready.truth.truth
        rows = truth.find(table.frame)
        if not own_values and truth.in_list.size:
            rows = np.random.default_rng(len(table)).integers(0, truth.in_list.size, rows.size)
        of_truth = ready.truth.extras.truth.at_or_missing(rows)
    columns = list[pl.Series | pl.Expr]()
    for name, role in missing.items():
        if role.startswith(NUMBER):
            has_numbers = _is_numeric(of_truth, name)
            columns.append(pl.Series(role, of_truth[name]) if has_numbers else _lit(role, 1.0))
        elif name in of_truth:
            columns.append(pl.Series(role, list(map(str, of_truth[name])), dtype=pl.String))
        else:
            columns.append(_lit(role, ""))
    return table.with_frame(table.frame.with_columns(columns))


def _lit(role: str, value: float | str) -> pl.Expr:
    return pl.lit(value).alias(role)


def score_probe(ready: OpenChallenge, table: Table) -> Cards:
    """Return the scorecards of a probe; `PluginError` if a metric fails on it."""
    views = join_truths(ready.plan, add_extra_columns(ready, table))
    outcome = score_views(ready.plan, views, Findings())
    if outcome.card is None:
        raise PluginError(" ".join(each.cause or each.message for each in outcome.findings))
    return outcome.card, outcome.folds


def evaluate_probe(ready: OpenChallenge, table: Table) -> dict[str, Value]:
    """Return the value of a probe by each measure, by the challenge's rules."""
    card, folds = score_probe(ready, table)
    rules = ready.bound.undefined_rules
    return {
        measure.id: aggregate_folds(folds, card.lists, measure, rules)
        if folds
        else aggregate_values(card, measure, rules)
        for measure in ready.measures
    }


def find_unanswerable_lists(ready: OpenChallenge, probes: Probes | None) -> Iterator[Problem]:
    """Yield problems of lists that have no value whatever is submitted, where none is allowed.

    Beside perfect submissions a random one is tried, as a measure may need more items than the
    truth names.
    """
    strict = [measure for measure in ready.measures if _allows_no_undefined(ready, measure)]
    if not strict or probes is None:
        return
    assert ready.truth is not None
    parts = {part.id: part for measure in strict for part in measure.all_parts}
    restricted = replace(ready, plan=replace(ready.plan, measures=tuple(parts.values())))
    undefined = {measure.id: set(ready.truth.lists) for measure in strict}
    for table in (*probes.perfect, probes.random(np.random.default_rng(1))):
        cards = score_probe(restricted, table)
        for measure in strict:
            undefined[measure.id] &= _undefined_lists(ready, measure, cards)
        if not any(undefined.values()):
            return
    path = str(ready.bound.challenge.truth.file)
    word = ready.public.word("list")
    help = "leave such lists out of the truth, or write undefined: skip"
    for measure in strict:
        if names := [name for name in ready.truth.lists if name in undefined[measure.id]]:
            message = f"{measure.id} has no value for {word} {join_first(names)}"
            message += ", whatever is submitted"
            yield Problem("T511", message, path=path, list=names[0], help=help, times=len(names))


def _allows_no_undefined(ready: OpenChallenge, measure: Measure) -> bool:
    """Return whether a list without a value by the measure is an error, and the truth's fault."""
    depends_on_truth = measure.of_lists and measure.metric.view is not Returned
    return depends_on_truth and ready.bound.undefined_rules[measure.id].undefined == "error"


def _undefined_lists(ready: OpenChallenge, measure: Measure, cards: Cards) -> set[str]:
    card, folds = cards
    return {
        scorecard.lists[n]
        for scorecard in folds.values() or [card]
        for n in np.flatnonzero(
            values_of_lists(scorecard, measure, ready.bound.undefined_rules)[1] >= UNDEFINED
        ).tolist()
    }
