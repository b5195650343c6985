"""Grand Challenge: an evaluation container that runs once, or answers its invoke API."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from typing import Any

from scorer.export.base import (
    Bundle,
    ExportContext,
    bridge_files,
    derived_image,
    format_json,
    template,
    unsupported_features,
)
from scorer.reports.leaderboard.platforms import NOT_IN_PATH, make_keys

SETTINGS = "grand-challenge.json"
TRUTH = "ground_truth.tar.gz"
SUPPORTED = {"best", "tie_break"}
LONGEST_KEY = 200  # characters
DOCKERFILE = """FROM {image}
USER root
COPY bridge.py bridge.json app.py /opt/app/
USER 1000
# run once: delete the next line and let ENTRYPOINT be
# ["python3", "/opt/app/bridge.py", "/opt/ml/input/data/ground_truth", "/input", "/output"]
LABEL org.grand-challenge.api-method="invoke"
ENTRYPOINT ["python3", "/opt/app/app.py"]
"""


def export_grand_challenge(context: ExportContext) -> Bundle:
    """Return the container's folder, the ground truth, and the phase's scoring settings."""
    image = derived_image(context.image, "grand-challenge")
    files = bridge_files(context, "grand-challenge", "metrics.json", context.splits[:1])
    files["app.py"] = template("grand_challenge_app.py")
    files["Dockerfile"] = DOCKERFILE.format(image=context.image).encode()
    files[TRUTH] = _tar_gz(context.files)
    files[SETTINGS] = format_json(_scoring_settings(context))
    files["kit.zip"] = context.kit
    further_splits = [
        f"split {name}: a phase of its own, with a container of its own"
        for name in context.splits[1:]
    ]
    return Bundle(
        files,
        unsupported=(*unsupported_features(context, SUPPORTED), *further_splits),
        next_steps=(
            "build the container in the bundle's folder, and upload the archive:",
            f"  docker build -t {image} .",
            f"  docker save {image} | gzip > container.tar.gz",
            f"upload {TRUTH} as the phase's ground truth",
            f"enter what {SETTINGS} says in the phase's scoring settings",
        ),
    )


def _scoring_settings(context: ExportContext) -> dict[str, Any]:
    """Return what the organizer enters on the page of the phase: columns and their order."""
    keys = make_keys([measure.id for measure in context.measures], LONGEST_KEY, NOT_IN_PATH)
    orders = context.by_direction("desc", "asc")
    primary, *others = context.measures
    return {
        "score_title": primary.id,
        "score_jsonpath": f"aggregates.{keys[primary.id]}.mean",
        "score_error_jsonpath": f"aggregates.{keys[primary.id]}.half",
        "score_default_sort": orders[primary.id],
        "scoring_method_choice": "absolute",
        "extra_results_columns": [
            {
                "path": f"aggregates.{keys[measure.id]}.mean",
                "order": orders[measure.id],
                "title": measure.id,
            }
            for measure in others
        ],
    }


def _tar_gz(files: Mapping[str, bytes]) -> bytes:
    """Return a tar archive of the files; the same files give the same bytes."""
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
