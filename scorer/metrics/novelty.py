"""Metrics beyond accuracy: how far recommendations spread, how new and how different they are.

They read `Returned`, every returned item beside the challenge's catalogue, or `Scored`, which has
the scores and the judged items as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, at_or_missing
from scorer.core.errors import ChallengeError
from scorer.metrics.api import metric
from scorer.metrics.parameters import (
    Catalogue,
    Cutoff,
    Distance,
    FromChallenge,
    ItemColumn,
    Needs,
    Persistence,
    Relevant,
    feature_distances,
)
from scorer.metrics.ratios import Figure, Ratio, Table, divide, sum_of_rows
from scorer.views.ranked import steps
from scorer.views.recommendations import Returned, Scored

HANDBOOK = "Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.3"
HISTORY = "history or items.users"  # either says how many past users know an item

CatalogueCutoff = Annotated[Cutoff, Needs(lambda *_: ("items",))]
FeatureDistance = Annotated[Distance, Needs(lambda *_: ("items.features",))]
ShareBase = Annotated[
    Literal["users", "interactions"],
    Field(description="Shares of the past users, or of all (user, item) pairs of the past."),
    Needs(
        lambda base, params: (
            ("history",) if base == "users" and params["users"] is None else (HISTORY,)
        )
    ),
]
PastUsers = Annotated[
    Annotated[int, Strict(), Field(ge=1)] | None,
    Field(description="How many past users there are; by default the history's lists."),
    FromChallenge(lambda constants: constants.users),
]
ExpectedItems = Annotated[
    Annotated[int, Strict(), Field(ge=1)] | Literal["history"],
    Field(
        description="What is expected: this many of the most popular items, such as 100, "
        "or what is like the list's history."
    ),
    Needs(
        lambda expected, _: ("history", "items.features") if expected == "history" else (HISTORY,)
    ),
]
TargetShares = Annotated[
    Literal["relevant", "catalogue", "lists"],
    Field(
        description="The shares of classes that attention should have: those of the list's "
        "relevant items, of all items, or of the column of `lists` that has the same name."
    ),
    Needs(lambda target, params: (f"lists.extra.{params['group']}",) if target == "lists" else ()),
]
ThresholdCount = Annotated[
    int, Strict(), Field(ge=1, le=1000, description="How many thresholds are tried, the last is 1.")
]


def _item_figure(view: Returned, k: int, function: Any, no_bootstrap: str, formula: str) -> Figure:
    """A figure of the catalogue's items at the first k ranks, a row for each time one is there."""
    top = view.top(k)
    is_known = top.item >= 0
    columns, in_list = {"item": top.item[is_known]}, top.in_list[is_known]
    return Figure(function, columns, in_list, no_bootstrap=no_bootstrap, formula=formula)


@metric(
    "CatalogueCoverage",
    title="Coverage of the catalogue",
    source="Ge, Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761",
    latex=r"\frac{u}{I}, \qquad u = \text{different items at the first } k \text{ ranks of "
    r"all lists}",
    tools="Elliot: ItemCoverage (the count alone)",
    aliases=("CatalogCoverage",),
)
def cataloguecoverage(view: Returned, *, k: Cutoff, catalogue: Catalogue = None) -> Figure:
    """The share of all items that at least one list recommends in its first k ranks.

    All items are in the challenge's `items`. Others divide by the items of the training set, or
    take every item that could be predicted at all (prediction coverage).

    Two lists recommend a and b, and a; of four items:

    >>> view = returned_view((["a", "b"], {}), (["a"], {}), users=dict.fromkeys("abcd", 1))
    >>> cataloguecoverage(view, k=2).pooled()  # {a, b} / 4
    0.5
    """
    function = partial(_coverage, catalogue=catalogue or len(view.catalogue.ids))
    reason = "a draw of lists holds fewer different items than the lists do"
    figure = _item_figure(view, k, function, reason, "different items / catalogue")
    return replace(figure, empty=0.0)


def _coverage(columns: Mapping[str, Any], weight: Floats, *, catalogue: int) -> float:
    return float(np.unique(columns["item"]).size / catalogue)


@metric(
    "Gini",
    title="Gini index of how recommendations spread",
    source=HANDBOOK,
    latex=r"\frac{\sum_{j=1}^{I} (2 j - I - 1) q_j}{I - 1}, "
    r"\qquad q_j = \text{share of the } j \text{-th least recommended item in the "
    r"first } k \text{ ranks of all lists}",
    tools="Elliot: Gini (1 less the value); RankSys: Gini (1 less the value)",
    better="lower",
    undefined="nothing is returned, or there is one item alone",
)
def gini(view: Returned, *, k: Cutoff, catalogue: Catalogue = None) -> Figure:
    """How unequally the first k ranks of all lists spread over the catalogue.

    0: every item is recommended equally often; 1: it is always the same one. The sum of
    (2j - n - 1) p_j over the n items, from the least recommended to the most, divided by n - 1.
    Items that are never recommended count. Tools that divide by n instead of n - 1 never reach 1.
    What insurers call the normalized Gini, of a ranking of risks, is `NormalizedGini`.

    a is recommended three times, b once, c never:

    >>> lists = (["a", "b"], {}), (["a"], {}), (["a"], {})
    >>> view = returned_view(*lists, users=dict.fromkeys("abc", 1))
    >>> gini(view, k=2).pooled()  # (-2 * 0 + 0 * 1/4 + 2 * 3/4) / 2
    0.75
    """
    function = partial(_inequality, catalogue=catalogue or len(view.catalogue.ids))
    reason = "a draw of lists repeats rare items, so that it is more unequal than the lists are"
    return _item_figure(view, k, function, reason, "Gini coefficient of the items' counts")


def _inequality(columns: Mapping[str, Any], weight: Floats, *, catalogue: int) -> float:
    count = np.unique(columns["item"], return_counts=True)[1]
    if catalogue < 2:
        return float("nan")
    place = np.arange(catalogue - count.size + 1, catalogue + 1)  # items never returned come first
    total = ((2 * place - catalogue - 1) * np.sort(count)).sum()
    return float(total / count.sum() / (catalogue - 1))


@metric(
    "Entropy",
    title="Entropy of how recommendations spread",
    source=HANDBOOK,
    latex=r"-\sum_{x \in X} q_x \log_2 q_x, \qquad X = \text{items at the first } k \text{ ranks "
    r"of all lists}, \qquad q_x = \text{share of item } x \text{ in them}",
    tools="Elliot: ShannonEntropy",
    range=(0, None),
    undefined="nothing is returned",
)
def entropy(view: Returned, *, k: CatalogueCutoff) -> Figure:
    """How evenly the first k ranks of all lists spread over the items, in bits.

    The sum of -p log2 p, where p is an item's share of all recommendations: 0 when it is always the
    same item, log2 n when all n items are recommended equally often. With the natural logarithm, as
    in some libraries, it is 0.693 times as much.

    a is recommended twice, b and c once:

    >>> lists = (["a", "b"], {}), (["a", "c"], {})
    >>> view = returned_view(*lists, users=dict.fromkeys("abc", 1))
    >>> entropy(view, k=2).pooled()  # 1/2 * 1 + 2 * 1/4 * 2
    1.5
    """
    reason = "a draw of lists repeats rare items, so that it is less even than the lists are"
    return _item_figure(view, k, _evenness, reason, "-sum of share × log2(share) of each item")


def _evenness(columns: Mapping[str, Any], weight: Floats) -> float:
    count = np.unique(columns["item"], return_counts=True)[1]
    share = np.sort(count) / count.sum()
    return float(-(share * np.log2(share)).sum()) + 0.0  # never -0


@metric(
    "ListCoverage",
    title="Coverage of the lists",
    source=f"{HANDBOOK} (user space)",
    latex=r"\frac{a}{L}, \qquad a = \text{lists with at least one item}, \qquad L = "
    r"\text{lists}",
    tools="Elliot: UserCoverage (the count alone)",
    aliases=("UserCoverage",),
    pooling="default",
    undefined="there are no lists",
    ties=("expected",),
)
def listcoverage(view: Returned) -> Ratio:
    """The share of the lists for which anything is returned.

    Below 1 only where the challenge accepts that lists are missing or empty. Shani and Gunawardana
    ask in addition for a minimum of items or confidence.

    One of two lists is answered:

    >>> listcoverage(returned_view((["a"], {}), ([], {}))).pooled()  # 1 / 2
    0.5
    """
    answered = np.minimum(view.total(), 1.0)
    terms = {"lists answered": answered, "lists": 1}
    return Ratio(answered, 1, "lists answered / lists", terms)


@metric(
    "Novelty",
    title="Novelty (mean self-information)",
    source="Zhou et al., PNAS 107(10), 2010, doi:10.1073/pnas.1000488107",
    latex=r"-\frac{1}{m} \sum_{i=1}^{m} \log_2(\frac{\max(u_i, 1)}{N}), \qquad m = \min(k, "
    r"n), \qquad u_i = \text{past users, or interactions, of the item at rank } i, "
    r"\qquad N = \text{all past users, or interactions}",
    tools="RankSys: free discovery; "
    "Elliot: EFD (with base=interactions, and weighed by rank and relevance)",
    range=(0, None),
    undefined="nothing is returned",
)
def novelty(
    view: Returned, *, k: Cutoff, base: ShareBase = "users", users: PastUsers = None
) -> Ratio:
    """How surprising it is that a past user knows the recommended items, in bits.

    The mean over a list's first k items of -log2 of the share of past users that know the item
    (`base=users`, as Zhou et al. and RankSys's free discovery) or of the share of past interactions
    that were with it (`base=interactions`, as Elliot's EFD and Microsoft's recommenders). How many
    know an item is counted from the challenge's `history`. Without one it is the column `users` of
    its `items`, and `users=` must say how many users there were. An item that nobody knows counts
    as if one user did. Microsoft's averages over all recommendations instead of list by list.

    Of 8 past users 4 know a, 1 knows b, nobody knows c:

    >>> view = returned_view((["a", "b", "c"], {}), users={"a": 4, "b": 1, "c": 0})
    >>> novelty(view, k=3, users=8).values().round(4)  # (1 + 3 + 3) / 3
    array([2.3333])
    """
    top, all_users = view.top(k), view.catalogue.users
    past = all_users.sum() if base == "interactions" else users
    if base == "users" and users is not None and all_users.max(initial=1) > users:
        most = f"an item is known to {all_users.max(initial=1):,.12g} past users"
        raise ChallengeError(f"Novelty: there cannot be {users:,} past users where {most}")
    known_to = np.maximum(view.catalogue.users_of(top.item), 1.0)
    bits = -np.log2(known_to / past)
    columns = {"known to": known_to, "-log2 of the share": bits}
    return sum_of_rows(top, columns, top.total(), "items")


@metric(
    "Serendipity",
    title="Serendipity",
    source="Ge, Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761; "
    "with expected=history Zhang et al. (Auralist), WSDM 2012, doi:10.1145/2124295.2124300",
    latex=r"\frac{1}{k} \sum_{i=1}^{k} r_i e_i, \qquad e_i = \text{how unexpected the "
    r"item at rank } i \text{ is}",
    range=(0, 2),
)
def serendipity(
    view: Returned,
    *,
    k: Cutoff,
    expected: ExpectedItems,
    distance: Distance = "cosine",
    rel: Relevant = 1,
) -> Ratio:
    """How many of the first k ranks hold an item that is relevant and yet unexpected.

    With a number, the items that most past users know are expected (equal counts in the order of
    their ids), and the value is the share of the k ranks with a relevant item that is not expected.
    Ge et al. leave open which primitive recommender sets the expectations; here it is popularity.
    With `expected=history` a relevant item counts by how unlike the items of the list's history it
    is: its mean `distance` from them by the feature columns, and 1 where there is no history.
    Microsoft's recommenders compute that with a cosine of co-occurrence and divide by the number of
    items returned; a list shorter than k is divided by k here, as in `P`.

    a is known to most; a and b are relevant, c is not:

    >>> users, features = {"a": 9, "b": 2, "c": 1}, {"a": [1, 0], "b": [1, 1], "c": [0, 1]}
    >>> lists = (["a", "b", "c"], {"a": 1, "b": 1})
    >>> view = returned_view(lists, users=users, features=features, history=[["a"]])
    >>> serendipity(view, k=4, expected=1).values()  # b / 4
    array([0.25])
    >>> serendipity(view, k=4, expected="history").values().round(4)  # (0 + (1 - 1/sqrt(2))) / 4
    array([0.0732])
    """
    top = view.top(k)
    relevant = top.where(top.grade >= rel)
    if expected == "history":
        unexpected = _distance_from_history(relevant, distance)
        columns = {"grade": relevant.grade, "unexpected": unexpected}
    else:
        order = np.argsort(-view.catalogue.users, kind="stable")
        places = np.empty(order.size, dtype=np.int64)
        places[order] = np.arange(1, order.size + 1)
        # An item outside the catalogue is last.
        place = at_or_missing(places, relevant.item, order.size + 1)
        unexpected = (place > int(expected)).astype(np.float64)
        columns = {"place by popularity": place.astype(float), "unexpected": unexpected}
    return sum_of_rows(relevant, columns, k, "k", name="sum of unexpected")


def _distance_from_history(items: Returned, distance: str) -> Floats:
    """The mean distance of each item from the items of its list's history; 1 without a history."""
    catalogue = items.catalogue
    features = catalogue.features_of(items.item)
    sums, count = np.zeros(items.item.size), np.zeros(items.item.size)
    first = np.searchsorted(items.past_list, np.arange(items.lists + 1))  # of each list's history
    # Step n takes the n-th item of the history, for all rows whose list has that many.
    for n, row in steps(np.diff(first)[items.in_list]):
        past = items.past_item[first[items.in_list[row]] + n - 1]
        sums[row] += feature_distances(features[row], catalogue.features_of(past), distance)
        count[row] += 1
    return np.divide(sums, count, out=np.ones_like(sums), where=count > 0)


@metric(
    "ILD",
    title="Intra-list distance",
    source="Smyth and McClave, ICCBR 2001; Ziegler et al., WWW 2005, doi:10.1145/1060745.1060754",
    latex=r"\frac{2}{m (m - 1)} \sum_{i=1}^{m} \sum_{j=i+1}^{m} d_{i,j}, \qquad m = "
    r"\min(k, n), \qquad d_{i,j} = \text{distance of the features at ranks } i "
    r"\text{ and } j",
    range=(0, 2),
    undefined="fewer than two items are returned",
)
def ild(view: Returned, *, k: Cutoff, distance: FeatureDistance = "cosine") -> Ratio:
    """How different a list's first k items are from one another.

    The mean distance over all pairs of them, by the feature columns of the challenge's `items`.
    Ziegler's intra-list similarity is a sum and grows with the list; RankSys weighs pairs by rank
    and relevance where asked to. An item without features is at cosine distance 1 from all, as in
    scikit-learn; two such items are at Jaccard distance 0.

    a and b are comedies, c is a thriller:

    >>> features = {"a": [1, 0], "b": [1, 0], "c": [0, 1]}
    >>> view = returned_view((["a", "b", "c"], {}), (["a"], {}), features=features)
    >>> ild(view, k=10).values().round(4)  # (0 + 1 + 1) / 3
    array([0.6667,    nan])
    """
    top = view.top(k)
    features = top.catalogue.features_of(top.item)
    total, pairs = np.zeros(top.lists), np.zeros(top.lists)
    for one, other in top.pairs():
        distances = feature_distances(features[one], features[other], distance)
        total += np.bincount(top.in_list[one], distances, top.lists)
        pairs += np.bincount(top.in_list[one], minlength=top.lists)
    terms = {"sum of distances": total, "pairs": pairs}
    return Ratio(total, pairs, "sum of distances / pairs", terms)


@metric(
    "AWRF",
    title="Attention-weighted rank fairness",
    source="Sapiezynski et al., WWW 2019, doi:10.1145/3308560.3317595; TREC Fair Ranking 2021",
    latex=r"1 - \frac{1}{2} \sum_{c=1}^{C} \left([e_c > 0] e_c \log_2(\frac{e_c}{m_c}) + "
    r"[t_c > 0] t_c \log_2(\frac{t_c}{m_c})\right), \qquad m_c = \frac{e_c + t_c}{2}, "
    r"\qquad e_c = \text{share of the attention that class } c \text{ gets}, \qquad "
    r"t_c = \text{share that it should have}",
    undefined="there is no target",
)
def awrf(
    view: Scored,
    *,
    k: Cutoff | None = None,
    group: ItemColumn = "group",
    target: TargetShares = "relevant",
    weight: Literal["log", "geometric"] = "log",
    p: Persistence = 0.5,
    rel: Relevant = 1,
) -> Ratio:
    """How near the attention that classes of items get comes to the shares they should have.

    Rank i gets the attention 1 / log2(max(i, 2)), as in TREC's Fair Ranking track, or
    (1 - p) p^(i - 1) (`weight=geometric`, as the paper). An item's attention is divided among its
    classes, a further column of `items` of the kind classes: `a`, `a|b` for a half each,
    `a:0.7|b:0.3`. The value is 1 less the Jensen-Shannon divergence, in bits, of these sums from
    the target. 0 where no returned item has a class.

    a and b are relevant, of two classes; a alone is returned:

    >>> item = {"group": {"a": [1.0, 0.0], "b": [0.0, 1.0]}}
    >>> view = scored_view(({"a": 0.9}, {"a": 1, "b": 1}), item=item)
    >>> awrf(view).values().round(6)  # 1 - (log2(4/3) / 2 + (1 + ...) / 2)
    array([0.688722])
    """
    rank = view.rank.astype(np.float64)
    attention = 1 / np.log2(np.maximum(rank, 2)) if weight == "log" else (1 - p) * p ** (rank - 1)
    attention = np.where(rank <= (np.inf if k is None else k), attention, 0.0)
    classes = view.extras.item[group]
    if classes.ndim != 2:
        _refuse_column(group, "items")
    exposure = _normalized([view.total(each * attention) for each in classes.T], view.lists)
    wanted = _target_shares(view, group, target, rel)
    divergence = _divergence(exposure, wanted)
    divergence[np.isnan(exposure).any(axis=1)] = 1.0
    is_defined = ~np.isnan(wanted).any(axis=1)
    fairness = np.where(is_defined, 1 - divergence, 0.0)
    terms, table = {"divergence": divergence}, Table(view, {"attention": attention})
    return Ratio(fairness, is_defined.astype(float), "1 - divergence", terms, table)


def _refuse_column(group: str, section: str) -> NoReturn:
    raise ChallengeError(
        f"AWRF: {group} of {section} must be classes; write {section}: "
        f"{{columns: {{extra: {{{group}: classes}}}}}}"
    )


def _target_shares(view: Scored, group: str, target: str, rel: float) -> Floats:
    """The shares of classes that each list should have: shape (lists, classes)."""
    if target == "lists":
        names, list_classes = view.extras.item.levels[group], view.extras.list.levels.get(group)
        if list_classes is None:
            _refuse_column(group, "lists")
        if unknown := [name for name in list_classes if name not in names]:
            raise ChallengeError(f"AWRF: no item has the class {unknown[0]!r} of lists' {group}")
        targets = np.zeros((len(names), view.lists))
        targets[[names.index(name) for name in list_classes]] = view.extras.list[group].T
        return _normalized(list(targets), view.lists)
    if target == "catalogue":
        totals = view.catalogue.extra[group].sum(axis=0)
        return _normalized([np.full(view.lists, total) for total in totals], view.lists)
    ideal = view.judged.ideal
    shares = view.judged.extras.item[group] * (ideal.grade >= rel)[:, None]
    return _normalized([ideal.total(each) for each in shares.T], view.lists)


def _normalized(totals: list[Floats], lists: int) -> Floats:
    """The share of each class in each list, (lists, classes), from its total in each list.

    NaN where all totals are 0.
    """
    table = np.column_stack([np.empty((lists, 0)), *totals])
    return divide(table, table.sum(axis=1, keepdims=True))


def _divergence(first: Floats, second: Floats) -> Floats:
    """The Jensen-Shannon divergence of the shares in each row, in bits; NaN where either is NaN."""
    middle = (first + second) / 2
    divergence = np.zeros(len(first))
    for side in (first, second):
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(side > 0, side * np.log2(side / middle), 0.0)
        divergence += np.where(np.isnan(side).any(axis=1), np.nan, terms.sum(axis=1)) / 2
    return np.clip(divergence, 0.0, 1.0)


@metric(
    "Fmax",
    title="Highest F1 over thresholds",
    source="Radivojac et al., Nature Methods 10, 2013, doi:10.1038/nmeth.2340; CAFA",
    latex=r"\max_{t \in T} \frac{2 P_t Q_t}{P_t + Q_t}, \qquad T = \text{the thresholds}, "
    r"\qquad P_t = \text{precision of the items with a score of } t \text{ or more}, "
    r"\qquad Q_t = \text{their recall}",
    tools="CAFA: F-max",
    undefined="nothing is relevant in the truth",
    domain=lambda params: {"score": (0.0, 1.0)},
)
def fmax(
    view: Scored,
    *,
    steps: ThresholdCount = 100,
    rel: Relevant = 1,
    average: Literal["lists", "pooled"] = "lists",
    weight: ItemColumn | None = None,
) -> Figure:
    """F1 of the items with a score of at least t, for the t from 0 to 1 that makes it highest.

    As in CAFA, whose lists are proteins and whose items are terms: at each threshold precision is
    averaged over the lists with any item left, recall over all lists with a relevant item, and t is
    the same for all. `average=pooled` counts the items of all lists together, which is what anomaly
    detection and others call Fmax. `weight` names a further column of `items`
    (`extra: {ic: number}`), so that items count by it: the weighted Fmax of information content.
    Terms are not propagated up an ontology. Scores are numbers from 0 to 1.

    Right at .9, wrong at .5, and one of two relevant items missed:

    >>> view = scored_view(({"a": 0.9, "x": 0.5}, {"a": 1, "b": 1}))
    >>> round(fmax(view).pooled(), 6)  # P 1, R 1/2
    0.666667
    """
    judged = view.judged
    item_weight, ideal_weight = np.ones(view.rank.size), np.ones(judged.ideal.rank.size)
    if weight is not None:
        item_weight = np.nan_to_num(view.extras.item[weight])
        ideal_weight = np.nan_to_num(judged.extras.item[weight])
    predicted = _at_or_above(view, steps, item_weight)
    right = _at_or_above(view, steps, np.where(view.grade >= rel, item_weight, 0.0))
    relevant = judged.ideal.total(np.where(judged.ideal.grade >= rel, ideal_weight, 0.0))
    # precision is right / predicted, recall is found / relevant, each summed over the lists
    columns = {"right": right, "predicted": predicted, "found": right, "relevant": relevant}
    if average == "lists":
        columns = {
            "right": np.nan_to_num(divide(right, predicted)),
            "predicted": (predicted > 0).astype(np.float64),
            "found": np.nan_to_num(divide(right, relevant[:, None])),
            "relevant": np.ones(view.lists),
        }
    counted = np.flatnonzero(relevant > 0)
    chosen = {name: column[counted] for name, column in columns.items()}
    return Figure(_highest_f1, chosen, counted, formula="highest F1 of all thresholds")


def _at_or_above(view: Scored, steps: int, weight: Floats) -> Floats:
    """The weight of each list's items that score each threshold or more: (lists, steps)."""
    score, levels = np.nan_to_num(view.score), steps + 1
    # a score of .29 reaches the threshold .29, whatever .29 * 100 is rounded to
    level = np.clip(np.floor(score * steps + 1e-9), 0, steps).astype(np.int64)
    cells = np.bincount(view.in_list * levels + level, weight, view.lists * levels).astype(float)
    # from the highest level down: an item counts at all thresholds up to its score
    return cells.reshape(view.lists, levels)[:, :0:-1].cumsum(axis=1)[:, ::-1]


def _highest_f1(columns: Mapping[str, Any], weight: Floats) -> float:
    """The highest F1 over thresholds; a row is a list that has a relevant item."""
    right, predicted, found = (weight @ columns[n] for n in ("right", "predicted", "found"))
    precision = np.nan_to_num(divide(right, predicted))
    recall = np.nan_to_num(divide(found, weight @ columns["relevant"]))
    f1 = np.nan_to_num(divide(2 * precision * recall, precision + recall))
    return float(f1.max())
