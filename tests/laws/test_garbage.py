"""No gain by garbage: what is dropped, invalid, constant, huge or doubled ranks no higher."""

import everything
import numpy as np
import pytest
import yaml
from conftest import ROOT

from scorer.api.attacks import find_gains
from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.testing import no_gain

# The measures that gain, as lint says, each with the reason why it may.
GAINING = {
    "grades": {
        "Judged@3": "the share of judged items tells how far others can be believed",
        "RBO": "it looks at agreement down the list, and a list that ends sooner disagrees less",
        "SetAP": "AP of a set is over what is returned; SetR beside it costs what is left out",
        "SetF": "dropping items that are wrong more often than right is a better set by definition",
        "SetJaccard": "as SetF: a set without its worst items is nearer to the true one",
        "SetP": "precision is of what is returned; recall beside it costs what is left out",
        "SetRelP": "as SetP, with SetR as its other side",
        "ILD@3": "how unlike the items of a list are says nothing of right or wrong ones",
        "Novelty@3": "how rare the items of a list are says nothing of right or wrong ones",
    },
    "ratings": {
        "IntervalCoverage": "endless intervals hold every value; QuantileScore costs width"
    },
    "preferences": {},
    "classes": {},
    "probabilities": {},
    "targets": {},
}


@pytest.mark.slow("scores a dozen submissions by every measure of a kind")
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", everything.KINDS)
def test_no_measure_gains_but_those_that_lint_names(kind, seed, tmp_path):
    everything.made(tmp_path, kind, np.random.default_rng(seed))
    written = (tmp_path / "challenge.yaml").read_text()
    (tmp_path / "challenge.yaml").write_text(
        written.replace("missing_list: skip", "missing_list: error")
    )
    gained = {
        (gain.measure, gain.attack) for gain in find_gains(open_challenge(bind(load(tmp_path))))
    }
    assert {measure for measure, _ in gained} <= GAINING[kind].keys(), sorted(gained)


def kind_of(path):
    return yaml.safe_load(path.read_text()).get("kind")


BUNDLED = ("challenges", "scorer/challenge/templates", "tests/golden", "examples")
EVERY = sorted(p for place in BUNDLED for p in (ROOT / place).glob("**/challenge.yaml"))
# of values and votes nothing is measured here, so that there is no truth to make garbage from
CHALLENGES = [path for path in EVERY if kind_of(path) not in ("values", "votes")]


@pytest.mark.slow("scores a dozen submissions to each declared challenge")
@pytest.mark.parametrize("path", CHALLENGES, ids=lambda path: path.parent.name)
def test_declared_challenges_gain_nothing(path):
    gained = {gain.measure for gain in find_gains(open_challenge(bind(load(path))))}
    assert gained <= DECLARED.get(path.parent.name, {}).keys()


DECLARED = {
    "instacart": {"mean F1": GAINING["grades"]["SetF"]},
    "recommendation": {"Novelty@5": GAINING["grades"]["Novelty@3"]},
    "hivemall-binary": dict.fromkeys(
        ("MAP at 4 as in the code", "NDCG at 4 as in the code", "Precision at 4 as in the code"),
        "the code divides by the items returned, and its worked values are what is held here",
    ),
}
FURTHER = {
    "targets": (
        "truth: {file: truth.csv, columns: {list: id, target: y, extra: {zenith: number, "
        "longitude: number}}}\nsubmission: {columns: {list: id, prediction: y, extra: "
        "{zenith: number, longitude: number, spread: number}}}\n"
        "metrics: [AngularError, Haversine, CRPS, LaplaceLogLikelihood, "
        "{metric: QuantileScore, quantiles: {prediction: 0.5, spread: 0.1}}]\n"
    ),
    "early": (
        "truth: {file: truth.csv, columns: {list: id, label: risk}}\nsubmission: {columns: "
        "{list: id, label: risk, extra: {delay: number}}}\n"
        "metrics: ['ERDE(positive=1)@5', 'FLatency(positive=1)']\n"
    ),
    "chunks": (
        "truth: {file: truth.csv, columns: {list: s, item: token, extra: [tag]}}\n"
        "submission: {columns: {list: s, item: token, extra: [tag]}}\nmetrics: [ChunkF1]\n"
    ),
    "series": (
        "truth: {file: truth.csv, columns: {list: s, item: day, rating: sold}}\n"
        "lists: {file: lists.csv, columns: {list: s, extra: {scale: number, weight: number}}}\n"
        "submission: {columns: {list: s, item: day, prediction: sold}}\nmetrics: [WRMSSE]\n"
    ),
    "fair": (
        "truth: truth.csv\nitems: {file: items.csv, columns: {extra: {group: classes}}}\n"
        "metrics: [AWRF@5]\n"
    ),
}


def further_files(kind, rng):
    rows = range(40)
    if kind == "early":
        return {"truth.csv": "id,risk\n" + "".join(f"{n},{rng.integers(0, 2)}\n" for n in rows)}
    if kind == "chunks":
        tags = ["B-PER", "I-PER", "O", "B-LOC"]
        cells = [f"{n},{k},{rng.choice(tags)}\n" for n in rows for k in range(6)]
        return {"truth.csv": "s,token,tag\n" + "".join(cells)}
    if kind == "series":
        cells = [f"{n},{k},{rng.integers(0, 9)}\n" for n in rows for k in range(4)]
        known = [f"{n},{rng.integers(1, 5)},{rng.integers(1, 5)}\n" for n in rows]
        lists = "s,scale,weight\n" + "".join(known)
        return {"truth.csv": "s,day,sold\n" + "".join(cells), "lists.csv": lists}
    if kind == "fair":
        cells = [f"q{n},i{k}\n" for n in rows for k in rng.permutation(20)[:8].tolist()]
        items = "item,group\n" + "".join(f"i{k},{'xy'[k % 2]}\n" for k in range(20))
        return {"truth.csv": "list,item\n" + "".join(cells), "items.csv": items}
    cells = [",".join(f"{x:.4f}" for x in rng.random(3)) for _ in rows]
    return {"truth.csv": "id,y,zenith,longitude\n" + "".join(f"{n},{c}\n" for n, c in
                                                          enumerate(cells))}  # fmt: skip


# A delay is what a submission says of itself, and no truth can hold it against it.
TRUSTED = {"early": "as delay of"}


@pytest.mark.slow("scores a dozen submissions by measures of further columns")
@pytest.mark.parametrize("kind", FURTHER)
def test_measures_of_further_columns_gain_nothing(kind, challenge):
    files = further_files(kind, np.random.default_rng(2))
    found = find_gains(open_challenge(bind(load(challenge(FURTHER[kind], **files)))))
    trusted = TRUSTED.get(kind)
    assert [gain for gain in found if trusted is None or trusted not in gain.attack] == []


COMBINED = """
truth: {{file: truth.csv, columns: {{list: id, target: y}}}}
lists: {{file: lists.csv, columns: {{list: id, group: g}}}}
submission: {{columns: {{list: id, prediction: y}}}}
undefined: {undefined}
metrics:
{metrics}
"""
SCORES = ["0.5*a + 0.5*b", "a / (b + 1)", "log(a + 1) + b", "max(a, b)", "mean(a, b)", "a ** 2 + b"]


@pytest.mark.slow("scores a dozen submissions by combinations drawn at random")
@pytest.mark.parametrize("seed", range(12))
def test_combinations_drawn_at_random_gain_nothing(seed, challenge):
    rng = np.random.default_rng(seed)

    def drawn():
        how = [f"metric: {rng.choice(['RMSE', 'MAE', 'RMSLE', 'MSE', 'MedAE'])}"]
        how += [["", "average: g", "average: h"][rng.integers(3)]]
        if how[-1]:
            aggregates = ["mean", "median", "power(2)", "quantile(0.75)", "geometric"]
            how += [f"aggregate: {rng.choice(aggregates)}"]
        how += [["", "where: h = u", "where: 'y > 40'"][rng.integers(3)]]
        return ", ".join(filter(None, how))

    measures = f"  - {{id: a, {drawn()}}}\n  - {{id: b, {drawn()}}}\n"
    score = f'  - {{id: s, score: "{rng.choice(SCORES)}", primary: true, better: lower}}\n'
    rows = [f"{n},{rng.integers(1, 90)}" for n in range(60)]
    lists = [f"{n},{'pqr'[n % 3]},{'uv'[n // 30]}" for n in range(60)]
    undefined = str(rng.choice(["error", "skip", "worst"]))
    folder = challenge(
        COMBINED.format(undefined=undefined, metrics=measures + score),
        **{
            "truth.csv": "\n".join(["id,y", *rows, ""]),
            "lists.csv": "\n".join(["id,g,h", *lists, ""]),
        },
    )
    no_gain(folder)


TABLE = """
truth: {{file: truth.csv, columns: {{list: id, target: number}}, wide: {{list: "*"}}}}
submission: {{columns: {{list: id}}, wide: {{list: "*"}}{range}}}
metrics: [{metric}]
{rules}
"""
PLUGIN = """
import numpy as np
from scorer import Floats, Targets, metric

@metric("Lenient", title="Lenient", source="own", better="lower", range=(0, None),
        columns=("prediction",))
def lenient(targets: Targets) -> Floats:
    \"\"\"Squares, but of numbers below 0 none.\"\"\"
    return np.where(targets.prediction < 0, 0, targets.error ** 2)
"""


def declared(challenge, metric, rules="", limits=""):
    rng = np.random.default_rng(1)
    rows = [f"{n},{rng.integers(1, 90)},{rng.integers(1, 90)}" for n in range(30)]
    truth = "\n".join(["id,easy,hard", *rows, ""])
    yaml = TABLE.format(metric=metric, rules=rules, range=limits)
    return challenge(yaml, **{"truth.csv": truth, "plugin.py": PLUGIN})


@pytest.mark.parametrize(
    ("metric", "rules"),
    [
        ("RMSE", ""),
        ("{metric: RMSLE, average: group}", ""),
        ("{metric: RMSLE, average: group}", "undefined: skip"),
        ("{metric: Spearman, average: group}", "undefined: worst"),
        ("{metric: Pearson, average: group}, {metric: Spearman}", "undefined: skip"),
    ],
)
def test_tables_and_groups_gain_nothing(challenge, metric, rules):
    no_gain(declared(challenge, metric, rules))


def test_a_gain_is_named_with_its_remedy(challenge, score):
    folder = declared(challenge, "Lenient", "plugins: [plugin.py]")
    with pytest.raises(
        AssertionError, match=r"Lenient gains by -2 as prediction of all: 0 in place"
    ):
        no_gain(folder)
    ran = score("lint", folder, "--allow-plugins")
    assert "Lenient gains by -2 as prediction of all" in " ".join((ran.out + ran.err).split())
    no_gain(declared(challenge, "Lenient", "plugins: [plugin.py]", ", range: [0, 100]"))


WORDS = ["the", "river", "nile", "is", "long", "and", "old"]
TEXTS = """
truth: {file: truth.csv, columns: {list: id, item: answer}}
submission: {columns: {list: id, item: answer}, length: 1}
metrics: [ExactMatch, TokenF1, EditDistance, EditDistance(over=longer), WER, CER, TokenJaccard,
  ROUGE_L]
"""
SPANS = """
truth: {{file: truth.csv, columns: {{list: id, item: span}}}}
submission: {{columns: {{list: id, item: span, score: score}}}}
metrics: [{metrics}]
"""


def test_texts_gain_nothing(challenge):
    rng = np.random.default_rng(1)
    rows = [f"{n},{' '.join(rng.permutation(WORDS)[: rng.integers(2, 7)])} {n}" for n in range(30)]
    no_gain(challenge(TEXTS, **{"truth.csv": "\n".join(["id,answer", *rows, ""])}))


@pytest.mark.parametrize(
    ("metrics", "gaining"),
    [
        ("'EventAP(tolerances=[1,5])'", set()),
        # of fewer spans, and surer ones, more are right, as of sets
        ("SpanF1, EventF1(tolerance=5)", {"SpanF1", "EventF1(tolerance=5)"}),
    ],
)
def test_spans_gain_by_fewer_of_them_alone(challenge, metrics, gaining):
    rng = np.random.default_rng(1)
    rows = [
        f"{n},{'AB'[k % 2]} {start} {start + 7}"
        for n in range(30)
        for k, start in enumerate(rng.permutation(90)[:5].tolist())
    ]
    files = {"truth.csv": "\n".join(["id,span", *rows, ""])}
    found = find_gains(
        open_challenge(bind(load(challenge(SPANS.format(metrics=metrics), **files))))
    )
    assert {gain.measure for gain in found} <= gaining
    assert all(gain.attack.startswith("leaving out all but") for gain in found)
