"""Commands on small files, and what they write: the cases are in the pages of commands/."""

from pathlib import Path

import pytest
from commands import cases, play

PAGES = Path(__file__).parent / "commands"


@pytest.mark.parametrize(("files", "environment", "steps"), cases(PAGES))
def test_commands_do_as_their_pages_say(files, environment, steps, score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    play(files, steps, score)
