"""The `model-index` of a model card: results that Hugging Face's hub shows."""

import yaml

from scorer.reports.base import Options
from scorer.reports.leaderboard.platforms.sent import by_split, means, sent
from scorer.results.report import Report


def model_index(report: Report, options: Options) -> str:
    """YAML: one model, a result for each measure and split."""
    scored = sent(report)
    results = [
        {
            "task": {"type": "other"},
            "dataset": {
                "name": report.challenge.title,
                "type": report.challenge.id,
                "split": split,
                "revision": report.fingerprint,
            },
            "metrics": [
                {"type": name, "name": report.signatures[name], "value": mean}
                for name, mean in means(part).items()
            ],
        }
        for split, part in by_split(report).items()
        if means(part)
    ]
    model = {"name": scored.name, "results": results}
    return yaml.safe_dump({"model-index": [model]}, sort_keys=False, allow_unicode=True, width=1000)
