"""Grand Challenge: an evaluation container that runs once, or answers its invoke API."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.bridges.base import (
    Bundle,
    PlatformRun,
    Subject,
    bridge,
    derived,
    json_text,
    platform,
    template,
)
from scorer.bridges.lost import lost
from scorer.bridges.stage import laid_out, made, numbers, python, read_json, run, unpacked_archive
from scorer.reports.leaderboard.platforms.grand_challenge import DOT
from scorer.reports.leaderboard.platforms.sent import slugs

FILE = "grand-challenge.json"
TRUTH = "ground_truth.tar.gz"
HAS = {"best", "tie_break"}
DOCKER = """FROM {image}
USER root
COPY bridge.py bridge.json app.py /opt/app/
USER 1000
# run once: delete the next line and let ENTRYPOINT be
# ["python3", "/opt/app/bridge.py", "/opt/ml/input/data/ground_truth", "/input", "/output"]
LABEL org.grand-challenge.api-method="invoke"
ENTRYPOINT ["python3", "/opt/app/app.py"]
"""


def run_as_grand_challenge(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Run the container's program once; of an error the last line is shown."""
    truth = unpacked_archive(bundle / TRUTH, folder / "ground_truth")
    given, output = laid_out(submission, folder / "input"), made(folder / "output")
    words = [python(), str(bundle / "bridge.py"), str(truth), str(given), str(output)]
    ended = run(words, folder, score)
    if ended.code:
        lines = [line for line in ended.err.splitlines() if line.strip()]
        return PlatformRun(ended.code, ended.seconds, f"Failed: {lines[-1] if lines else ''}", {})
    aggregates = read_json(output / "metrics.json")["aggregates"]
    values = {key: found["mean"] for key, found in aggregates.items() if "." not in key}
    return PlatformRun(0, ended.seconds, "Succeeded", numbers(values, "metrics.json"))


@platform("grand-challenge", FILE, TRUTH, run_as_grand_challenge)
def grand_challenge(subject: Subject) -> Bundle:
    """The container's folder, the ground truth, and what to enter in the phase's settings."""
    splits = subject.splits[:1]
    image = derived(subject.image, "grand-challenge")
    files = bridge(subject, "grand-challenge", "metrics.json", splits)
    files["app.py"] = template("grand_challenge_app.py")
    files["Dockerfile"] = DOCKER.format(image=subject.image).encode()
    files[TRUTH] = _tar(subject.files)
    files[FILE] = json_text(_settings(subject))
    files["kit.zip"] = subject.kit
    hidden = [
        f"split {name}: a phase of its own, with a container of its own"
        for name in subject.splits[1:]
    ]
    return Bundle(
        files,
        lost=(*lost(subject, HAS), *hidden),
        next=(
            "build the container in the bundle's folder, and upload the archive:",
            f"  docker build -t {image} .",
            f"  docker save {image} | gzip > container.tar.gz",
            f"upload {TRUTH} as the phase's ground truth",
            f"enter what {FILE} says in the phase's scoring settings",
        ),
    )


def _settings(subject: Subject) -> dict[str, Any]:
    keys = slugs([measure.id for measure in subject.measures], 200, DOT)
    orders, (first, *rest) = subject.better("desc", "asc"), subject.measures
    return {
        "score_title": first.id,
        "score_jsonpath": f"aggregates.{keys[first.id]}.mean",
        "score_error_jsonpath": f"aggregates.{keys[first.id]}.half",
        "score_default_sort": orders[first.id],
        "scoring_method_choice": "absolute",
        "extra_results_columns": [
            {"path": f"aggregates.{keys[m.id]}.mean", "order": orders[m.id], "title": m.id}
            for m in rest
        ],
    }


def _tar(files: Mapping[str, bytes]) -> bytes:
    """A tarball; the same files give the same bytes."""
    import gzip

    out = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return out.getvalue()
