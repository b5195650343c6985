"""Edit distance of texts."""

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.metrics.text.answers import Normalize
from scorer.metrics.text.edits import Over, Unit, edited
from scorer.views.texts import Texts


@metric(
    "EditDistance",
    title="Edit distance of texts",
    source="Levenshtein, Soviet Physics Doklady 10(8), 1966",
    elsewhere={
        "rapidfuzz": "Levenshtein.distance",
    },
    formula=lambda params: (
        r"D, \qquad D = \text{fewest edits from the text to the nearest accepted one}"
        if params["over"] == "nothing"
        else r"\frac{D}{M}, \qquad D = \text{fewest edits from the text to the "
        r"nearest accepted one}, \qquad M = \text{length of the accepted text, or "
        "of the longer one}"
    ),
    range=(0, None),
    better="lower",
    aliases=("Levenshtein",),
    statistic=Share(),
)
def editdistance(
    texts: Texts,
    *,
    rel: Relevant = 1,
    unit: Unit = "characters",
    over: Over = "nothing",
    average: Pooling = "lists",
    normalize: Normalize = "plain",
) -> Quotient:
    """The fewest insertions, deletions and replacements that make the first text an accepted one.

    A list is a question, its items are texts, as in `ExactMatch`; of several accepted
    texts the nearest counts. A list without an answer has the empty text. `over=truth` divides by
    the length of the accepted text, 1 at least, and can be above 1; `over=longer` by that of the
    longer text, and cannot. With `average=pooled` the edits of all lists are divided by their
    lengths together. `WER` and `CER` are of words and characters, pooled.

    >>> texts = Texts.of(("kitten", ["sitting", "site"]), ("Nile", ["Nil"]))
    >>> editdistance(texts).values                       # site: k, second t, n
    array([3., 1.])
    >>> editdistance(texts, over="truth", average="pooled").statistics.share()   # (3 + 1) / (7 + 3)
    0.4
    """
    return edited(texts, rel, normalize, unit, over, average)
