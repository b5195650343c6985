"""GitHub Classroom: a workflow for the students' repositories; the answers stay in one of yours."""

from __future__ import annotations

from pathlib import Path

from scorer.bridges.base import Bundle, PlatformRun, Subject, bridge, platform, within
from scorer.bridges.lost import lost
from scorer.bridges.stage import laid_out, made, python, read_json, run

FILE = ".github/workflows/classroom.yml"
HAS = {"grading"}
ALWAYS = {"version": 1, "status": "error", "tests": []}
WORKFLOW = """name: Points
on: [push]
permissions: {{contents: read, checks: write, actions: read}}
jobs:
  points:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # the private repository of the folder answers/: OWNER/NAME as the variable ANSWERS, and a
      # token that may read it as the secret ANSWERS_TOKEN, both of the organization
      - uses: actions/checkout@v4
        with:
          repository: ${{{{ vars.ANSWERS }}}}
          token: ${{{{ secrets.ANSWERS_TOKEN }}}}
          path: .answers
      - uses: actions/setup-python@v5
        with: {{python-version: "3.12"}}
      - run: pip install challenge-scorer
      - id: scored
        run: |
          mkdir -p "$RUNNER_TEMP/result"
          python3 .answers/bridge.py .answers/challenge {submission} "$RUNNER_TEMP/result"
          echo "result=$(base64 -w0 "$RUNNER_TEMP/result/result.json")" >> "$GITHUB_OUTPUT"
      - uses: classroom-resources/autograding-grading-reporter@v1
        env: {{SCORED_RESULTS: "${{{{ steps.scored.outputs.result }}}}"}}
        with: {{runners: scored}}
"""


def run_as_github_classroom(
    bundle: Path, submission: Path, folder: Path, score: str
) -> PlatformRun:
    """Run the step that scores, and read the result as the reporter does."""
    given, output = laid_out(submission, folder / "repository"), made(folder / "result")
    answers = bundle / "answers"
    words = [answers / "bridge.py", answers / "challenge", given, output]
    ended = run([python(), *map(str, words)], folder, score)
    found = read_json(output / "result.json")
    earned = sum(test["score"] for test in found["tests"])
    said = "; ".join(test["message"] for test in found["tests"]) or found.get("output", "")
    seen = f"{earned:g} of {found['max_score']:g} points: {said}"
    return PlatformRun(ended.code or int(found["status"] != "pass"), ended.seconds, seen, {})


@platform("github-classroom", FILE, "answers/challenge", run_as_github_classroom)
def github_classroom(subject: Subject) -> Bundle:
    """Two folders: of the students' template repository, and of a private one with the answers."""
    points = subject.challenge.grading.points if subject.challenge.grading else 1
    always = ALWAYS | {"max_score": points}
    said = bridge(subject, "classroom", "result.json", subject.splits[:1], always=always)
    files = within("answers", said | within("challenge", subject.files))
    files[FILE] = WORKFLOW.format(submission="submission").encode()
    files["submission/.gitkeep"] = b""
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "answers/ goes into a private repository, the rest into the assignment's template",
            "students put their file into submission/",
        ),
    )
