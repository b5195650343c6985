"""Gradescope: an autograder, which leaves a result for every file."""

from __future__ import annotations

from scorer.export.base import (
    Bundle,
    ExportContext,
    bridge_files,
    in_folder,
    unsupported_features,
)

AUTOGRADER = "run_autograder"
SUPPORTED = {"last", "grading"}
SETUP = """#!/usr/bin/env bash
# Gradescope's Ubuntu has an older Python than `score` needs
set -e
pip install uv
UV_TOOL_BIN_DIR=/usr/local/bin uv tool install --python 3.12 challenge-scorer
"""
RUN = """#!/usr/bin/env bash
exec python3 /autograder/source/bridge.py /autograder/source/challenge /autograder/submission \\
  /autograder/results
"""
NO_POINTS = {"score": 0, "visibility": "visible", "stdout_visibility": "hidden"}


def export_gradescope(context: ExportContext) -> Bundle:
    """Return the autograder's files: zip the folder's content, not the folder."""
    files = bridge_files(
        context, "gradescope", "results.json", context.splits[:1], always=NO_POINTS
    )
    files |= in_folder("challenge", context.files)
    files |= {"setup.sh": SETUP.encode(), AUTOGRADER: RUN.encode()}
    return Bundle(
        files,
        executables=frozenset({"setup.sh", AUTOGRADER}),
        unsupported=unsupported_features(context, SUPPORTED),
        next_steps=("zip the files and upload them: Configure Autograder, Zip file upload",),
    )
