"""The challenges whose values are recorded: one of each kind, with every measure that fits it."""

import os
from pathlib import Path

import pytest
from recorded import record

from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge


@pytest.fixture(scope="session")
def settings(tmp_path_factory):
    """Name to the plan of each challenge and the file of its first submission."""
    home = Path.cwd()
    place = tmp_path_factory.mktemp("settings")
    os.chdir(place)  # where the files are written
    try:
        made = [
            (name, said, place / folder)
            for name, said, folder in record.settings("measures.yaml", "ranked")
        ]
    finally:
        os.chdir(home)
    plans = {}
    for name, said, folder in made:
        record.write_challenge(folder, {**said["challenge"], "metrics": said["measures"]})
        plans[name] = (open_challenge(bind(load(folder))).plan, folder / "sent" / "ann.csv")
    return plans
