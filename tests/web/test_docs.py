"""The examples of docs/host.md as they stand, and the files for containers."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import COMMAND, ROOT
from web_helpers import good, mixed, rows

HOST = (ROOT / "docs/host.md").read_text(encoding="utf-8")


def example(kind, url):
    """The page's example of a kind, at this server and of this challenge."""
    (text,) = re.findall(rf"```{kind}\n(.*?)```", HOST, re.DOTALL)
    assert "http://127.0.0.1:8000" in text
    return text.replace("http://127.0.0.1:8000", url).replace("course-2026", "course")


@pytest.mark.slow("a server as a process")
def test_the_examples_send_a_file_and_show_what_became_of_it(serve, served):
    if shutil.which("curl") is None:
        pytest.skip("curl is missing: apt-get install curl")
    _, url = serve(served.folder)
    folder = served.folder.parent
    environment = {
        "cwd": folder,
        "capture_output": True,
        "text": True,
        "timeout": 120,
        "check": True,
    }
    (folder / "answers.csv").write_text(mixed(2))
    ran = subprocess.run(
        ["sh", "-e", "-c", example("sh", url)],
        env={**os.environ, "TOKEN": served.token("red")}, **environment,
    )  # fmt: skip
    assert '"problems":[]' in ran.stdout
    assert '"entry":1' in ran.stdout
    assert '"team":"red"' in ran.stdout
    (folder / "answers.csv").write_text(rows(good))
    ran = subprocess.run(
        [sys.executable, "-c", example("python", url)],
        env={**os.environ, "TOKEN": served.token("blue")}, **environment,
    )  # fmt: skip
    assert "scored {'public': {'P@2': 1.0, 'RR': 1.0}}" in ran.stdout
    assert "1 blue {'P@2': 1.0, 'RR': 1.0}" in ran.stdout


def test_containers_are_asked_for_what_there_is():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    commands = [each["command"] for each in compose["services"].values() if "command" in each]
    image = (ROOT / "Dockerfile").read_text()
    commands.append(yaml.safe_load(re.search(r"^CMD (\[.*\])", image, re.MULTILINE)[1]))
    for command in commands:
        told = subprocess.run(
            [COMMAND, command[0], "--help"], capture_output=True, text=True, check=True,
            env={**os.environ, "COLUMNS": "200"},
        ).stdout  # fmt: skip
        for word in command[1:]:
            assert not word.startswith("--") or word in told, word
    (extras,) = re.findall(r"\.\[([a-z,]+)\]", image)
    assert {"web", "postgres"} <= set(extras.split(","))
    allowed = (ROOT / ".dockerignore").read_text().split("!")[1:]
    for source in re.search(r"^COPY (.*) \./$", image, re.MULTILINE)[1].split():
        assert (ROOT / source).exists()
        assert any(line.strip().split("\n")[0] == source for line in allowed)


@pytest.mark.slow("starts a process")
def test_compose_can_be_read():
    if shutil.which("docker") is None:
        pytest.skip("docker is missing: apt-get install docker.io")
    command = ["docker", "compose", "config", "--quiet"]
    known = {**os.environ, "POSTGRES_PASSWORD": "x", "SCORER_SECRET": "y"}
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("docker compose is missing: apt-get install docker-compose")
    assert subprocess.run(command, cwd=ROOT, env=known).returncode == 0
    known.pop("SCORER_SECRET")
    without = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True)
    assert without.returncode != 0
    assert "SCORER_SECRET" in without.stderr
