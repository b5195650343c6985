"""What `compute` of a Hugging Face competition returns: public and private values."""

from scorer.reports.base import Options, form
from scorer.reports.leaderboard.platforms.sent import by_split, means, strict
from scorer.results.report import Report


@form("leaderboard", "huggingface", public=True)
def huggingface(report: Report, options: Options) -> str:
    """Both scores, with equal keys; the splits `public` and `private`, else the first and last."""
    parts = by_split(report)
    names = [name for name in parts if name != "all"] or list(parts)
    public, private = (
        means(parts[word if word in parts else names[place]])
        for word, place in (("public", 0), ("private", -1))
    )
    both = [name for name in public if name in private]
    return strict(
        {
            "public_score": {name: public[name] for name in both},
            "private_score": {name: private[name] for name in both},
        }
    )
