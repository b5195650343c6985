"""Gradescope: an autograder, which leaves a result for every file."""

from __future__ import annotations

from pathlib import Path

from scorer.bridges.base import Bundle, PlatformRun, Subject, bridge, platform, within
from scorer.bridges.lost import lost
from scorer.bridges.stage import laid_out, made, numbers, python, read_json, run

FILE = "run_autograder"
HAS = {"last", "grading"}
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
ALWAYS = {"score": 0, "visibility": "visible", "stdout_visibility": "hidden"}


def run_as_gradescope(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Run the autograder's bridge; results.json is what the student sees."""
    given, output = laid_out(submission, folder / "submission"), made(folder / "results")
    words = [
        python(),
        str(bundle / "bridge.py"),
        str(bundle / "challenge"),
        str(given),
        str(output),
    ]
    ended = run(words, folder, score)
    found = read_json(output / "results.json")
    board = {each["name"]: each["value"] for each in found.get("leaderboard", [])}
    seen = f"{found['score']:g} points" + (f": {text}" if (text := found.get("output")) else "")
    return PlatformRun(
        ended.code if board or ended.code else 1, ended.seconds, seen, numbers(board, FILE)
    )


@platform("gradescope", FILE, "challenge", run_as_gradescope)
def gradescope(subject: Subject) -> Bundle:
    """The autograder's files: zip what is in the folder, not the folder."""
    files = bridge(subject, "gradescope", "results.json", subject.splits[:1], always=ALWAYS)
    files |= within("challenge", subject.files)
    files |= {"setup.sh": SETUP.encode(), FILE: RUN.encode()}
    return Bundle(
        files,
        frozenset({"setup.sh", FILE}),
        lost(subject, HAS),
        ("zip the files and upload them: Configure Autograder, Zip file upload",),
    )
