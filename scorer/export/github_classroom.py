"""GitHub Classroom: a workflow for the students' repositories; the answers stay in one of yours."""

from __future__ import annotations

from scorer.export.base import (
    Bundle,
    ExportContext,
    bridge_files,
    in_folder,
    unsupported_features,
)

SUPPORTED = {"grading"}
NO_POINTS = {"version": 1, "status": "error", "tests": []}
WORKFLOW = """name: Points
on: [push]
permissions: {contents: read, checks: write, actions: read}
jobs:
  points:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # the private repository of the folder answers/: OWNER/NAME as the variable ANSWERS, and a
      # token that may read it as the secret ANSWERS_TOKEN, both of the organization
      - uses: actions/checkout@v4
        with:
          repository: ${{ vars.ANSWERS }}
          token: ${{ secrets.ANSWERS_TOKEN }}
          path: .answers
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - run: pip install challenge-scorer
      - id: scored
        run: |
          mkdir -p "$RUNNER_TEMP/result"
          python3 .answers/bridge.py .answers/challenge submission "$RUNNER_TEMP/result"
          echo "result=$(base64 -w0 "$RUNNER_TEMP/result/result.json")" >> "$GITHUB_OUTPUT"
      - uses: classroom-resources/autograding-grading-reporter@v1
        env: {SCORED_RESULTS: "${{ steps.scored.outputs.result }}"}
        with: {runners: scored}
"""


def export_github_classroom(context: ExportContext) -> Bundle:
    """Return the students' template repository, and answers/, a private repository."""
    grading = context.challenge.grading
    always = NO_POINTS | {"max_score": grading.points if grading else 1}
    answers = bridge_files(context, "classroom", "result.json", context.splits[:1], always=always)
    answers |= in_folder("challenge", context.files)
    files = in_folder("answers", answers)
    files[".github/workflows/classroom.yml"] = WORKFLOW.encode()
    files["submission/.gitkeep"] = b""
    return Bundle(
        files,
        unsupported=unsupported_features(context, SUPPORTED),
        next_steps=(
            "answers/ goes into a private repository, the rest into the assignment's template",
            "students put their file into submission/",
        ),
    )
