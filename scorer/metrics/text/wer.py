"""Word error rate."""

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.metrics.text.answers import Normalize
from scorer.metrics.text.edits import edited
from scorer.views.texts import Texts


@metric(
    "WER",
    title="Word error rate",
    source="Morris, Maier and Green, Interspeech 2004, doi:10.21437/Interspeech.2004-668; jiwer",
    elsewhere={
        "jiwer": "wer",
    },
    formula=r"\frac{D}{M}, \qquad D = \text{fewest edits of words}, \qquad M = "
    r"\text{words of the accepted texts}",
    undefined="the accepted texts have no word",
    range=(0, None),
    better="lower",
    statistic=Share(),
)
def wer(
    texts: Texts, *, rel: Relevant = 1, average: Pooling = "pooled", normalize: Normalize = "plain"
) -> Quotient:
    """The edits of words over the words of the accepted texts, of all lists together.

    It is 0 for a perfect transcript, and above 1 where more is inserted than there is.
    `average=lists` is the mean of each list's rate. Texts stand as in `ExactMatch`; words are
    parted by blanks, and as they stand: jiwer's defaults. Of several accepted texts the one with
    the lowest rate counts. It is `EditDistance(unit=tokens, over=truth, average=pooled)`.

    >>> texts = Texts.of(("the cat sat", ["the cat sat down"]), ("no", ["yes"]))
    >>> wer(texts).statistics.share()                    # (1 + 1) / (4 + 1)
    0.4
    """
    return edited(texts, rel, normalize, "tokens", "truth", average)
