"""TIRA: an evaluator's image and command, and the front matter of the dataset's page."""

from __future__ import annotations

import re
from pathlib import Path

from scorer.bridges.base import Bundle, Run, Subject, as_yaml, bridge, platform, within
from scorer.bridges.lost import lost
from scorer.bridges.stage import made, numbers, python, run, unpacked

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


def rehearse(bundle: Path, submission: Path, folder: Path, score: str) -> Run:
    """Run the evaluator's command; standard output is shown."""
    given, output = unpacked(submission, folder / "run"), made(folder / "output")
    words = [python(), str(bundle / "bridge.py"), str(bundle / "truths"), str(given), str(output)]
    ended = run(words, folder, score)
    if ended.code:
        return Run(ended.code, ended.seconds, ended.out.strip(), {})
    text = (output / RESULT).read_text("utf-8")
    values = {key: float(value) for key, value in MEASURE.findall(text)}
    return Run(0, ended.seconds, "evaluated", numbers(values, RESULT))


@platform("tira", FILE, "truths", rehearse)
def tira(subject: Subject) -> Bundle:
    """The evaluator's folder, the truths, and the dataset's page."""
    files = bridge(subject, "tira", RESULT, subject.splits[-1:], stdout=True)
    files["Dockerfile"] = DOCKER.format(image=subject.image).encode()
    files |= within("truths", subject.files)
    configuration = {
        "tira_configs": {
            "resolve_inputs_to": ".",
            "resolve_truths_to": "truths",
            "evaluator": {"image": subject.image, "command": COMMAND},
        }
    }
    page = f"# {subject.title}\n\n{subject.challenge.description or ''}\n"
    files[FILE] = b"---\n" + as_yaml(configuration) + b"---\n\n" + page.encode()
    files["kit.zip"] = subject.kit
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "build the image and register it as the evaluator, with this command:",
            f"  {COMMAND}",
            "truths/ is the dataset's truth",
        ),
    )
