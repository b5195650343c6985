"""Challenges of every kind, and submissions to them, good and bad: to be scored in many ways."""

import numpy as np
from variants import DIVERSE, PREFERRED, RETURNED, bound
from variants import NOTATIONS as JUDGED

from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.views.preferences import Positions

RNG = np.random.default_rng(2011)
LISTS, ITEMS = [f"q{n}" for n in range(9)], "abcdefgh"
# every list has an order of its own, so that no metric refuses the truth
TRUTH = "list,item,grade\n" + "".join(
    f"{name},{item},{grade}\n"
    for name in LISTS
    for item, grade in zip(ITEMS[:5], RNG.permutation([-1, 0, 1, 2, 3.5]), strict=True)
)
NOTATIONS = *JUDGED, *DIVERSE, *RETURNED, *PREFERRED
EVERY = ", ".join(f"'{notation}'" for notation in NOTATIONS)
HIGHER = ", ".join(f"'{each}'" for each in NOTATIONS if bound(each).metric.better == "higher")
FILES = {
    "truth.csv": TRUTH,
    "items.csv": "item,users,x,y\n" + "".join(f"{i},{n},{n % 3},1\n" for n, i in enumerate(ITEMS)),
    "history.csv": "list,item\nq1,a\nq2,c\nq2,b\nq8,h\n",
    "likelihood.csv": "list,better,worse,probability\nq1,a,b,0.8\nq3,c,d,0.25\n",
    "ratings.csv": "list,item,rating\n"
    + "".join(f"{n},{i},{RNG.integers(1, 6)}\n" for n in LISTS for i in ITEMS[:4]),
    "pairs.csv": "list,better,worse\n" + "".join(f"{n},a,b\n{n},b,c\n{n},d,c\n" for n in LISTS),
    "folds.csv": "list,fold\n" + "".join(f"{n},{1 + k % 2}\n" for k, n in enumerate(LISTS)),
}
GRADES = """truth: truth.csv
items: {file: items.csv, columns: {users: users, features: [x, y]}}
history: {file: history.csv}
likelihood: {file: likelihood.csv}
"""
CHALLENGES = {
    "grades": f"{GRADES}undefined: skip\nmetrics: [{EVERY}]\n",
    "folds": "truth: truth.csv\nfolds: {file: folds.csv}\nundefined: skip\nmetrics: [AP, nDCG@2]\n",
    "ratings": "truth: ratings.csv\nsubmission: {range: [1, 5], missing_list: skip}\n"
    "metrics: [RMSE, 'RMSE(average=lists)', MAE, MSE, R2, MAPE, SMAPE, RMSLE, RMSPE, MaxError,\n"
    "  MedAE, ExplainedVariance, Pearson, Spearman, Pinball, NormalizedGini, Concordance]\n"
    "undefined: skip\n",
    "preferences": "truth: pairs.csv\nmetrics: [EDRC]\nundefined: skip\n",
}
FILES |= {
    "tags.csv": "list,item,tag\n"
    + "".join(f"{n},{i},{'BIO'[RNG.integers(3)]}-X\n" for n in LISTS for i in ITEMS[:5]),
    "lists.csv": "list,scale,weight\n" + "".join(f"{n},{k + 1},{k}\n" for k, n in enumerate(LISTS)),
    "seen.csv": "list,item\nq1,a\nq1,f\nq3,b\nq7,c\nq99,a\n",
    "classes.csv": "item,group,ic,artist\n"
    + "".join(f"{i},{'xyz'[n % 3]}|x,{n},{'pq'[n % 2]}\n" for n, i in enumerate(ITEMS)),
}
CHALLENGES["further"] = """truth: {file: tags.csv, columns: {extra: [tag]}}
exclude: {file: seen.csv}
items: {file: classes.csv, columns: {extra: {group: classes, ic: number, artist: text}}}
submission: {columns: {extra: [tag]}}
undefined: skip
metrics: [Fmax, 'Fmax(average=pooled,weight=ic)', AWRF@3, ClassRprec(group=artist), ExactMatch,
  TokenF1, EditDistance, WER, TokenJaccard, ROUGE_L, ChunkF1, LRAP, 'LRAP(average=pooled)',
  CER, BLEU, chrF, PairwiseAccuracy, AccEq, AccEqCalibrated]
"""
FILES["spans.csv"] = "list,item,type\n" + "".join(
    f"{n},{k} {k + 2},{'AB'[k % 2]}\n" for n in LISTS for k in RNG.permutation(9)[:4].tolist()
)
CHALLENGES["spans"] = """truth: {file: spans.csv, columns: {extra: [type]}}
submission: {columns: {score: score, extra: [type]}, missing_list: zero}
undefined: skip
metrics: [SpanF1, SpanF1(match=partial), 'SpanF1(kind=type,average=lists)', EventF1(tolerance=1),
  'EventAP(kind=type,tolerances=[1,3])', EventAP(tolerances=2)]
"""
FILES["orders.csv"] = "list,item\n" + "".join(
    f"{n},{' '.join(RNG.permutation([*ITEMS[:5]]))}\n" for n in LISTS
)
CHALLENGES["orders"] = """truth: {file: orders.csv, cells: {item: " "}}
undefined: skip
metrics: [Tau, Tau(average=pooled), Rho, TauAP]
"""
CHALLENGES["series"] = """truth: ratings.csv
lists: {file: lists.csv, columns: {extra: {scale: number, weight: number}}}
submission: {missing_list: skip}
metrics: [WRMSSE]
"""
FILES["by_list.csv"] = "list,item\n" + "".join(
    f"{n},{i}\n" for k, n in enumerate(LISTS) for i in ITEMS[: 6 + k % 2]
)
FILES["asked.csv"] = "list,item\n" + "".join(
    f"{n},{i}\n" for k, n in enumerate(LISTS) for i in [*ITEMS[: 5 + k % 2], "007"]
)
CHALLENGES["candidates"] = """truth: truth.csv
items: {file: by_list.csv}
submission: {missing_list: zero}
undefined: skip
metrics: [nDCG@3, EDRC, CatalogueCoverage@3]
"""
CHALLENGES["asked"] = """truth: ratings.csv
items: {file: asked.csv}
submission: {range: [1, 5], missing_list: skip}
folds: {file: folds.csv}
metrics: [RMSE, MAE]
undefined: skip
"""
CHALLENGES["pairs by fold"] = """truth: pairs.csv
folds: {file: folds.csv}
metrics: [EDRC]
undefined: skip
"""
# an empty list is no perfect one
CHALLENGES["whole"] = (
    f"{GRADES}submission: {{missing_list: zero}}\nundefined: skip\nmetrics: [{HIGHER}]\n"
)
RANKED = "list,item,score\n"
SENT = {
    "good": RANKED + "".join(f"{n},{i},{k % 5}\n" for n in LISTS for k, i in enumerate(ITEMS)),
    "missing": RANKED + "".join(f"{n},{i},{k}\n" for n in LISTS[2:] for k, i in enumerate(ITEMS)),
    "scattered": RANKED
    + "".join(f"{n},{i},{k % 3}\n" for k, i in enumerate(ITEMS) for n in LISTS[::-1]),
    "wrong": RANKED
    + "".join(
        f"{n},{i},{k}\n"
        for n in [*LISTS, "Q1", "q1.0", "", "nan", "zz"]
        for k, i in enumerate(["a", "a", "b", "nan", "z", "A", " b", "c.0"])
    ),
    "other": RANKED + "x,a,1\ny,a,1\n",
    "alike": RANKED + "".join(f"{n},{i},1\n" for n in LISTS for i in "ab"),
    "ranks": "list,item,rank\nq1,a,1\nq1,b,3\nq2,a,0\nq2,b,1\nq3,a,2\nq3,b,2\nq4,a,1.5\nq0,a,-1\n",
    "both": "list,item,rank,score\nq1,a,1,2\nq1,b,2,3\nq2,a,1,2\nq2,b,2,3\nq3,a,1,1\n",
    "empty": RANKED,
}
RATED = "list,item,prediction\n"
RATINGS = {
    "good": RATED
    + "".join(f"{n},{i},{1 + k % 5}\n" for n in LISTS for k, i in enumerate(ITEMS[:4])),
    "missing": RATED + "".join(f"{n},{i},2\n" for n in LISTS[1:5] for i in "ab"),
    "wrong": RATED
    + "".join(f"{n},{i},{k * 3}\n" for n in (*LISTS, "u") for k, i in enumerate("aabx")),
}
PAIRS = {
    "good": "list,better,worse\n" + "".join(f"{n},a,b\n{n},c,b\n" for n in LISTS),
    "wrong": "list,better,worse\n"
    + "".join(f"{n},a,a\n{n},a,b\n{n},b,a\n{n},a,b\n{n},b,c\n{n},x,c\n" for n in (*LISTS, "u")),
    "ranked": RANKED + "".join(f"{n},{i},{k}\n" for n in LISTS for k, i in enumerate("dacb")),
}
TAGGED = {
    "good": "list,item,score,tag\n"
    + "".join(
        f"{n},{i},{k / 5},{'BIO'[k % 3]}-X\n" for n in LISTS for k, i in enumerate(ITEMS[:6])
    ),
    "scattered": "list,item,score,tag\n"
    + "".join(f"{n},{i},0.5,B-X\n" for i in ITEMS for n in LISTS[::-1]),
}
SPANS = {
    "good": "list,item,score,type\n"
    + "".join(f"{n},{2 * k} {2 * k + 3},{k / 5},{'AB'[k % 2]}\n" for n in LISTS for k in range(5)),
    "missing": "list,item,score,type\n" + "".join(f"{n},3 5,1,A\n" for n in LISTS[2::-1]),
    "wrong": "list,item,score,type\nq1,5 3,1,A\nq2,x,1,B\nzz,1 2,1,A\n",
}
OTHERS = {
    "good": RANKED + "".join(f"{n},{i},{k % 3}\n" for n in LISTS for k, i in enumerate("fadcbe")),
    "alike": SENT["alike"],
    "wrong": SENT["wrong"],
    "strangers": RANKED + "".join(f"{n},{i},{k}\n" for n in LISTS for k, i in enumerate("abcgh")),
}
UNASKED = {
    "unasked": RATED + "".join(f"{n},{i},2\n" for n in LISTS for i in "abcfg"),
    "decimals": RATED + "".join(f"{n},{i},2\n" for n in LISTS for i in ("a", "b", "c", "007.0")),
}
CASES = [
    *(("further", text) for text in TAGGED.items()),
    *(("spans", text) for text in SPANS.items()),
    *(("orders", text) for text in OTHERS.items()),
    *(("series", text) for text in RATINGS.items()),
    *((kind, text) for kind in ("grades", "whole", "folds") for text in SENT.items()),
    *(("ratings", text) for text in RATINGS.items()),
    *(("preferences", text) for text in PAIRS.items()),
    *(("candidates", text) for text in OTHERS.items()),
    *(("asked", text) for text in (*RATINGS.items(), *UNASKED.items())),
    *(("pairs by fold", text) for text in PAIRS.items()),
]
# challenge.yaml, truth.csv and a submission, of metrics that look at columns of their own
SMALL = {
    "early": (
        """truth: truth.csv
submission: {columns: {extra: {delay: number}}}
metrics: ["ERDE(positive=1)@5", "FLatency(positive=1)"]
""",
        "list,label\na,1\nb,1\nc,0\n",
        "list,label,delay\na,1,1\nb,1,30\nc,1,4\n",
    ),
    "uncertain": (
        """truth:
  file: truth.csv
  columns: {target: y, extra: {zenith: number, longitude: number}}
submission:
  columns: {prediction: y, extra: {zenith: number, longitude: number, spread: number}}
metrics: [AngularError, Haversine, CRPS, LaplaceLogLikelihood,
  {metric: QuantileScore, quantiles: {prediction: 0.5, spread: 0.1}}]
""",
        "list,y,zenith,longitude\na,1,0.5,2\nb,2,1.5,3\nc,0.5,1,-2\n",
        "list,y,zenith,longitude,spread\na,1.5,0.4,2,1\nb,2,1.6,4,0.5\nc,0,1,-1,2\n",
    ),
    "two classes": (
        "truth: truth.csv\nsubmission: {columns: {probability: p}}\nmetrics: [ProbabilisticF1]\n",
        "list,label\na,1\nb,1\nc,0\n",
        "list,p\na,0.9\nb,0.4\nc,0.2\n",
    ),
    "masks": (
        """truth: {file: truth.csv, columns: {runs: runs}}
submission: {columns: {runs: runs}, range: [1, 30]}
metrics: [Dice, IoU]
""",
        "list,runs\na,1 3 8 2\nb,4 4\nc,\n",
        "list,runs\na,2 3\nb,4 4\nc,9 1\n",
    ),
    "boxes": (
        """truth: {file: truth.csv, columns: {boxes: found}}
submission: {columns: {boxes: found}, each: [class, score, x1, y1, x2, y2], range: [-5, 99]}
metrics: [BoxAP, BoxF1]
""",
        "list,found\na,cat 0 0 4 4 dog 5 5 9 9\nb,dog 1 1 3 3\n",
        "list,found\na,cat 0.9 0 0 4 3 dog 0.5 0 5 9 9\nb,cat 0.7 1 1 3 3\n",
    ),
    "points": (
        """truth: {file: truth.csv, columns: {boxes: found}, each: [class, x, y, w, h]}
submission: {columns: {boxes: found}, each: [class, x, y], range: [-5, 99]}
metrics: [PointF1]
""",
        "list,found\na,cat 0 0 4 4 dog 5 5 4 4\nb,dog 1 1 2 2\n",
        "list,found\na,cat 1 1 dog 1 1\nb,dog 2 2\n",
    ),
}


def every_plan(places):
    """The plan of each challenge, made in folders that `places` makes."""
    made = {}
    for kind, text in CHALLENGES.items():
        folder = places.mktemp(kind.replace(" ", "-"))
        for name, content in FILES.items():
            (folder / name).write_text(content)
        (folder / "challenge.yaml").write_text(text)
        views = frozenset({Positions} if kind in ("grades", "folds") else ())
        made[kind] = open_challenge(bind(load(folder)), views=views).plan
    return made


def same_card(card, other):
    assert card.lists == other.lists
    np.testing.assert_array_equal(card.answered, other.answered)
    assert card.values.keys() == other.values.keys()
    for name in card.values:
        np.testing.assert_array_equal(card.values[name], other.values[name], name)
    assert card.figures.keys() == other.figures.keys()
    for name, figure in card.figures.items():
        np.testing.assert_array_equal(figure.pooled(), other.figures[name].pooled(), name)
    assert (card.positions is None) == (other.positions is None)
    pairs = []
    if card.positions is not None:
        names = ("in_list", "position", "grade", "truth_list", "truth_grade")
        pairs.append((card.positions, other.positions, names))
    for mine, theirs, names in pairs:
        for name in names:
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)
