"""Each metric's formula, evaluated in its letters, is the metric's value in its default form."""

import math
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from formulas import at, evaluated
from lists import meet
from variants import CONSTANTS, DIVERSE, METRICS, NOTATIONS, bound, values

from scorer.core.errors import UnknownName
from scorer.metrics.catalogue import find_metrics, formula_lines, mathml
from scorer.metrics.notation import parse, parse_measure
from scorer.testing import diverse_view, labelled_view, ratings_view

SLOW = 20  # ranks; formulas that run over more are tried with fewer
SHALLOW = {
    "INSQ": ["INSQ(depth=7)", "INSQ(T=2.5, depth=5)"],
    "INST": ["INST(depth=7)", "INST(T=2.5, depth=6, max_grade=3, min_grade=1)"],
    "NERR10": ["NERR10(depth=7)", "NERR10(p=0.5, depth=4)"],
    "NERR11": ["NERR11(depth=7)", "NERR11(T=2, depth=9)"],
}


LETTERS = {  # of numbers that are parameters, and are not written by their names
    "alpha": r"\alpha", "beta": r"\beta", "epsilon": r"\epsilon", "eps": r"\epsilon",
    "max_grade": r"g_\max", "min_grade": r"g_\min", "depth": "D", "recall": r"\rho",
    "quantile": r"\tau", "catalogue": "I", "credit": "c", "page": "b", "none": "m", "bins": "B",
    "radius": r"\varrho", "iou": r"\mathrm{iou}", "tolerances": r"\mathrm{tolerances}",
    "cutoffs": r"\mathrm{cutoffs}", "c_fp": r"c_\mathrm{fp}", "c_fn": r"c_\mathrm{fn}",
    "c_tp": r"c_\mathrm{tp}", "k": "k", "p": "p", "T": "T", "o": "o",
}  # fmt: skip


def is_default(made):
    """Whether only numbers differ from the defaults, which the formula has letters for."""
    defaults = {name: default for name, (_, default) in made.metric.own_parameters.items()}
    return all(
        name in LETTERS
        or value == defaults.get(name, value)
        or (name == "rel" and defaults["rel"] is not None)
        for name, value in made.params.items()
    ) and not made.params.get("judged_only")


def same(made, found, names, message="", tolerance=1e-9):
    """The value is the formula's; where it has none the metric says when."""
    numbers = {
        LETTERS[name]: value
        for name, value in made.params.items()
        if name in LETTERS and value is not None
    }
    wanted = evaluated(made.metric.latex, {**names, **numbers})
    if math.isnan(found):
        assert made.metric.undefined, f"{made.id} says not when it has no value: {message}"
    else:
        expected = pytest.approx(wanted, rel=tolerance, abs=1e-9)
        assert found == expected, (made.id, made.metric.latex, message)


# Ranked lists


def hits_above(flags):
    """How many of the flags down to a rank are set."""
    return lambda i: sum(flags[: int(i)])


def agreement(items, ideal):
    return lambda d: len(set(items[: int(d)]) & set(ideal[: int(d)]))


def letters(items, truth, params):
    """The letters of ranked lists, as docs/metrics.md has them."""
    rel = params.get("rel") or 1
    flags = oracles.relevance(items, truth, rel)
    judged = [item for item in truth if truth[item] >= 0]
    by_gain = [item for item in truth if truth[item] >= rel] if "beta" in params else [*truth]
    best = sorted(by_gain, key=lambda x: -truth[x])
    negative = [n for n, x in enumerate(items) if x in truth and 0 <= truth[x] < rel]
    known, k = [x in truth for x in items], params.get("k")
    return {
        "n": len(items),
        "k": len(items) if k is None else k,
        "R": oracles.wanted(truth, rel),
        "N": sum(0 <= g < rel for g in truth.values()),
        "J": len(judged),
        "g": at([max(truth.get(item, 0), 0) for item in items]),
        "g*": at([max(truth[item], 0) for item in best]),
        "r": at([int(flag) for flag in flags]),
        "h": hits_above(flags),
        "s": at([-rank for rank in range(len(items))]),
        "b": lambda i: sum(n < i - 1 for n in negative),
        "d": lambda i: sum(known[: int(i) - 1]),
        "a": at([int(flag) for flag in known]),
        "t": -negative[k - 1] if k and len(negative) >= k else -math.inf,
        "f": 1 + flags.index(True) if any(flags) else 0,
    }


def with_ideal(items, truth, params):
    """Sums over the best possible list without a cut-off go down to its end."""
    return {} if params["k"] is not None else {"k": max(len(items), len(truth))}


def infap_letters(items, truth, params):
    sampled = [truth.get(item, -1) >= 0 for item in items]
    return {"a": lambda i: sum(sampled[: int(i) - 1])}


def overlaps(items, truth, params):
    """Of the list and the truth's ranking."""
    ideal = sorted((x for x in truth if truth[x] >= 0), key=lambda x: -truth[x])
    short, long = sorted((len(items), len(ideal)))
    return {"X": agreement(items, ideal), "s": short, "l": long}


def compatible(items, truth, params):
    """Of the list and the ideal nearest to it."""
    ideal = [item for item in truth if truth[item] > 0]
    place = {item: n for n, item in enumerate(items)}
    ideal.sort(key=lambda x: (-truth[x], place.get(x, len(items))))
    return {"X": agreement(items, ideal), "T": len(ideal)}


def depths(items, truth, params):
    best = sorted((x for x in truth if truth[x] >= 0), key=lambda x: -truth[x])

    def common(z):
        last = truth[best[min(z, len(best)) - 1]] if best else 0
        among = [x for x in best if truth[x] >= last]
        return len(set(among) & set(items[: int(z)]))

    return {"u": common}


def ranks(items, truth, params):
    mine, theirs = oracles.numbers_of(items, truth, None)
    pairs = [
        (oracles.sign(mine[i] - mine[j]), oracles.sign(theirs[i] - theirs[j]))
        for i in range(len(mine))
        for j in range(i)
    ]
    common = [item for item in items if item in truth]
    ideal = sorted(common, key=lambda x: -truth[x])

    def rightly_above(i):
        item, above = common[int(i) - 1], common[: int(i) - 1]
        return sum(ideal.index(x) < ideal.index(item) for x in above)

    return {
        "m": len(mine),
        "a": at(oracles.midranks(mine)),
        "b": at(oracles.midranks(theirs)),
        "P": len(pairs),
        "C": sum(a * b > 0 for a, b in pairs),
        "D": sum(a * b < 0 for a, b in pairs),
        "T": sum(a == 0 for a, _ in pairs),
        "T*": sum(b == 0 for _, b in pairs),
        "c": rightly_above,
    }


OWN = {
    "InfAP": infap_letters, "RBO": overlaps, "Compat": compatible, "MARp": depths,
    "Rho": ranks, "Tau": ranks, "TauAP": ranks, "nDCG": with_ideal, "nERR": with_ideal,
    "Q": with_ideal,
}  # fmt: skip


def random_lists(strict, count=40):
    rng = np.random.default_rng(40)
    for _ in range(count):
        known = rng.permutation(list("abcdefgh"))[: rng.integers(0, 8)].tolist()
        grades = rng.permutation(8)[: len(known)] / 2 if strict else rng.integers(-1, 5, len(known))
        items = rng.permutation(list("abcdefghij"))[: rng.integers(0, 9)].tolist()
        yield items, dict(zip(known, grades.tolist(), strict=True))


TRIED = [n for n in NOTATIONS if bound(n).metric.name not in SHALLOW and is_default(bound(n))]
TRIED += [n for shallow in SHALLOW.values() for n in shallow]


@pytest.mark.slow("evaluates every formula on random lists", beyond=4)
@pytest.mark.parametrize("notation", TRIED)
def test_formulas_of_ranked_lists(notation):
    made = bound(notation)
    for items, truth in random_lists(made.metric.truth_order == "strict"):
        found = values(notation, meet([(items, truth)]))[0]
        own = OWN.get(made.metric.name, lambda *_: {})(items, truth, made.params)
        same(made, found, letters(items, truth, made.params) | own, (items, truth))


# Tables


def value(made, view):
    """The value of all rows together, by the metric itself."""
    return made.evaluate(view).pooled()


def of_kind(notation, kind, **constants):
    named = METRICS.find_all(parse(notation)[0], every=True)
    metric = next(metric for metric in named if kind in metric.kinds)
    return parse_measure(metric, notation).resolve(SimpleNamespace(**constants))


def own_order(target):
    """The mean rank of each number."""
    return at(oracles.midranks(list(target)))


def lorenz(target, key):
    """The share of the targets' sum in the first rows, highest key first."""
    ordered = [t for _, t in sorted(zip(key, target, strict=True), reverse=True)]
    return lambda i: sum(ordered[: int(i)]) / sum(ordered)


def number_letters(target, prediction):
    return {
        "n": len(target), "y": at(target), r"\haty": at(prediction),
        "a": own_order(target), "b": own_order(prediction),
        "d": lambda i: 1, "S": lorenz(target, prediction), "S*": lorenz(target, target),
    }  # fmt: skip


NUMBERS = """MAE MSE RMSE RMSLE RMSPE MAPE SMAPE MaxError MedAE R2 ExplainedVariance Pearson
Spearman Pinball(quantile=0.3) NormalizedGini Concordance"""


@pytest.mark.parametrize("notation", NUMBERS.split())
def test_formulas_of_numbers(notation):
    rng = np.random.default_rng(4)
    for size in (2, 3, 8, 15):
        target = (rng.permutation(20)[:size] / 4 + 0.25).tolist()
        prediction = (rng.permutation(30)[:size] / 5 + 0.1).tolist()
        made = of_kind(notation, "labels")
        view = ratings_view((target, prediction))
        same(made, value(made, view), number_letters(target, prediction))


@pytest.mark.parametrize("notation", ["MAE", "MSE", "RMSE", "R2"])
def test_formulas_of_ratings(notation):
    rng = np.random.default_rng(5)
    lists = [(rng.permutation(9)[:n].tolist(), rng.permutation(9)[:n].tolist()) for n in (2, 3, 6)]
    every = [[x for pair in lists for x in pair[side]] for side in (0, 1)]
    made = of_kind(notation, "ratings")
    same(made, value(made, ratings_view(*lists)), number_letters(*every))
    made = of_kind(f"{notation}(average=lists)", "ratings")
    for pair in lists:
        same(made, made.values(ratings_view(pair))[0], number_letters(*pair))


CLASSES = ("ant", "bee", "cow")


def class_letters(made, true, found, likely):
    """The letters of tables of classes; classes are numbered from 1."""
    classes, rows = len(CLASSES), len(true)
    hits = [sum(t == f == c for t, f in zip(true, found, strict=True)) for c in range(classes)]
    of = {
        "h": hits, "t": [true.count(c) for c in range(classes)],
        "p": [found.count(c) for c in range(classes)],
    }  # fmt: skip
    present = [c + 1 for c in range(classes) if of["t"][c] + of["p"][c]]
    among = (
        [c for c in present if of["t"][c - 1]]
        if made.metric.name == "BalancedAccuracy"
        else present
    )
    has, mine = [[float(t == c) for c in range(classes)] for t in true], likely.tolist()
    ahead = [
        sum(p[c] > p[t] or (p[c] == p[t] and c > t) for c in range(classes))
        for p, t in zip(likely.tolist(), true, strict=True)
    ]

    def letter(key, table):
        return lambda i, c=None: of[key][int(i) - 1] if c is None else table[int(i) - 1][int(c) - 1]

    return {
        "n": rows, "C": classes, "K": among, "a": at(ahead),
        "y": lambda i, c=None: true[int(i) - 1] if c is None else has[int(i) - 1][int(c) - 1],
        r"\haty": at(found), "h": letter("h", None), "t": letter("t", None), "p": letter("p", mine),
    }  # fmt: skip


TABLES = """Accuracy HammingLoss BalancedAccuracy MCC Kappa Precision Recall F1 FBeta(beta=2)
Jaccard Brier LogLoss LogLoss(eps=0.1) KL RCE TopK@1 TopK@2 AUROC AveragePrecision"""


@pytest.mark.parametrize("notation", TABLES.split())
def test_formulas_of_classes(notation):
    rng = np.random.default_rng(6)
    made = of_kind(notation, "labels", classes=CLASSES, multilabel=False)
    for size in (5, 12):
        true = [0, 1, 2, *rng.integers(3, size=size).tolist()]
        likely = rng.permutation(3 * len(true)).reshape(-1, 3) + 1.0
        likely /= likely.sum(axis=1, keepdims=True)
        found = rng.integers(3, size=len(true)).tolist()
        names = [CLASSES[n] for n in true]
        if "probability" in made.metric.columns:
            view = labelled_view(names, {name: likely[:, n] for n, name in enumerate(CLASSES)})
        else:
            view = labelled_view(names, [CLASSES[n] for n in found])
        same(made, value(made, view), class_letters(made, true, found, likely))


# Subtopics


def subtopic_letters(items, truth, params):
    rel, alpha = params.get("rel", 1), params.get("alpha", 0.5)
    items, relevant, known = oracles.subtopics(items, truth, rel, judged_only=False)
    left, best = sorted(relevant, reverse=True), []
    while left:
        gains = [oracles.novel_gains([*best, item], relevant, alpha)[-1] for item in left]
        best.append(left.pop(gains.index(max(gains))))
    names = sorted(known)

    def flags(order):
        def of(i, s):
            return int(i <= len(order) and names[int(s) - 1] in relevant.get(order[int(i) - 1], ()))

        return of

    return {
        "n": len(items), "k": len(items), "J": len(best), "S": len(names),
        "r": flags(items), "r*": flags(best),
        "R": lambda s: sum(names[int(s) - 1] in mine for mine in relevant.values()),
    }  # fmt: skip


@pytest.mark.parametrize("notation", [each for each in DIVERSE if is_default(bound(each))])
def test_formulas_of_subtopics(notation):
    rng, made = np.random.default_rng(7), bound(notation)
    for _ in range(12):
        known = rng.permutation(list("abcdef"))[: rng.integers(0, 6)].tolist()
        truth = {
            item: {s: int(rng.integers(-1, 3)) for s in rng.permutation(list("123"))[:2].tolist()}
            for item in known
        }
        items = rng.permutation(list("abcdef"))[: rng.integers(0, 6)].tolist()
        found = made.values(diverse_view((items, truth)))[0]
        same(made, found, subtopic_letters(items, truth, made.params), (items, truth))


# Letters that say what they count


class Count(int):
    """A letter that is a number, and with an index another."""

    def __call__(self, index):
        return int(self) if index == 8 else 0


# the examples of their pages, whose values are tested there; the letters are counted by hand
COUNTED = [
    ("AccEq", {"m": 3, "s": at([0.9, 0.3, 0.2]), "g": at([3, 1, 1])}, 2 / 3),
    ("AWRF", {"C": 2, "e": at([1, 0]), "t": at([0.5, 0.5])}, 0.688722),
    ("ClassRprec", {"h": at([1, 1]), "R": 2, "u": 1}, 0.625),
    ("Fmax", {"T": [0.5, 0.9], "P": lambda t: 1 if t > 0.5 else 0.5, "Q": lambda t: 0.5}, 2 / 3),
    ("LRAP", {"n": 4, "R": 2, "r": at([1, 1, 0, 0]), "s": at([4, 2, 2, 2])}, 0.75),
    ("PairwiseAccuracy", {"P": 3, "a": 1}, 1 / 3),
    ("CatalogueCoverage(catalogue=4)@2", {"u": 2}, 0.5),
    ("Entropy@2", {"X": [1, 2, 3], "q": at([0.5, 0.25, 0.25])}, 1.5),
    ("Gini(catalogue=3)@2", {"q": at([0, 0.25, 0.75])}, 0.75),
    ("ILD@3", {"n": 3, "d": lambda i, j: 0 if j == 2 else 1}, 2 / 3),
    ("ListCoverage", {"a": 1, "L": 2}, 0.5),
    ("Novelty@2", {"n": 2, "u": at([4, 1]), "N": 8}, 2),
    ("Serendipity(expected=1)@4", {"r": at([1, 1, 0]), "e": at([0, 1, 1])}, 0.25),
    ("ChunkF1", {"h": 1, "t": 2, "p": 1}, 2 / 3),
    ("ExactMatch", {"a": "cat", "A": ["cat", "a dog"]}, 1),
    ("TokenF1", {"c": 2, "l": 3, "m": 2}, 0.8),
    ("TokenJaccard", {"A": {1, 2}, "B": {1, 2, 3}}, 2 / 3),
    ("ROUGE_L", {"c": 2, "l": 3, "m": 3}, 2 / 3),
    ("EditDistance", {"D": 3}, 3),
    ("BLEU", {"l": 6, "M": 6, "m": at([5, 3, 1, 0.5]), "t": at([6, 5, 4, 3])}, 37.991784),
    ("chrF", {"P": 0.5, "Q": 0.8}, 100 * 5 * 0.4 / (2 + 0.8)),
    ("EventAP(tolerances=(12,))", {"K": [1], "A": lambda c, z: 5 / 6}, 5 / 6),
    ("Dice", {"A": {1, 2, 3, 4}, "B": {3, 4, 5, 6}}, 0.5),
    ("IoU", {"A": {1, 2, 3, 4}, "B": {3, 4, 5, 6}}, 1 / 3),
    ("BoxF1", {"h": lambda z: 1, "t": 1, "p": 2}, 2 / 3),
    ("BoxAP(iou=(0.5,))", {"K": [1], "A": lambda c, z: 0.5}, 0.5),
    ("ECE(bins=10)", {"n": Count(2), "a": lambda b: 0.5, "c": lambda b: 0.8}, 0.3),
    ("FLatency(positive=1)", {"h": 1, "t": 2, "s": 1, "m": 0}, 2 / 3),
    ("ProbabilisticF1", {"n": 2, "y": at([1, 0]), "p": at([0.8, 0.4])}, 0.727273),
    ("ERDE(positive=1)@5", {"n": 3, "y": at([1, 1, 0]), r"\haty": at([1, 1, 1]),
                            "k": at([1, 10, 1])}, 0.55932),
    ("QuantileScore(quantiles={\"low\": 0.5, \"prediction\": 0.9})",
     {"n": 1, "Q": 2, "y": at([10]), r"\tau": at([0.5, 0.9]),
      "x": lambda i, q: [9, 11][int(q) - 1]}, 0.3),
    ("CRPS", {"n": 1, "y": at([0]), r"\haty": at([0]), r"\sigma": at([1]),
              r"\Phi": NormalDist().cdf, r"\phi": NormalDist().pdf}, 0.2337),
    ("LaplaceLogLikelihood",
     {"n": 1, "y": at([0]), r"\haty": at([100]), r"\sigma": at([100])}, -6.366),
    ("AngularError", {"n": 1, "y": at([0]), r"\haty": at([math.pi / 2]), "z": at([math.pi / 2]),
                      r"\hatz": at([math.pi / 2])}, math.pi / 2),
    ("WRMSSE", {r"all\ell": [1, 2], "e": at([1, 0]), "s": at([4, 1]), "w": at([3, 1])}, 0.375),
    ("WER", {"D": 2, "M": 5}, 0.4),
    ("CER", {"D": 1, "M": 3}, 1 / 3),
    ("SpanF1", {"h": 1, "t": 2, "p": 2}, 0.5),
    ("EventF1(tolerance=0.2)", {"h": 1, "t": 2, "p": 2}, 0.5),
    ("PointF1", {"h": 1, "t": 1, "p": 2}, 2 / 3),
    ("AccEqCalibrated", {"E": [0, 0.1], "L": 1, "A": lambda _, e: 1 if e else 2 / 3}, 1),
    ("PRTrapezoids", {"C": 1, "M": 3, "u": lambda m: [0, 0.5, 1, 1][int(m)],
                      "v": lambda m: [1, 1, 2 / 3, 0.5][int(m)]}, 0.916667),
    ("IntervalCoverage", {"n": 2, "l": at([2, 1]), "u": at([4, 4]), "y": at([3, 5])}, 0.5),
    ("Haversine", {"n": 2, "y": at([0, 0]), r"\haty": at([0, 0]), "z": at([0, 0]),
                   r"\hatz": at([math.pi / 2, 0])}, 5003772),
    ("EDRC", {"allv": [2], "allw": [1, 3], "R": lambda v: 2, "x": lambda v, w: int(w == 1)}, 0),
]  # fmt: skip


@pytest.mark.parametrize(("notation", "names", "wanted"), COUNTED)
def test_formulas_of_counts(notation, names, wanted):
    named = METRICS.find_all(parse(notation)[0], every=True)[0]
    same(parse_measure(named, notation).resolve(CONSTANTS), wanted, names, tolerance=2e-4)


def test_every_metric_has_a_formula_that_is_tried():
    lists = [
        TRIED, NUMBERS.split(), TABLES.split(), DIVERSE, [notation for notation, *_ in COUNTED]
    ]  # fmt: skip
    tried = {parse(notation)[0].casefold() for part in lists for notation in part}
    for metric in METRICS:
        assert metric.name.casefold() in tried, metric.name
        assert formula_lines(metric), metric.name
        for line in formula_lines(metric):
            assert mathml(line).startswith("<math"), line
            assert "\\" not in mathml(line), (metric.name, line)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hit rate", {"Success"}),
        ("roc_auc_score", {"AUC", "AUROC"}),
        ("mean_squared_error", {"MSE"}),
        ("ndcg_cut_10", {"nDCG"}),
        ("RetrievalMRR", {"RR"}),
        ("quadratic weighted kappa", {"Kappa"}),
        ("wilful calibration error", None),
        ("expected calibration", {"ECE"}),
    ],
)
def test_metrics_are_found_by_names_elsewhere_and_by_words(words, found):
    if found is None:
        with pytest.raises(UnknownName):
            find_metrics(METRICS, words)
    else:
        assert {metric.name for metric in find_metrics(METRICS, words)} == found
