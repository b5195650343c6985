"""No gain by garbage: what is dropped, invalid, constant, huge or doubled ranks no higher."""

import everything
import numpy as np
import pytest

from scorer.api.attacks import gains
from scorer.challenge.load import load
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.testing import no_gain

# The measures that gain, as lint says, each by its definition: of short lists by what is left,
# of fewer returned items, of intervals that cost nothing, ...
GAINING = {
    "grades": {
        *("Judged@3", "RBO", "SetAP", "SetF", "SetJaccard", "SetP", "SetRelP", "ILD@3"),
        "Novelty@3",
    },
    "ratings": {"IntervalCoverage"},
    "preferences": set(),
    "classes": set(),
    "probabilities": set(),
    "targets": set(),
}


@pytest.mark.slow("scores a dozen submissions by every measure of a kind")
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", everything.KINDS)
def test_no_measure_gains_but_those_that_lint_names(kind, seed, tmp_path):
    everything.made(tmp_path, kind, np.random.default_rng(seed))
    yaml = (tmp_path / "challenge.yaml").read_text()
    (tmp_path / "challenge.yaml").write_text(
        yaml.replace("missing_list: skip", "missing_list: error")
    )
    gained = {(gain.measure, gain.attack) for gain in gains(opened(prepare(load(tmp_path))))}
    assert {measure for measure, _ in gained} <= GAINING[kind], sorted(gained)


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
    found = gains(opened(prepare(load(challenge(SPANS.format(metrics=metrics), **files)))))
    assert {gain.measure for gain in found} <= gaining
    assert all(gain.attack.startswith("leaving out all but") for gain in found)
