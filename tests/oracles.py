"""Every metric in the plainest Python there is, for one list; no code of the package.

`items` are the returned items, best first; `truth` is `{item: grade}` in the
order of its file. NaN: the value is undefined.
"""

from fractions import Fraction
from itertools import permutations, product
from math import ceil, log2, nan, prod, sqrt

INFAP_EPSILON = 0.00001


def divided(part, whole):
    return part / whole if whole > 0 else nan


def judged_only(items, truth):
    return [item for item in items if truth.get(item, -1) >= 0]


def relevance(items, truth, rel):
    """True and False down the list."""
    return [item in truth and truth[item] >= rel for item in items]


def wanted(truth, rel):
    return sum(grade >= rel for grade in truth.values())


def p(items, truth, k, rel=1, denominator="k", judged_only=False):
    items = _only(items, truth, judged_only)
    found = sum(relevance(items[:k], truth, rel))
    return divided(found, k if denominator == "k" else min(k, len(items)))


def r(items, truth, k, rel=1, denominator="relevant", judged_only=False):
    items = _only(items, truth, judged_only)
    whole = wanted(truth, rel)
    return divided(
        sum(relevance(items[:k], truth, rel)), min(whole, k) if denominator == "capped" else whole
    )


def f(items, truth, k, rel=1, beta=1, judged_only=False):
    return _f(
        p(items, truth, k, rel, judged_only=judged_only),
        r(items, truth, k, rel, judged_only=judged_only),
        beta,
    )


def setp(items, truth, rel=1, relative=False, judged_only=False):
    if relative:
        return setrelp(items, truth, rel, judged_only)
    items = _only(items, truth, judged_only)
    return divided(sum(relevance(items, truth, rel)), len(items))


def setr(items, truth, rel=1):
    return divided(sum(relevance(items, truth, rel)), wanted(truth, rel))


def setf(items, truth, rel=1, beta=1, judged_only=False):
    precision = setp(items, truth, rel, judged_only=judged_only)
    return _f(0.0 if precision != precision else precision, setr(items, truth, rel), beta)


def setap(items, truth, rel=1, judged_only=False):
    return setp(items, truth, rel, judged_only=judged_only) * setr(items, truth, rel)


def setrelp(items, truth, rel=1, judged_only=False):
    items = _only(items, truth, judged_only)
    return divided(sum(relevance(items, truth, rel)), min(len(items), wanted(truth, rel)))


def success(items, truth, k, rel=1, judged_only=False):
    return float(any(relevance(_only(items, truth, judged_only)[:k], truth, rel)))


def rprec(items, truth, rel=1, judged_only=False):
    depth = wanted(truth, rel)
    return divided(sum(relevance(_only(items, truth, judged_only)[:depth], truth, rel)), depth)


def ap(items, truth, k=None, rel=1, denominator="relevant", judged_only=False):
    items = _only(items, truth, judged_only)
    total, found = 0.0, 0
    for rank, relevant in enumerate(relevance(items[:k], truth, rel), start=1):
        if relevant:
            found += 1
            total += found / rank
    whole = wanted(truth, rel)
    return divided(
        total,
        {
            "relevant": whole,
            "capped": whole if k is None else min(whole, k),
            "returned": min(whole, len(items)),
            "hits": found,
        }[denominator],
    )


def rr(items, truth, k=None, rel=1, judged_only=False):
    for rank, relevant in enumerate(
        relevance(_only(items, truth, judged_only)[:k], truth, rel), start=1
    ):
        if relevant:
            return 1 / rank
    return 0.0


def clicks(items, truth, page=10, none=51, rel=1):
    for rank, relevant in enumerate(relevance(items, truth, rel), start=1):
        if relevant:
            return (rank - 1) // page
    return none


def marp(items, truth, cutoffs, at_cutoff="include"):
    best = sorted((item for item in truth if truth[item] >= 0), key=lambda item: -truth[item])
    values = []
    for z in cutoffs:
        relevant = best[:z]
        if at_cutoff == "include" and relevant:
            relevant = [item for item in best if truth[item] >= truth[relevant[-1]]]
        values.append(divided(len(set(relevant) & set(items[:z])), min(len(best), z)))
    return sum(values) / len(values)


def worth(grade, gain):
    if not isinstance(gain, str) and grade in gain:
        return gain[grade]
    if grade is None or grade < 0:
        return 0
    return 2**grade - 1 if gain == "exp2" else grade


def _dcg(gains, discount):
    by = {"log2": lambda i: log2(i + 1), "jarvelin": lambda i: max(1, log2(i))}[discount]
    return sum(gain / by(i) for i, gain in enumerate(gains, start=1))


def cg(items, truth, k=None):
    return sum(worth(truth.get(item), "linear") for item in items[:k])


def dcg(items, truth, k=None, gain="linear", discount="log2"):
    return _dcg([worth(truth.get(item), gain) for item in items[:k]], discount)


def ndcg(items, truth, k=None, gain="linear", discount="log2", ideal="judged", judged_only=False):
    items = _only(items, truth, judged_only)
    source = items if ideal == "reordered" else truth
    best = sorted((worth(truth.get(item), gain) for item in source), reverse=True)
    if ideal == "returned":
        best = best[: len(items)]
    if ideal != "uncut":
        best = best[:k]
    return divided(dcg(items, truth, k, gain, discount), _dcg(best, discount))


def err(items, truth, k=None, max_grade=None):
    if max_grade is None:
        max_grade = max([0, *truth.values()])
    satisfied = [(2 ** max(truth.get(item, 0), 0) - 1) / 2**max_grade for item in items[:k]]
    return sum(
        chance / (n + 1) * prod(1 - before for before in satisfied[:n])
        for n, chance in enumerate(satisfied)
    )


def rbp(items, truth, p, rel=1):
    return (1 - p) * sum(
        p**n for n, relevant in enumerate(relevance(items, truth, rel)) if relevant
    )


def bpref(items, truth, rel=1):
    relevant = wanted(truth, rel)
    irrelevant = sum(0 <= grade < rel for grade in truth.values())
    total, above = 0.0, 0
    for item in judged_only(items, truth):
        if truth[item] >= rel:
            total += 1 - (min(above, relevant) / min(irrelevant, relevant) if above else 0)
        else:
            above += 1
    return divided(total, relevant)


def infap(items, truth, rel=1):
    total, relevant, irrelevant, unjudged = 0.0, 0, 0, 0
    for above, item in enumerate(items):
        if item not in truth:
            continue
        if truth[item] < 0:
            unjudged += 1
        elif truth[item] < rel:
            irrelevant += 1
        else:
            if above == 0:
                total += 1
            else:
                total += 1 / (above + 1) + above / (above + 1) * (
                    (relevant + irrelevant + unjudged) / above
                ) * ((relevant + INFAP_EPSILON) / (relevant + irrelevant + 2 * INFAP_EPSILON))
            relevant += 1
    return divided(total, wanted(truth, rel))


def iprec(items, truth, recall, rel=1, judged_only=False):
    flags = relevance(_only(items, truth, judged_only), truth, rel)
    whole = wanted(truth, rel)
    if not whole:
        return nan
    needed = ceil(Fraction(str(recall)) * whole)
    precisions = [
        sum(flags[:rank]) / rank for rank in range(1, len(flags) + 1) if sum(flags[:rank]) >= needed
    ]
    return max(precisions, default=0.0)


def auc(items, truth, k=None, rel=1, pairs="recommended", catalogue=None):
    flags = relevance(items[:k], truth, rel)
    if pairs == "recommended":
        depth = len(items) if k is None else k
        right = sum(not b for n, a in enumerate(flags) if a for b in flags[n + 1 :])
        whole = sum(flags) * (depth - sum(flags))
        return right / whole if whole else 0.5
    relevant = wanted(truth, rel)
    left = relevant - sum(flags)  # of the relevant ones, tied below the first k
    tied = [True] * left + [False] * (catalogue - relevant - (len(flags) - sum(flags)))
    right = sum(not b for n, a in enumerate(flags) if a for b in [*flags[n + 1 :], *tied])
    right += left * (len(tied) - left) / 2
    return divided(right, relevant * (catalogue - relevant))


def judged(items, truth, k):
    return divided(sum(item in truth for item in items[:k]), min(len(items), k))


def numq(items, truth):
    return 1


def numret(items, truth, rel=None):
    return len(items) if rel is None else numrelret(items, truth, rel)


def numrel(items, truth, rel=1):
    return wanted(truth, rel)


def numrelret(items, truth, rel=1):
    return sum(relevance(items, truth, rel))


def tauap(items, truth, over="submission"):
    mine = [item for item in items if item in truth]
    best = sorted(mine, key=lambda item: -truth[item])
    down, asked = (mine, best) if over == "submission" else (best, mine)
    shares = [
        sum(asked.index(above) < asked.index(item) for above in down[:n]) / n
        for n, item in enumerate(down)
        if n
    ]
    return 2 * sum(shares) / len(shares) - 1 if shares else nan


def tau(items, truth, scores=None):
    mine, best = _numbers(items, truth, scores)
    pairs = [(a, b) for a in range(len(mine)) for b in range(a)]
    signs = [(_sign(mine[a] - mine[b]), _sign(best[a] - best[b])) for a, b in pairs]
    whole = sum(x * x for x, _ in signs) * sum(y * y for _, y in signs)
    return divided(sum(x * y for x, y in signs), sqrt(whole))


def rho(items, truth, scores=None):
    mine, best = map(_midranks, _numbers(items, truth, scores))
    middle = (len(mine) + 1) / 2
    x, y = [rank - middle for rank in mine], [rank - middle for rank in best]
    whole = sum(a * a for a in x) * sum(b * b for b in y)
    return divided(sum(a * b for a, b in zip(x, y, strict=True)), sqrt(whole))


def expected(oracle, groups, truth, **params):
    """The mean over all orders of the items that tie, each group permuted."""
    values = [
        oracle([item for group in order for item in group], truth, **params)
        for order in product(*map(permutations, groups))
    ]
    return sum(values) / len(values)


def _only(items, truth, wish):
    return judged_only(items, truth) if wish else items


def _f(precision, recall, beta):
    if precision + recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _numbers(items, truth, scores):
    both = [(n, item) for n, item in enumerate(items) if item in truth]
    mine = [-n if scores is None else scores[item] for n, item in both]
    return mine, [truth[item] for _, item in both]


def _sign(x):
    return (x > 0) - (x < 0)


def _midranks(numbers):
    return [sum(y < x for y in numbers) + (sum(y == x for y in numbers) + 1) / 2 for x in numbers]


# C/W/L: gain per item looked at


def _scaled(truth, item, max_grade, min_grade):
    high = max([0, *truth.values()]) if max_grade is None else max_grade
    if item not in truth or high <= min_grade:
        return 0.0
    return (min(max(truth[item], min_grade), high) - min_grade) / (high - min_grade)


def _walked(items, truth, max_grade, min_grade, depth, goes_on):
    """The weights of ranks 1 to depth are products of `goes_on(rank, gain, found)`."""
    weight, found, gained, looked = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        item = items[rank - 1] if rank <= len(items) else None
        gain = _scaled(truth, item, max_grade, min_grade)
        found += gain
        gained += weight * gain
        looked += weight
        weight *= goes_on(rank, gain, found)
    return gained / looked


def inst(items, truth, T=1, max_grade=None, min_grade=0, depth=1000):
    def goes_on(rank, gain, found):
        return ((rank + 2 * T - found - 1) / (rank + 2 * T - found)) ** 2

    return _walked(items, truth, max_grade, min_grade, depth, goes_on)


def insq(items, truth, T=1, max_grade=None, min_grade=0, depth=1000):
    def goes_on(rank, gain, found):
        return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2

    return _walked(items, truth, max_grade, min_grade, depth, goes_on)


def sdcg(items, truth, k, max_grade=None, min_grade=0):
    def goes_on(rank, gain, found):
        return log2(rank + 1) / log2(rank + 2)

    return _walked(items, truth, max_grade, min_grade, k, goes_on)


def bpm(items, truth, k, T=1, max_grade=None, min_grade=0):
    def goes_on(rank, gain, found):
        return float(found < T)

    return _walked(items, truth, max_grade, min_grade, k, goes_on)


def nerr8(items, truth, k, max_grade=None, min_grade=0):
    return _walked(items, truth, max_grade, min_grade, k, lambda rank, gain, found: 1 - gain)


def nerr9(items, truth, k, max_grade=None, min_grade=0):
    def goes_on(rank, gain, found):
        return rank / (rank + 1) * (1 - gain)

    return _walked(items, truth, max_grade, min_grade, k, goes_on)


def nerr10(items, truth, p=0.9, max_grade=None, min_grade=0, depth=1000):
    def goes_on(rank, gain, found):
        return p * (1 - gain)

    return _walked(items, truth, max_grade, min_grade, depth, goes_on)


def nerr11(items, truth, T=1, max_grade=None, min_grade=0, depth=1000):
    def goes_on(rank, gain, found):
        return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2 * (1 - gain)

    return _walked(items, truth, max_grade, min_grade, depth, goes_on)


# NTCIR


def q(items, truth, k=None, rel=1, gain="linear", beta=1, denominator="capped"):
    gains = {item: worth(grade, gain) for item, grade in truth.items() if grade >= rel}
    best = sorted(gains.values(), reverse=True)
    total, found, so_far = 0.0, 0, 0.0
    for rank, item in enumerate(items[:k], start=1):
        if item in gains:
            found, so_far = found + 1, so_far + gains[item]
            total += (found + beta * so_far) / (rank + beta * sum(best[:rank]))
    capped = denominator == "capped" and k is not None
    return divided(total, min(len(best), k) if capped else len(best))


def nerr(items, truth, k=None, max_grade=None):
    best = sorted(truth, key=lambda item: -truth[item])
    return divided(err(items, truth, k, max_grade), err(best, truth, k, max_grade))


def irbu(items, truth, k=None, p=0.99, max_grade=None):
    high = max([0, *truth.values()]) if max_grade is None else max_grade
    value, reading = 0.0, 1.0
    for rank, item in enumerate(items[:k], start=1):
        satisfied = (2 ** max(truth.get(item, 0), 0) - 1) / 2**high
        value += reading * satisfied * p**rank
        reading *= 1 - satisfied
    return value


# Overlap of rankings


def compat(items, truth, p=0.95, normalize=True):
    def overlap(first, second, depth):
        return sum(
            p ** (d - 1) * len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1)
        )

    places = {item: place for place, item in enumerate(items)}
    ideal = [item for item in truth if truth[item] > 0]
    ideal.sort(key=lambda item: (-truth[item], places.get(item, len(items))))
    depth = max(len(items), len(ideal))
    most = overlap(ideal, ideal, depth)
    if not most:
        return nan
    whole = most if normalize else sum(p ** (d - 1) for d in range(1, depth + 1))
    return overlap(items, ideal, depth) / whole


def rbo(items, truth, p=0.9, tail="extrapolated"):
    """Equation 32 of the paper, as it stands there."""
    ideal = sorted((x for x in truth if truth[x] >= 0), key=lambda item: -truth[item])
    if not ideal:
        return nan
    s, l = sorted((len(items), len(ideal)))  # noqa: E741
    common = [len(set(items[:d]) & set(ideal[:d])) for d in range(l + 1)]
    first = sum(common[d] / d * p**d for d in range(1, l + 1))
    if tail == "zero":
        return (1 - p) / p * first
    if s == 0:
        return 0.0
    second = sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    third = ((common[l] - common[s]) / l + common[s] / s) * p**l
    return (1 - p) / p * (first + second) + third


def hits(items, truth, k, rel=1, scores=None):
    """As the Open Graph Benchmark's evaluator: above the k-th best score of a negative."""
    positive = [-scores[x] for x in items if x in truth and truth[x] >= rel]
    negative = sorted(-scores[x] for x in items if x in truth and 0 <= truth[x] < rel)
    found = len(positive) if len(negative) < k else sum(x < negative[k - 1] for x in positive)
    return divided(found, wanted(truth, rel))
