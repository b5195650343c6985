"""A challenge of each kind that asks for every metric there is, and random submissions to it."""

import re
from importlib.util import find_spec
from itertools import pairwise

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import NotationError, parse_measure

FILL = {"p": "0.8", "beta": "2", "recall": "0.5", "cutoffs": "[2, 5]"}
WRITTEN = {
    "Serendipity": "{metric: Serendipity, expected: 2, k: 3}"  # which needs two
}
TWO_CLASSES = {"ProbabilisticF1"}
# which look at further columns of the challenge's files
FURTHER = {
    *("AWRF", "AngularError", "CRPS", "ChunkF1", "ClassRprec", "ERDE", "FLatency", "Haversine"),
    *("LaplaceLogLikelihood", "QuantileScore", "WRMSSE"),
    *("EventAP", "EventF1", "SpanF1"),  # whose items are spans
}
# of the extra text
ABSENT = {"BLEU", "chrF"} if find_spec("sacrebleu") is None else set()
KINDS = ("grades", "ratings", "preferences", "classes", "probabilities", "targets")
ITEMS = [f"i{n}" for n in range(12)]
CLASSES = "xyz"


def notation_of(metric):
    """How a metric is asked for that has no parameters of its own choice."""
    if metric.name in WRITTEN:
        return WRITTEN[metric.name]
    try:
        parse_measure(metric, metric.name)
    except NotationError as error:
        if found := re.search(r"\((\w+)=\.\.\.\)", str(error)):
            return f"{{metric: {metric.name}, {found[1]}: {FILL[found[1]]}}}"
        return f"{metric.name}@3"
    return metric.name


def asked(kind):
    """Every metric of the registry that fits the kind and needs no further column."""
    found = []
    for metric in metrics():
        if metric.name in FURTHER | TWO_CLASSES | ABSENT:
            continue
        if metric.name == "IntervalCoverage" and kind == "targets":
            continue  # there its ends are further columns
        if kind in metric.kinds:
            found.append(metric)
        elif "labels" in metric.kinds and kind in ("classes", "probabilities", "targets"):
            numbers = metric.view.__name__ == "Targets"
            likely = "probability" in metric.columns
            if (kind == "targets") == numbers and (kind == "probabilities" or not likely):
                found.append(metric)
    return sorted({notation_of(metric) for metric in found})


def made(folder, kind, rng, lists=40):
    """A challenge's folder with every metric of its kind."""
    names = [f"q{n}" for n in rng.permutation(lists)]
    metrics = "".join(f"  - {notation}\n" for notation in asked(kind))
    yaml = f"undefined: skip\nleaderboard: {{seed: 3}}\nmetrics:\n{metrics}"
    if kind == "grades":
        rows = [
            f"{name},{item},{grade}"
            for name in names
            for item, grade in zip(ITEMS[:6], rng.permutation([-1, 0, 1, 2, 3.5, 4]), strict=True)
        ]
        write(folder / "truth.csv", "list,item,grade", rows)
        items = [f"{item},{n},{n % 3},1" for n, item in enumerate(ITEMS)]
        write(folder / "items.csv", "item,users,x,y", items)
        past = [f"{name},{rng.choice(ITEMS)}" for name in names]
        write(folder / "history.csv", "list,item", past)
        yaml = (
            "truth: truth.csv\nitems: {file: items.csv, columns: {users: users, "
            "features: [x, y]}}\nhistory: {file: history.csv}\n"
            f"submission: {{missing_list: skip}}\n{yaml}"
        )
    elif kind == "ratings":
        rows = [f"{name},{item},{rng.integers(1, 6)}" for name in names for item in ITEMS[:5]]
        write(folder / "truth.csv", "list,item,rating", rows)
        yaml = f"truth: truth.csv\nsubmission: {{missing_list: skip}}\n{yaml}"
    elif kind == "preferences":
        rows = [f"{name},{a},{b}" for name in names for a, b in pairwise(ITEMS[:6])]
        write(folder / "truth.csv", "list,better,worse", rows)
        yaml = f"truth: truth.csv\n{yaml}"
    elif kind == "targets":
        rows = [f"{name},{rng.integers(1, 90)}" for name in names]
        write(folder / "truth.csv", "list,target", rows)
        yaml = f"truth: truth.csv\nsubmission: {{missing_list: skip}}\n{yaml}"
    else:
        rows = [f"{name},{rng.choice([*CLASSES])}" for name in names]
        write(folder / "truth.csv", "list,label", rows)
        likely = "columns: {label: label, probability: {x: px, y: py, z: pz}}"
        rules = f"submission: {{{likely}}}\n" if kind == "probabilities" else ""
        yaml = f"truth: truth.csv\n{rules}{yaml}"
    (folder / "challenge.yaml").write_text(yaml)
    return names


def sent(path, kind, names, rng, odd=False):
    """A random submission; an odd one has something wrong in some of its rows."""
    names = [*names]
    rng.shuffle(names)
    if kind in ("grades", "preferences"):
        rows = [
            f"{name},{item},{rng.integers(0, 6) / 5:g}"  # Fmax takes shares
            for name in names
            for item in rng.permutation(ITEMS[: 6 if kind == "preferences" else 12])[:7].tolist()
        ]
        head, wrong = "list,item,score", ["q1,i1,1", "q1,i1,x", "Q2,i2,1", "zz,i3,2", "q3,i99,nan"]
    elif kind == "ratings":
        rows = [
            f"{name},{item},{p:.3f},{p - 1:.3f},{p + 1:.3f}"
            for name in names
            for item, p in zip(ITEMS[:5], rng.uniform(1, 5, 5), strict=True)
        ]
        head = "list,item,prediction,low,high"
        wrong = ["q1,i1,1,0,2", "q2,i77,3,2,4", "q5,i2,9e999,1,2", "u,i1,3,2,4"]
    elif kind == "targets":
        rows = [f"{name},{rng.uniform(1, 90):.4f}" for name in names]
        head, wrong = "list,prediction", ["q1,3", "u,2", "q3,", "q4,1;5"]
    else:
        head = "list,label,px,py,pz" if kind == "probabilities" else "list,label"
        rows = []
        for name in names:
            label, likely = rng.choice([*CLASSES]), rng.dirichlet([1, 1, 1])
            more = "".join(f",{p:.6f}" for p in likely) if kind == "probabilities" else ""
            rows.append(f"{name},{label}{more}")
        more = ",0.2,0.3,0.5" if kind == "probabilities" else ""
        wrong = [f"q1,x{more}", f"q2,X{more}", f"u,y{more}"]
    if rng.integers(2):
        rng.shuffle(rows)  # the rows of a list do not stand together
    if odd:
        for each in wrong:
            rows.insert(int(rng.integers(len(rows))), each)
        rows.insert(int(rng.integers(len(rows))), "q7")  # a short row
    write(path, head, rows)


def write(path, head, rows):
    path.write_text("\n".join([head, *rows]) + "\n")
