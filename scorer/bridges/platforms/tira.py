"""TIRA: an evaluator's image and command, and the front matter of the dataset's page."""

from __future__ import annotations

import re
from pathlib import Path

from scorer.bridges.base import (
    Bundle,
    PlatformRun,
    Subject,
    bridge,
    derived,
    platform,
    within,
    yaml_text,
)
from scorer.bridges.lost import lost
from scorer.bridges.stage import laid_out, made, numbers, python, run

FILE = "tira.md"
RESULT = "evaluation.prototext"
HAS = {"phases"}
COMMAND = "python3 /opt/app/bridge.py $inputDataset $inputRun $outputDir"
DOCKER = """FROM {image}
USER root
COPY bridge.py bridge.json /opt/app/
USER 1000
ENTRYPOINT []
"""
MEASURE = re.compile(r'measure\{\n  key: "([^"]*)"\n  value: "([^"]*)"\n\}\n')


def run_as_tira(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Run the evaluator's command; standard output is shown."""
    given, output = laid_out(submission, folder / "run"), made(folder / "output")
    words = [python(), str(bundle / "bridge.py"), str(bundle / "truths"), str(given), str(output)]
    ended = run(words, folder, score)
    if ended.code:
        return PlatformRun(ended.code, ended.seconds, ended.out.strip(), {})
    text = (output / RESULT).read_text("utf-8")
    values = {key: float(value) for key, value in MEASURE.findall(text)}
    return PlatformRun(0, ended.seconds, "evaluated", numbers(values, RESULT))


@platform("tira", FILE, "truths", run_as_tira)
def tira(subject: Subject) -> Bundle:
    """The evaluator's folder, the truths, and the dataset's page."""
    files = bridge(subject, "tira", RESULT, subject.splits[-1:], stdout=True)
    image = derived(subject.image, "tira")
    files["Dockerfile"] = DOCKER.format(image=subject.image).encode()
    files |= within("truths", subject.files)
    configuration = {
        "tira_configs": {
            "resolve_inputs_to": ".",
            "resolve_truths_to": "truths",
            "evaluator": {"image": image, "command": COMMAND},
        }
    }
    page = f"# {subject.title}\n\n{subject.challenge.description or ''}\n"
    files[FILE] = b"---\n" + yaml_text(configuration) + b"---\n\n" + page.encode()
    files["kit.zip"] = subject.kit
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "build the evaluator's image in the bundle's folder:",
            f"  docker build -t {image} .",
            "register it with this command:",
            f"  {COMMAND}",
            "truths/ is the dataset's truth",
        ),
    )
