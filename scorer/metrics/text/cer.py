"""Character error rate."""

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.metrics.text.answers import Normalize
from scorer.metrics.text.edits import edited
from scorer.views.texts import Texts


@metric(
    "CER",
    title="Character error rate",
    source="Morris, Maier and Green, Interspeech 2004, doi:10.21437/Interspeech.2004-668; jiwer",
    elsewhere={
        "jiwer": "cer",
    },
    formula=r"\frac{D}{M}, \qquad D = \text{fewest edits of characters}, \qquad "
    r"M = \text{characters of the accepted texts}",
    undefined="the accepted texts have no character",
    range=(0, None),
    better="lower",
    statistic=Share(),
)
def cer(
    texts: Texts, *, rel: Relevant = 1, average: Pooling = "pooled", normalize: Normalize = "plain"
) -> Quotient:
    """The edits of characters over the characters of the accepted texts, of all lists together.

    As `WER`, of characters; blanks at the ends of a text are none, as in jiwer.

    >>> texts = Texts.of(("kitten", ["sitting"]), ("no ", ["no"]))
    >>> cer(texts).statistics.share().__round__(6)       # (3 + 0) / (7 + 2)
    0.333333
    """
    return edited(texts, rel, normalize, "trimmed", "truth", average)
