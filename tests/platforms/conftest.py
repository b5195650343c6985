"""Checkouts of the platforms' code, and the bundles that run in it."""

import json
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from platforms.tries import CHALLENGES, SCORE, run

collect_ignore = ["stands"]  # programs, each of which runs in a process of its own
STANDS = Path(__file__).parent / "stands"
SOURCES = {"codabench": "github.com/codalab/codabench", "EvalAI": "github.com/Cloud-CV/EvalAI"}


@pytest.fixture(params=CHALLENGES, ids=lambda tried: tried.name)
def tried(request):
    return request.param


@pytest.fixture(scope="session")
def checkout():
    """The folder of a platform's code in PLATFORMS; without it the test is skipped."""

    def of(name):
        if not (where := os.environ.get("PLATFORMS")):
            pytest.skip("PLATFORMS=DIR is missing: a folder with checkouts of the platforms")
        folder = Path(where).resolve() / name
        if not folder.is_dir():
            pytest.skip(f"{name} is missing in PLATFORMS: git clone https://{SOURCES[name]}")
        return folder

    return of


@pytest.fixture
def stand():
    """Run one of the programs that run a platform's code; what it tells."""
    return lambda name, *words: json.loads(
        run([sys.executable, STANDS / f"{name}.py", *words]).splitlines()[-1]
    )


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The bundle of a challenge for a platform, a folder to be changed as wanted."""

    @cache
    def once(platform, tried):
        out = tmp_path_factory.mktemp("bundle") / "bundle"
        run([SCORE, "export", platform, tried.folder, "-o", out])
        return out

    def of(platform, tried):
        return shutil.copytree(once(platform, tried), tmp_path_factory.mktemp("own") / "bundle")

    return of


@pytest.fixture(scope="session")
def means():
    """The values of a good submission as `score` has them: split -> measure -> value."""

    def of(tried, *splits):
        words = [SCORE, tried.folder, f"submission={tried.sent('good')}", "-q", "--format", "json"]
        found = {}
        for split in splits or (None,):
            told = json.loads(run([*words, *(["--split", split] if split else [])]))
            rows = {row["name"]: row["values"] for row in told["submissions"]}
            values = {name: value["mean"] for name, value in rows["submission"].items()}
            found[split] = {name: mean for name, mean in values.items() if mean is not None}
        return found

    return of
